"""What crashes take from TokuDB, by its own settings. Skipped where the build is not installed, which compiles it:
`manage.py build install mariadb-10.5-tokudb`."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import bad, crash
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import Build

SAFE = {"log_bin": "ON", "sync_binlog": "1", "tokudb_commit_sync": "ON"}
NEVER_MS = "3600000"  # between two flushes of its log: a crash loses everything, whenever it comes
MAY_TEAR = {"binlog-unreadable"}  # a kill in the middle of a write tears the binlog's tail


@pytest.fixture(scope="module")
def build() -> Build:
    try:
        return builds.find("mariadb-10.5-tokudb")
    except SandboxError as absent:
        pytest.skip(str(absent))


def crashed(root, kind, build, **settings):
    return crash(root, kind, settings=SAFE | settings, build=build, engine="TokuDB")


@pytest.mark.parametrize("kind", ["process-kill", pytest.param("power-loss", marks=needs_disk)])
def test_no_commit_is_lost_when_each_commit_is_flushed(sandbox_root, build, kind):
    result = crashed(sandbox_root, kind, build)
    assert set(bad(result)) <= MAY_TEAR
    assert result.acknowledged and result.lost_engine.transactions == result.lost_binlog.transactions == 0
    assert result.notes["tokudb_commit_sync"] == "ON"


def test_with_the_binlog_on_commit_sync_off_loses_nothing(sandbox_root, build):
    """The flush is made at prepare, whatever it says."""
    result = crashed(sandbox_root, "process-kill", build, tokudb_commit_sync="OFF")
    assert set(bad(result)) <= MAY_TEAR and result.acknowledged


def test_a_kill_takes_what_the_flush_period_left_in_memory(sandbox_root, build):
    result = crashed(sandbox_root, "process-kill", build, tokudb_fsync_log_period=NEVER_MS)
    assert "lost-engine" in bad(result)
    assert result.lost_engine.transactions and not result.lost_binlog.transactions


def test_without_the_binlog_commit_sync_off_loses_to_a_kill(sandbox_root, build):
    lazy = {"log_bin": "OFF", "sync_binlog": "0", "tokudb_commit_sync": "OFF"}
    result = crashed(sandbox_root, "process-kill", build, **lazy)
    assert "lost-engine" in bad(result)
