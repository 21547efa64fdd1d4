"""Short crash trials for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.real.parts import until
from workers.crash.chain import PORTS, TrialPorts
from workers.crash.checks import CHECKS
from workers.crash.points.shrink import Shrinker
from workers.crash.run import run_trial
from workers.crash.setup_and_result import TrialResult, TrialSetup
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.target import Target

SEVERAL_COMMITS = 2**14  # bytes of redo log
FIRST_FLUSH_S = 2  # from the start, on a busy machine too
UNFLUSHED = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_lsn_current', 'Innodb_lsn_flushed', 'Uptime')"


def settings(flush_log: int, sync_binlog: int) -> dict[str, str]:
    return {"log_bin": "ON", "innodb_flush_log_at_trx_commit": str(flush_log), "sync_binlog": str(sync_binlog)}


def forgetful() -> dict[str, str]:
    """0/1, and InnoDB does not flush its log once a second either. It does once, in the first second after a start."""
    return settings(0, 1) | {"innodb_flush_log_at_timeout": "1000"}


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


def crash(
    root: Path, kind: str, flush_log: int = 1, sync_binlog: int = 1, ports: TrialPorts = PORTS, **options: Any
) -> TrialResult:
    asked = setup(root, kind, flush_log, sync_binlog, **options)
    return run_trial(asked, lambda step: None, lambda: False, ports)


def crash_unflushed(root: Path, settings: dict[str, str], **options: Any) -> TrialResult:
    """A process kill of a server that holds commits which it has not flushed."""
    made: list[Sandbox] = []

    def create(*args: Any, **how: Any) -> Sandbox:
        made.append(Sandbox.create(*args, **how))
        return made[-1]

    def before_the_kill(step: str) -> None:
        if step == "Crash trial (process kill): server process killed":
            wait_for_unflushed(made[-1].target)

    asked = setup(root, "process-kill", settings=settings, **options)
    return run_trial(asked, before_the_kill, lambda: False, TrialPorts(sandbox=create))


def wait_for_unflushed(target: Target) -> None:
    """Until InnoDB holds several commits that it has not flushed, and will not flush before it is killed: with the
    settings `forgetful()`, its last flush comes a second after the start."""

    def unflushed() -> bool:
        now = dict(ask.rows(link, UNFLUSHED))
        behind = int(now["Innodb_lsn_current"]) - int(now["Innodb_lsn_flushed"])
        return int(now["Uptime"]) > FIRST_FLUSH_S and behind > SEVERAL_COMMITS

    with connect(target) as link:
        until(unflushed)


def bad(result: TrialResult) -> dict[str, str]:
    """Checks that are not valid, by key; what failed when the trial was not completed."""
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    return {check.key: check.outcome for check in result.checks if check.outcome != "valid"}
