"""Short crash trials for tests."""

from pathlib import Path
from typing import Any

from workers.crash.chain import PORTS, TrialPorts
from workers.crash.run import run_trial
from workers.crash.setup_and_result import TrialResult, TrialSetup
from workers.sandbox import builds


def settings(flush_log: int, sync_binlog: int) -> dict[str, str]:
    return {"log_bin": "ON", "innodb_flush_log_at_trx_commit": str(flush_log), "sync_binlog": str(sync_binlog)}


def forgetful() -> dict[str, str]:
    """0/1, and the log is not written once a second either: a crash loses everything, whenever it comes."""
    return settings(0, 1) | {"innodb_flush_log_at_timeout": "1000"}


def setup(root: Path, kind: str, flush_log: int = 1, sync_binlog: int = 1, **options: Any) -> TrialSetup:
    known = {"settings": settings(flush_log, sync_binlog), "engine": "innodb", "seed": 7, "load_s": 0.6} | options
    build = known.pop("build", None) or builds.find("system-mariadb")
    return TrialSetup(root=root, build=build, name="trial", kind=kind, **known)


def crash(
    root: Path, kind: str, flush_log: int = 1, sync_binlog: int = 1, ports: TrialPorts = PORTS, **options: Any
) -> TrialResult:
    asked = setup(root, kind, flush_log, sync_binlog, **options)
    return run_trial(asked, lambda step: None, lambda: False, ports)


def bad(result: TrialResult) -> dict[str, str]:
    """Checks that are not valid, by key; what failed when the trial was not completed."""
    assert not result.failed_at, f"{result.failed_at}: {result.error}"
    return {check.key: check.outcome for check in result.checks if check.outcome != "valid"}
