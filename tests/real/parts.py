"""Real parts of the product on the test database: Redis, workers and beats, each ended by whoever started it."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from dashboard.home import PROJECT
from dashboard.local import programs, redis
from dashboard.local.processes import Child, Program

LIMIT_S = 300  # on a machine that is slow and busy


@contextmanager
def running(program: Program, environment: Mapping[str, str] = {}) -> Iterator[Child]:
    child = Child(replace(program, env={**program.env, **environment}))
    try:
        child.wait_until_ready()
        yield child
    finally:
        child.stop()


def redis_server():
    return running(redis.program(settings.HOME))


def worker(sandbox_root: Path, environment: Mapping[str, str] = {}):
    return running(programs.worker(settings.HOME), at_home(sandbox_root) | environment)


def beat(folder: Path, environment: Mapping[str, str] = {}):
    """With a schedule file and a log of its own, so that there can be two. It looks every second what is due."""
    known = programs.beat(settings.HOME)
    argv = [*known.argv, "-s", str(folder / "beat-schedule"), "--max-interval", "1"]
    return running(replace(known, argv=argv, log=folder / "beat.log"), at_home(folder) | environment)


def at_home(sandbox_root: Path) -> dict[str, str]:
    database = str(settings.DATABASES["default"]["NAME"])
    return {"DURASCOPE_SQLITE": database, "DURASCOPE_SANDBOXES": str(sandbox_root), "PYTHONPATH": str(PROJECT)}


def until(true: Callable[[], object], limit_s: float = LIMIT_S) -> None:
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
