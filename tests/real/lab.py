"""The product with nobody at the keyboard: a Redis, a worker and beats, on a clock that the test sets."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dashboard.records.accounts.actor import Actor
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from tests.real import parts
from tests.real.clock import Clock
from tests.real.parts import until
from tests.real.slow import SLOW
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice

SENT = re.compile("Sending due task (nights|history)")
ENDED = re.compile(r"Task workers\.tasks\.(?:watch_nights|keep_history)\[\S+\] (?:succeeded|raised)|Discarding revoked")


class Log:
    """What a process adds to a file from now on."""

    def __init__(self, file: Path) -> None:
        self._file, self._begin = file, file.stat().st_size if file.exists() else 0

    @property
    def text(self) -> str:
        if not self._file.exists():
            return ""
        with self._file.open() as opened:
            opened.seek(self._begin)
            return opened.read()


@dataclass(frozen=True)
class Logs:
    beats: tuple[Log, ...]
    worker: Log

    def rounds(self) -> list[int]:
        """How often each beat sent each of its two tasks."""
        sent = [SENT.findall(beat.text) for beat in self.beats]
        return [names.count(task) for names in sent for task in ("nights", "history")]

    def are_done(self) -> bool:
        """Whether the worker has ended every task that the beats sent."""
        return len(ENDED.findall(self.worker.text)) >= sum(self.rounds())


@contextmanager
def lab(clock: Clock, folder: Path, sandbox_root: Path, beats: int = 1, **environment: str) -> Iterator[Logs]:
    """The logs, while a Redis, a worker and that many beats run."""
    seen = clock.environment | environment
    folders = [folder / f"beat-{number}" for number in range(beats)]
    for own in folders:
        own.mkdir(exist_ok=True)
    worker, sending = parts.worker_of(sandbox_root, seen), [parts.beat_of(own, seen) for own in folders]
    logs = Logs(tuple(Log(beat.log) for beat in sending), Log(worker.log))
    with parts.redis_server(), parts.together(worker, *sending):
        yield logs


def pass_to(clock: Clock, moment: datetime, logs: Logs) -> None:
    """It is that time, every beat has sent their tasks since, and the worker has ended them: they expire after a
    minute. The worker's heartbeat is as young as before, else it could not claim anything."""
    before = logs.rounds()
    clock.set(moment)
    Worker.objects.filter(ended_at=None).update(beat_at=clock.now)
    until(lambda: all(now > then for now, then in zip(logs.rounds(), before, strict=True)))
    until(logs.are_done)


LONG_S = 60


def one_cell(server: Server, measure_s: int = 1) -> Plan:
    """With the settings that the server has. A long load of a sandbox is slow."""
    settings = SLOW if server.is_sandbox and measure_s > LONG_S else {}
    return Plan(
        name="nightly", targets=(PlanTarget(server.pk, server.name, server.is_sandbox),),
        variants=(Variant("as it is", settings),), repeats=1, warmup_s=0,
        workloads=(WorkloadChoice("u", "update-by-key", {}),), threads=(1,), measure_s=measure_s,
        table_rows=100, seed=1,
    )  # fmt: skip


def started(plan: Plan, user: Actor = None) -> Experiment:
    """Stored, and its workers are notified."""
    experiment = actions.create(plan, user)
    actions.notify_workers(experiment.pk)
    return experiment
