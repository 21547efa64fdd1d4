"""What the threads of this worker do, and which of them hang. A hanging thread cannot be ended from outside. The
heartbeat reports it: a person restarts the worker before its last thread hangs."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from celery import Task
from celery.signals import task_postrun, task_prerun

from dashboard.records.experiments.models import Experiment, Part
from dashboard.records.experiments.states import LOAD_OVER
from dashboard.records.fleet import task_queue
from dashboard.records.fleet.models import StuckThread

LIMIT_S = 600.0  # of a task that measures nothing, and of the end of one that does
LIMITS_S = {task_queue.PREFLIGHT: 120.0}
WORDS = {
    task_queue.EXPERIMENT: "an experiment that is over or cancelled",
    task_queue.JOIN: "a share of a load that is over",
    task_queue.PREFLIGHT: "a connection test",
    task_queue.DELIVERY: "a message",
    task_queue.SCHEDULE: "a schedule",
}


@dataclass
class RunningTask:
    """A task on one thread. `idle_since`: since when it has had no reason to go on, by the pool's clock."""

    task: str
    row_id: int | None
    began: datetime
    idle_since: float | None


class Pool:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._jobs: dict[str, RunningTask] = {}
        self._lock = threading.Lock()

    def listen(self) -> None:
        """To Celery, as long as this pool exists."""
        task_prerun.connect(self._on_begin)
        task_postrun.connect(self._on_end)

    def _on_begin(self, task_id: str, task: Task, args: Sequence[int] = (), **_: object) -> None:
        self.begin(task_id, task.name, args[0] if args else None)

    def _on_end(self, task_id: str, **_: object) -> None:
        self.end(task_id)

    def begin(self, key: str, task: str, row_id: int | None) -> None:
        """A task that measures may run as long as it measures. The limit of every other task counts from its start."""
        since = None if task in _MEASURES else self._clock()
        with self._lock:
            self._jobs[key] = RunningTask(task, row_id, datetime.now(UTC), since)

    def end(self, key: str) -> None:
        with self._lock:
            self._jobs.pop(key, None)

    def stuck(self) -> list[StuckThread]:
        """Each task that hangs, the oldest first. Reads from the database."""
        with self._lock:
            jobs = list(self._jobs.values())
        hanging = [job for job in jobs if self._hangs(job)]
        return [_told(job) for job in sorted(hanging, key=lambda job: job.began)]

    def _hangs(self, job: RunningTask) -> bool:
        if goes_on := _MEASURES.get(job.task):
            job.idle_since = None if goes_on(job.row_id) else (job.idle_since or self._clock())
        idle_s = 0.0 if job.idle_since is None else self._clock() - job.idle_since
        return idle_s >= LIMITS_S.get(job.task, LIMIT_S)


def _told(job: RunningTask) -> StuckThread:
    return StuckThread(WORDS.get(job.task, job.task), job.row_id, job.began.isoformat(timespec="seconds"))


def _measured(experiment_id: int | None) -> bool:
    row = Experiment.objects.filter(pk=experiment_id or 0, state=Experiment.State.RUNNING, cancel_asked=False)
    return row.exists()


def _joined(part_id: int | None) -> bool:
    return Part.objects.filter(pk=part_id or 0).exclude(state__in=LOAD_OVER).exists()


_MEASURES: dict[str, Callable[[int | None], bool]] = {task_queue.EXPERIMENT: _measured, task_queue.JOIN: _joined}
pool = Pool()
pool.listen()
