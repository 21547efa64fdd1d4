"""A server that refuses what a crash has left is a result, and a bad one; one that was kept from coming back by this
host, or by us, is none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real.test_trial_builds import ROCKSDB_LIBRARY, at, ready
from tests.real.trials import bad, crash
from workers.crash.chain import TrialPorts
from workers.sandbox.server import Sandbox

PAGE_BYTES = 16384


def spoilt(spoil: Callable[[Path], None]) -> TrialPorts:
    """Done to the datadir when the server is down."""

    class Spoilt(Sandbox):
        def recover(self, settings):
            self.kill()
            spoil(self.datadir)
            return super().recover(settings)

    return TrialPorts(sandbox=Spoilt.create)


def test_a_server_whose_files_are_spoilt_does_not_come_back(sandbox_root):
    """Its rows cannot be read, its binlog can: that one lost nothing."""

    def spoil(datadir: Path) -> None:
        with (datadir / "ibdata1").open("r+b") as pages:
            pages.write(os.urandom(8 * PAGE_BYTES))

    result = crash(sandbox_root, "process-kill", ports=spoilt(spoil))
    assert result.verdict == "invalid"
    assert bad(result)["stays-down"] == "invalid" and "[ERROR]" in result.evidence.stays_down
    assert bad(result)["lost-engine"] == "unknown" and result.lost_engine is None
    assert result.acknowledged and result.lost_binlog.transactions == 0


@pytest.mark.parametrize("key", ["system-mariadb", "mariadb-10.11"])
def test_a_log_of_myrocks_that_ends_in_a_torn_record_keeps_the_engine_down(sandbox_root, key):
    """As a kill in the middle of a write leaves it, once in many: rocksdb_wal_recovery_mode=1 accepts no torn end."""
    build = ready(key)
    if ROCKSDB_LIBRARY not in build.plugins:
        pytest.skip(f"{build.title} has no MyRocks.")

    def tear(datadir: Path) -> None:
        log = max(datadir.glob("#rocksdb/*.log"))
        os.truncate(log, log.stat().st_size - 3)

    settings = at("rocksdb", 1, 1)
    result = crash(sandbox_root, "process-kill", settings=settings, build=build, engine="rocksdb", ports=spoilt(tear))
    assert bad(result)["stays-down"] == "invalid" and "truncated record body" in result.evidence.stays_down


def test_a_server_that_may_not_read_its_files_tells_nothing(sandbox_root):
    def forbid(datadir: Path) -> None:
        (datadir / "ibdata1").chmod(0)
        os.chown(datadir / "ibdata1", 0, 0)

    if os.getuid():
        pytest.skip("Only root can take a file away from its owner.")
    result = crash(sandbox_root, "process-kill", ports=spoilt(forbid))
    assert (result.verdict, result.failed_at) == ("unknown", "recovery"), result.evidence.stays_down


def test_a_server_that_is_killed_in_its_recovery_tells_nothing(sandbox_root):
    class Killed(Sandbox):
        def _launch(self, settings, init_file):
            super()._launch(settings, init_file)
            if self.log_text.count("ready for connections"):  # of an earlier life
                self._process.kill()

    result = crash(sandbox_root, "process-kill", ports=TrialPorts(sandbox=Killed.create))
    assert (result.verdict, result.failed_at) == ("unknown", "recovery")
    assert "ended by signal 9 (SIGKILL)" in result.error
