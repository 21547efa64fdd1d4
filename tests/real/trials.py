"""Short crash trials for tests."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.real.parts import until
from workers.crash.chain import PORTS, Begun, Loaded, TrialPorts
from workers.crash.checks import CHECKS
from workers.crash.points.shortest import Search
from workers.crash.points.shrink import Shrinker
from workers.crash.run import crash_steps, run_trial
from workers.crash.setup_and_result import TrialResult, TrialSetup
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target

SEVERAL_COMMITS = 2**14  # bytes of redo log
SEARCHED_S = 500.0  # a test fails after 600
FIRST_FLUSH_S = 2  # from the start, on a busy machine too
LSN = re.compile(r"^Log sequence number\s+(\d+)$.*^Log flushed up to\s+(\d+)$", re.MULTILINE | re.DOTALL)


def settings(flush_log: int, sync_binlog: int) -> dict[str, str]:
    return {"log_bin": "ON", "innodb_flush_log_at_trx_commit": str(flush_log), "sync_binlog": str(sync_binlog)}


def forgetful(sync_binlog: int = 1) -> dict[str, str]:
    """0/1, and InnoDB does not flush its log once a second either. It does once, in the first second after a start."""
    return settings(0, sync_binlog) | {"innodb_flush_log_at_timeout": "1000"}


def setup(root: Path, kind: str, flush_log: int = 1, sync_binlog: int = 1, **options: Any) -> TrialSetup:
    known = {"settings": settings(flush_log, sync_binlog), "engine": "innodb", "seed": 7, "load_s": 0.6} | options
    build = known.pop("build", None) or builds.find("system-mariadb")
    return TrialSetup(root=root, build=build, name="trial", kind=kind, **known)


# Of a recorded load: 320 transactions, however quick the machine is. Its crash points cost less than those of a load
# that goes on for a second.
FEW_COMMITS = {"commits": 20, "load_s": 20.0}


def only(*checks: str) -> frozenset[str]:
    """As `looked_for`: the shortest load, and other settings, are looked for of these checks alone."""
    return frozenset(CHECKS) - {*checks}


@contextmanager
def unexamined() -> Iterator[None]:
    """Of no violation the disk write that decides is looked for."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Shrinker, "all", lambda _, violations, every: [(one, None) for one in violations])
        yield


@contextmanager
def unhurried() -> Iterator[None]:
    """The shortest load is looked for until it is found, not for a minute: a busy machine may need longer."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Search.all, "__defaults__", (SEARCHED_S,))
        yield


def crash(
    root: Path, kind: str, flush_log: int = 1, sync_binlog: int = 1, ports: TrialPorts = PORTS, **options: Any
) -> TrialResult:
    asked = setup(root, kind, flush_log, sync_binlog, **options)
    return run_trial(asked, lambda step: None, lambda: False, ports)


def rested(*where: Any, **how: Any) -> Sandbox:
    """As a trial makes its server, when the last flush of `forgetful()` is over: all later commits are lost."""
    made = Sandbox.create(*where, **how)
    with connect(made.target) as link:
        until(lambda: _uptime_s(link) > FIRST_FLUSH_S)
    return made


def crash_unflushed(root: Path, settings: dict[str, str], kind: str = "process-kill", **options: Any) -> TrialResult:
    """A crash of a server that holds commits which it has not flushed. With the settings `forgetful()` it certainly
    loses them: once a second has passed since its start, nothing flushes them before the crash."""

    def steps(begun: Begun) -> Iterator[Begun]:
        for state in crash_steps(begun):
            if type(state) is Loaded:
                wait_for_unflushed(state.server.target)
            yield state

    asked = setup(root, kind, settings=settings, **options)
    return run_trial(asked, lambda step: None, lambda: False, steps=steps)


def wait_for_unflushed(target: Target) -> None:
    """Until InnoDB holds several commits that it has not flushed, and will not flush before it is crashed: with the
    settings `forgetful()`, its last flush comes a second after the start."""

    def unflushed() -> bool:
        [(now, flushed)] = LSN.findall(str(ask.rows(link, "SHOW ENGINE INNODB STATUS")[0][2]))
        return _uptime_s(link) > FIRST_FLUSH_S and int(now) - int(flushed) > SEVERAL_COMMITS

    with connect(target) as link:
        until(unflushed)


def _uptime_s(link: Connection) -> int:
    return int(ask.names_to_values(link, "SHOW GLOBAL STATUS LIKE 'Uptime'")["uptime"])


def bad(result: TrialResult) -> dict[str, str]:
    """Checks that are not valid, by key; what failed when the trial was not completed."""
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    return {check.key: check.outcome for check in result.checks if check.outcome != "valid"}
