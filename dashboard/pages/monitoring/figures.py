"""The figures for Prometheus. Each request reads them from the database, so every process answers the same.
docs/grafana.json draws them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from dashboard.installation.version import VERSION
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.states import UNDER_WAY
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease, PendingRestore

Sample = tuple[dict[str, str], float]  # labels, value


@dataclass(frozen=True)
class Metric:
    says: str
    samples: Callable[[], Iterable[Sample]]


def _single(says: str, value: Callable[[], float]) -> Metric:
    """One value without labels."""
    return Metric(says, lambda: [({}, value())])


def _by(label: str, values: Iterable[str], rows: QuerySet[Experiment] | QuerySet[Trial]) -> Iterable[Sample]:
    """Rows counted by a field; 0 for the values that no row has."""
    counted = dict(rows.order_by().values_list(label).annotate(Count("pk")))
    return (({label: value}, counted.get(value, 0)) for value in values)


def _stuck_threads() -> int:
    return sum(len(stuck) for stuck in Worker.objects.alive().values_list("stuck", flat=True))


def _running() -> Iterable[Sample]:
    """Running experiments only: labels of earlier ones would pile up in Prometheus."""
    running = Experiment.objects.filter(state=Experiment.State.RUNNING).order_by("pk")
    for pk, started_at in running.values_list("pk", "started_at"):
        if started_at:
            yield {"experiment": str(pk)}, (timezone.now() - started_at).total_seconds()


def _oldest_s() -> float:
    oldest = Experiment.objects.filter(state=Experiment.State.QUEUED).aggregate(since=Min("created_at"))["since"]
    return (timezone.now() - oldest).total_seconds() if oldest else 0


def _waiting() -> Iterable[Sample]:
    for what, model in (("cell", Cell), ("trial", Trial)):
        waiting = model.objects.filter(state=Cell.State.WAITING, experiment__state__in=UNDER_WAY)
        yield {"what": what}, waiting.count()


def _trials() -> Iterable[Sample]:
    here = Trial.objects.exclude(experiment__in=Experiment.deleted.ids())
    return _by("verdict", Trial.Verdict.values, here.exclude(experiment__in=Experiment.imported.ids()))


FIGURES = {
    "durascope_info": Metric("Always 1; the version is a label.", lambda: [({"version": VERSION}, 1)]),
    "durascope_workers_alive": _single("Workers that are alive.", lambda: Worker.objects.alive().count()),
    "durascope_worker_threads_stuck": _single(
        "Threads of living workers that hang: restart these workers.", _stuck_threads
    ),
    "durascope_experiments": Metric(
        "Experiments by state.",
        lambda: _by("state", Experiment.State.values, Experiment.objects.filter(imported_at=None)),
    ),
    "durascope_experiment_running_seconds": Metric("How long each running experiment has run.", _running),
    "durascope_queue_oldest_seconds": _single(
        "How long the oldest queued experiment has waited; 0 if none waits.", _oldest_s
    ),
    "durascope_waiting": Metric("Cells and trials of queued and running experiments that are not done.", _waiting),
    "durascope_trials": Metric("Crash trials by verdict.", _trials),
    "durascope_hosts_leased": _single("Server hosts that are measured now.", HostLease.objects.count),
    "durascope_pending_restores": _single(
        "Settings, schemas and crashed servers that must be put back.",
        lambda: PendingRestore.objects.filter(restored_at=None).count(),
    ),
}
