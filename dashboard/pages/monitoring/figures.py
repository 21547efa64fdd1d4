"""The figures for Prometheus, read from the database when they are asked for: whichever process answers, the answer is
the same. One line of FIGURES for each; docs/grafana.json draws them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db.models import Count, Min
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


def _info() -> Iterable[Sample]:
    yield {"version": VERSION}, 1


def _workers() -> Iterable[Sample]:
    yield {}, Worker.objects.alive().count()


def _stuck() -> Iterable[Sample]:
    yield {}, sum(len(stuck) for stuck in Worker.objects.alive().values_list("stuck", flat=True))


def _experiments() -> Iterable[Sample]:
    here = Experiment.objects.filter(imported_at=None)
    counted = dict(here.order_by().values_list("state").annotate(Count("pk")))
    return (({"state": state}, counted.get(state, 0)) for state in Experiment.State.values)


def _running() -> Iterable[Sample]:
    """Of those that run now only: labels of the past would pile up."""
    running = Experiment.objects.filter(state=Experiment.State.RUNNING).order_by("pk")
    for pk, started_at in running.values_list("pk", "started_at"):
        if started_at:
            yield {"experiment": str(pk)}, (timezone.now() - started_at).total_seconds()


def _oldest() -> Iterable[Sample]:
    oldest = Experiment.objects.filter(state=Experiment.State.QUEUED).aggregate(since=Min("created_at"))["since"]
    yield {}, (timezone.now() - oldest).total_seconds() if oldest else 0


def _waiting() -> Iterable[Sample]:
    for what, model in (("cell", Cell), ("trial", Trial)):
        waiting = model.objects.filter(state=Cell.State.WAITING, experiment__state__in=UNDER_WAY)
        yield {"what": what}, waiting.count()


def _trials() -> Iterable[Sample]:
    kept = Trial.objects.exclude(experiment__in=Experiment.deleted.ids()).exclude(
        experiment__in=Experiment.imported.ids()
    )
    counted = dict(kept.order_by().values_list("verdict").annotate(Count("pk")))
    return (({"verdict": verdict}, counted.get(verdict, 0)) for verdict in Trial.Verdict.values)


def _leases() -> Iterable[Sample]:
    yield {}, HostLease.objects.count()


def _debts() -> Iterable[Sample]:
    yield {}, PendingRestore.objects.filter(restored_at=None).count()


FIGURES: dict[str, Metric] = {
    "durascope_info": Metric("Always 1; the version is a label.", _info),
    "durascope_workers_alive": Metric("Workers that are alive.", _workers),
    "durascope_worker_threads_stuck": Metric("Threads of living workers that hang: restart these workers.", _stuck),
    "durascope_experiments": Metric("Experiments by state.", _experiments),
    "durascope_experiment_running_seconds": Metric("Since when each running experiment runs.", _running),
    "durascope_queue_oldest_seconds": Metric("Since when the oldest queued experiment waits; 0: none waits.", _oldest),
    "durascope_waiting": Metric("Cells and trials of queued and running experiments still to be done.", _waiting),
    "durascope_trials": Metric("Crash trials by verdict.", _trials),
    "durascope_hosts_leased": Metric("Server hosts that are measured now.", _leases),
    "durascope_pending_restores": Metric("Settings, schemas and crashed servers still to be restored.", _debts),
}
