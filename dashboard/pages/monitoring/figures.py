"""The figures for Prometheus. Each request reads them from the database, so every process answers the same.
docs/grafana.json draws them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from dashboard.installation.version import VERSION
from dashboard.pages.monitoring.server_figures import MOST_PAIRS, PairFigures, ServerFigures, server_figures
from dashboard.records.experiments import worker_lines
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.states import UNDER_WAY
from dashboard.records.fleet.models import Worker
from dashboard.records.history.queries import not_noted
from dashboard.records.holds.models import HostLease, PendingRestore
from dashboard.records.notifications.models import Delivery
from dashboard.records.schedules.models import Night

Sample = tuple[dict[str, str], float]  # labels, value
Rows = QuerySet[Experiment] | QuerySet[Trial] | QuerySet[Night] | QuerySet[Delivery]
A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Metric:
    says: str
    samples: Callable[[ServerFigures], Iterable[Sample]]


def _single(says: str, value: Callable[[], float]) -> Metric:
    """One value without labels."""
    return Metric(says, lambda _: [({}, value())])


def _of_pairs(says: str, value: Callable[[PairFigures], float | None]) -> Metric:
    """A value for each server and variant where it is known."""

    def samples(found: ServerFigures) -> Iterable[Sample]:
        known = ((one, value(one)) for one in found.pairs)
        return (({"server": one.server, "variant": one.variant}, said) for one, said in known if said is not None)

    return Metric(says, samples)


def _by(label: str, values: Iterable[str], rows: Rows) -> Iterable[Sample]:
    """Rows counted by a field; 0 for the values that no row has."""
    counted = dict(rows.order_by().values_list(label).annotate(Count("pk")))
    return (({label: value}, counted.get(value, 0)) for value in values)


def _stuck_threads() -> int:
    return sum(len(stuck) for stuck in Worker.objects.alive().values_list("stuck", flat=True))


def _running(_: ServerFigures) -> Iterable[Sample]:
    """Running experiments only: labels of earlier ones would pile up in Prometheus."""
    running = Experiment.objects.filter(state=Experiment.State.RUNNING).order_by("pk")
    for pk, started_at in running.values_list("pk", "started_at"):
        if started_at:
            yield {"experiment": str(pk)}, (timezone.now() - started_at).total_seconds()


def _oldest_s() -> float:
    oldest = Experiment.objects.filter(state=Experiment.State.QUEUED).aggregate(since=Min("created_at"))["since"]
    return (timezone.now() - oldest).total_seconds() if oldest else 0


def _waiting(_: ServerFigures) -> Iterable[Sample]:
    for what, model in (("cell", Cell), ("trial", Trial)):
        waiting = model.objects.filter(state=Cell.State.WAITING, experiment__state__in=UNDER_WAY)
        yield {"what": what}, waiting.count()


def _trials(_: ServerFigures) -> Iterable[Sample]:
    here = Trial.objects.exclude(experiment__in=Experiment.deleted.ids())
    return _by("verdict", Trial.Verdict.values, here.exclude(experiment__in=Experiment.imported.ids()))


def _nights(_: ServerFigures) -> Iterable[Sample]:
    return _by("state", Night.State.values, Night.objects.filter(due_at__gt=timezone.now() - A_DAY))


def _deliveries(_: ServerFigures) -> Iterable[Sample]:
    return _by("state", Delivery.State.values, Delivery.objects.filter(created_at__gt=timezone.now() - A_DAY))


FIGURES = {
    "durascope_info": Metric("Always 1; the version is a label.", lambda _: [({"version": VERSION}, 1)]),
    "durascope_workers_alive": _single("Workers that are alive.", lambda: Worker.objects.alive().count()),
    "durascope_worker_threads_stuck": _single(
        "Threads of living workers that hang: restart these workers.", _stuck_threads
    ),
    "durascope_experiments": Metric(
        "Experiments by state.",
        lambda _: _by("state", Experiment.State.values, Experiment.objects.filter(imported_at=None)),
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
    "durascope_pending_restores_failed": _single(
        "Those that a worker tried to put back, and could not.",
        lambda: PendingRestore.objects.filter(restored_at=None).exclude(problem="").count(),
    ),
    "durascope_sites_without_worker": _single(
        "Sites that have servers and no living worker.", lambda: len(worker_lines.sites_without_worker())
    ),
    "durascope_nights": Metric("Due times of schedules in the last 24 hours by outcome.", _nights),
    "durascope_deliveries": Metric("Messages of the last 24 hours by state.", _deliveries),
    "durascope_history_waiting": _single(
        "Ended experiments that the history has not read yet.", lambda: not_noted().count()
    ),
    "durascope_commits_per_second": _of_pairs(
        "Throughput of a server with a variant: the highest of the newest experiment.", lambda one: one.tps
    ),
    "durascope_commit_p99_milliseconds": _of_pairs(
        "99th percentile of a transaction at that throughput.", lambda one: one.p99_ms
    ),
    "durascope_lost_commits": _of_pairs(
        "Acknowledged commits that one crash takes: the mean of the kind that took most, newest experiment.",
        lambda one: one.lost,
    ),
    "durascope_measured_timestamp_seconds": _of_pairs(
        "When a server with a variant was measured or crashed last.", lambda one: one.at.timestamp()
    ),
    "durascope_pairs_left_out": Metric(
        f"Servers with a variant beyond the {MOST_PAIRS} that are told.", lambda found: [({}, found.left_out)]
    ),
}


def told() -> Iterator[tuple[str, Metric, Iterable[Sample]]]:
    """Name, meaning and samples of each; the servers are read once."""
    servers = server_figures()
    for name, figure in FIGURES.items():
        yield name, figure, figure.samples(servers)
