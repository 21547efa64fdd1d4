"""Crash trials on every installed build and engine. What is not installed is skipped; `manage.py build install NAME`
adds it."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import bad, crash
from workers.errors import PlanError, SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import Build

ROCKSDB_LIBRARY = "ha_rocksdb.so"
FLUSH = {"innodb": "innodb_flush_log_at_trx_commit", "rocksdb": "rocksdb_flush_log_at_trx_commit"}
MAY_TEAR = {"binlog-unreadable"}  # a kill in the middle of a write tears the binlog's tail; only MySQL repairs it
WITH_REPLICA = {"mysql-5.6.14", "mysql-8.0.33", "mysql-9.7"}
WITHOUT_GTIDS = {"mysql-5.5.9", "mysql-5.5.34"}


def ready(key: str) -> Build:
    try:
        return builds.find(key)
    except SandboxError as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module", params=[(key, engine) for key in builds.every() for engine in FLUSH], ids="-".join)
def of(request) -> dict[str, object]:
    """Build and engine of a trial."""
    key, engine = request.param
    build = ready(key)
    if engine == "rocksdb" and ROCKSDB_LIBRARY not in build.plugins:
        pytest.skip(f"{build.title} has no MyRocks.")
    return {"build": build, "engine": engine}


def at(engine: str, flush_log: int, sync_binlog: int) -> dict[str, str]:
    return {"log_bin": "ON", FLUSH[engine]: str(flush_log), "sync_binlog": str(sync_binlog)}


def test_a_kill_loses_nothing_at_1_1(sandbox_root, of):
    """A replica of MySQL follows through it."""
    replica = of["build"].key in WITH_REPLICA
    result = crash(sandbox_root, "process-kill", settings=at(of["engine"], 1, 1), replica=replica, **of)
    if of["engine"] == "rocksdb" and bad(result).get("stays-down"):
        assert "truncated record body" in result.evidence.stays_down  # and a kill may tear its log's tail
        return
    assert set(bad(result)) <= (set() if replica else MAY_TEAR), result.checks
    assert result.acknowledged and result.lost_engine.transactions == result.lost_binlog.transactions == 0
    assert result.notes[FLUSH[of["engine"]]] == "1"
    if replica:
        assert [(seen.state, seen.different_rows) for seen in result.evidence.replicas[:2]] == [("caught up", 0)] * 2
        assert result.evidence.gtid_after


@needs_disk
def test_a_power_loss_loses_something_at_0_0(sandbox_root, of):
    result = crash(sandbox_root, "power-loss", settings=at(of["engine"], 0, 0), clients=4, **of)
    assert {"lost-engine", "lost-binlog"} & set(bad(result))


@needs_disk
@pytest.mark.parametrize("key", ["mysql-5.6.14", "mysql-8.0.33"])
def test_a_replica_of_mysql_stops_or_differs_after_a_power_loss_at_1_0(sandbox_root, key):
    result = crash(sandbox_root, "power-loss", 1, 0, build=ready(key), replica=True)
    assert "lost-binlog" in bad(result)
    if result.lost_replica.transactions < result.lost_engine.transactions:  # it has what its primary lost
        assert {"gtid-reused", "replica"} <= set(bad(result))
        assert all(seen.state == "stopped" or seen.different_rows for seen in result.evidence.replicas[:2])


@pytest.mark.parametrize("key", sorted(WITHOUT_GTIDS))
def test_a_server_without_gtids_cannot_have_a_replica(sandbox_root, key):
    with pytest.raises(PlanError, match="a replica finds its place by GTIDs"):
        crash(sandbox_root, "process-kill", 1, 1, build=ready(key), replica=True)


def test_without_gtids_nothing_is_said_of_them(sandbox_root):
    result = crash(sandbox_root, "process-kill", 1, 1, build=ready("mysql-5.5.34"))
    assert "gtid-reused" not in {check.key for check in result.checks}
