"""The product with nobody at the keyboard: a Redis, a worker and two beats, on a clock that the test sets."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from dashboard.records.servers.models import Server
from tests.real import parts
from tests.real.clock import Clock
from tests.real.parts import until
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice


@contextmanager
def lab(clock: Clock, folder: Path, sandbox_root: Path, **environment: str) -> Iterator[list[Path]]:
    """The logs of two beats, while a worker and both of them run."""
    seen = clock.environment | environment
    beats = [folder / name for name in ("one", "two")]
    for own in beats:
        own.mkdir(exist_ok=True)
    programs = [parts.worker_of(sandbox_root, seen), *(parts.beat_of(own, seen) for own in beats)]
    with parts.redis_server(), parts.together(*programs):
        yield [own / "beat.log" for own in beats]


def rounds(logs: list[Path]) -> list[int]:
    """How often each beat rang for the nights."""
    return [log.read_text().count("Sending due task nights") if log.exists() else 0 for log in logs]


def pass_to(clock: Clock, moment: datetime, logs: list[Path]) -> None:
    """It is that time, and both beats have rung since."""
    before = rounds(logs)
    clock.set(moment)
    until(lambda: all(now > then for now, then in zip(rounds(logs), before, strict=True)))


def one_cell(server: Server, measure_s: int = 1) -> Plan:
    """With the settings that the server has."""
    return Plan(
        name="nightly", targets=(PlanTarget(server.pk, server.name, server.is_sandbox),),
        variants=(Variant("as it is", {}),), repeats=1, warmup_s=0,
        workloads=(WorkloadChoice("u", "update-by-key", {}),), threads=(1,), measure_s=measure_s,
        table_rows=100, seed=1,
    )  # fmt: skip
