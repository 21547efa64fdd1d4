"""A server that refuses what a crash has left is a result, and a bad one; one that was kept from coming back by this
host, or by us, is none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real.test_trial_builds import ROCKSDB_LIBRARY, at, ready
from tests.real.trials import bad, crash
from workers.sandbox.server import Sandbox

Spoil = Callable[[Path], None]
PAGE_BYTES = 16384


@pytest.fixture
def before_recovery(monkeypatch) -> Callable[[Spoil], None]:
    """`before_recovery(spoil)`: done to the datadir when the server is down."""
    recover = Sandbox.recover

    def spoil_with(spoil: Spoil) -> None:
        def spoil_and_recover(server, settings):
            server.kill()
            spoil(server.datadir)
            return recover(server, settings)

        monkeypatch.setattr(Sandbox, "recover", spoil_and_recover)

    return spoil_with


def test_a_server_whose_files_are_spoilt_does_not_come_back(sandbox_root, before_recovery):
    """Its rows cannot be read, its binlog can: that one lost nothing."""

    def spoil(datadir: Path) -> None:
        with (datadir / "ibdata1").open("r+b") as pages:
            pages.write(os.urandom(8 * PAGE_BYTES))

    before_recovery(spoil)
    result = crash(sandbox_root, "process-kill")
    assert result.verdict == "invalid"
    assert bad(result)["stays-down"] == "invalid" and "[ERROR]" in result.evidence.stays_down
    assert bad(result)["lost-engine"] == "unknown" and result.lost_engine is None
    assert result.acknowledged and result.lost_binlog.transactions == 0


@pytest.mark.parametrize("key", ["system-mariadb", "mariadb-10.11"])
def test_a_log_of_myrocks_that_ends_in_a_torn_record_keeps_the_engine_down(sandbox_root, before_recovery, key):
    """As a kill in the middle of a write leaves it, once in many: rocksdb_wal_recovery_mode=1 accepts no torn end."""
    build = ready(key)
    if ROCKSDB_LIBRARY not in build.plugins:
        pytest.skip(f"{build.title} has no MyRocks.")

    def tear(datadir: Path) -> None:
        log = max(datadir.glob("#rocksdb/*.log"))
        os.truncate(log, log.stat().st_size - 3)

    before_recovery(tear)
    result = crash(sandbox_root, "process-kill", settings=at("rocksdb", 1, 1), build=build, engine="rocksdb")
    assert bad(result)["stays-down"] == "invalid" and "truncated record body" in result.evidence.stays_down


def test_a_server_that_may_not_read_its_files_tells_nothing(sandbox_root, before_recovery):
    def forbid(datadir: Path) -> None:
        (datadir / "ibdata1").chmod(0)
        os.chown(datadir / "ibdata1", 0, 0)

    if os.getuid():
        pytest.skip("Only root can take a file away from its owner.")
    before_recovery(forbid)
    result = crash(sandbox_root, "process-kill")
    assert (result.verdict, result.failed_at) == ("unknown", "recovery"), result.evidence.stays_down


def test_a_server_that_is_killed_in_its_recovery_tells_nothing(sandbox_root, monkeypatch):
    launch = Sandbox._launch

    def launch_and_kill(server, settings, init_file):
        launch(server, settings, init_file)
        if server.log_text.count("ready for connections"):  # of an earlier life
            server._process.kill()

    monkeypatch.setattr(Sandbox, "_launch", launch_and_kill)
    result = crash(sandbox_root, "process-kill")
    assert (result.verdict, result.failed_at) == ("unknown", "recovery")
    assert "ended by signal 9 (SIGKILL)" in result.error
