"""What the workers page shows."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from dashboard.experiments.models import Experiment
from dashboard.fleet.models import HostLease, Worker
from dashboard.servers.models import Preflight

REMEMBERED = timedelta(days=1)  # dead workers older than this are of no interest


@dataclass(frozen=True)
class WorkerLine:
    """A worker, and what it is busy with right now."""

    worker: Worker
    experiments: tuple[Experiment, ...]
    preflights: tuple[Preflight, ...]

    @property
    def is_idle(self) -> bool:
        return not self.experiments and not self.preflights


def workers() -> list[WorkerLine]:
    """Living workers first, then those that ended or died within the last day."""
    rows = list(Worker.objects.filter(beat_at__gt=timezone.now() - REMEMBERED).order_by("-started_at"))
    measured = list(Experiment.objects.filter(state=Experiment.State.RUNNING, worker__in=rows))
    tested = list(Preflight.objects.filter(state=Preflight.State.RUNNING).select_related("server"))
    lines = [
        WorkerLine(
            worker,
            tuple(one for one in measured if one.worker_id == worker.id),
            tuple(one for one in tested if one.worker == str(worker)),
        )
        for worker in rows
    ]
    return sorted(lines, key=lambda line: not line.worker.is_alive)


def leases() -> list[HostLease]:
    return list(HostLease.objects.select_related("experiment").order_by("taken_at"))
