"""Real parts of the product on the test database: Redis, workers and beats, each ended by whoever started it."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from dashboard.installation import vault
from dashboard.installation.home import PROJECT
from dashboard.local import programs, redis
from dashboard.local.processes import Child, Program

LIMIT_S = 300  # on a machine that is slow and busy


@contextmanager
def together(*programs: Program) -> Iterator[list[Child]]:
    """Started, and asked to stop, at the same time: most of what a part does then is to load and unload itself."""
    children: list[Child] = []
    try:
        for program in programs:
            children.append(Child(replace(program, ready_limit_s=LIMIT_S)))
        for child in children:
            child.wait_until_ready()
        yield children
    finally:
        for child in children:
            child.ask_to_stop()
        for child in children:
            child.stop()


@contextmanager
def running(program: Program, environment: Mapping[str, str] = {}) -> Iterator[Child]:
    with together(seeing(program, environment)) as [child]:
        yield child


def seeing(program: Program, environment: Mapping[str, str]) -> Program:
    return replace(program, env={**program.env, **environment})


def redis_server():
    return running(redis.program(settings.HOME))


def worker(sandbox_root: Path, environment: Mapping[str, str] = {}):
    return running(worker_of(sandbox_root, environment))


def worker_of(sandbox_root: Path, environment: Mapping[str, str]) -> Program:
    vault.keys()  # made once by the web server's side: a worker without it is refused
    return seeing(programs.worker(settings.HOME), at_home(sandbox_root) | environment)


def beat_of(folder: Path, environment: Mapping[str, str]) -> Program:
    """With a schedule file and a log of its own, so that there can be two. It looks every second what is due."""
    known = programs.beat(settings.HOME)
    argv = [*known.argv, "-s", str(folder / "beat-schedule"), "--max-interval", "1"]
    return seeing(replace(known, argv=argv, log=folder / "beat.log"), at_home(folder) | environment)


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
