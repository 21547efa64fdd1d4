"""A load on several servers: each has the settings of the variant, as in a failover trial."""

from dataclasses import replace

import pytest

from tests.unit.bench.plans import plan as small_plan
from workers.bench.measure import Listener, LoadedTables, measure
from workers.bench.plan import Variant
from workers.bench.stage import SandboxStage
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import parts
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.topology import parse

RELAXED = {"innodb_flush_log_at_trx_commit": "0", "sync_binlog": "5", "binlog_row_image": "MINIMAL"}
WANTED = ("innodb_flush_log_at_trx_commit", "sync_binlog", "binlog_row_image", "innodb_doublewrite")


@pytest.fixture(scope="module")
def stage(sandbox_root):
    topology = parse("semi-sync+rtt=0ms+replica.sync_binlog=7")
    made = SandboxStage(sandbox_root, builds.find("system-mariadb"), "pair", "", trace=False, topology=topology)
    yield made
    made.close()


def measured(stage, settings):
    variant = Variant("pair", settings, topology="semi-sync+rtt=0ms+replica.sync_binlog=7")
    plan = small_plan(warmup_s=0, measure_s=1, repeats=1, table_rows=100, threads=(2,), variants=(variant,))
    listener = Listener(lambda phase: None, lambda second, warming: None, lambda: False)
    return measure(stage, LoadedTables(), plan, replace(next(iter(plan.cells())), variant=variant), listener)


def replica(stage):
    ((other, _),) = stage._others
    return other.target


def settings_of(target):
    """MariaDB says "ON" of the last one in newer versions, before that a number."""
    with connect(target) as connection:
        found = [str(ask.value(connection, f"SELECT @@GLOBAL.{name}")) for name in WANTED]
    return [{"ON": "1", "OFF": "0"}.get(value, value) for value in found]


def rows_of(target):
    with connect(target) as connection:
        tables = [f"durascope_0.{table}" for (table,) in ask.rows(connection, "SHOW TABLES FROM durascope_0")]
        return ask.rows(connection, f"CHECKSUM TABLE {', '.join(tables)}")


def test_a_replica_takes_the_settings_of_the_variant_and_keeps_its_others(stage):
    done = measured(stage, RELAXED)
    assert done.load.transactions > 0 and done.effective == RELAXED
    assert settings_of(replica(stage)) == ["0", "7", "MINIMAL", "1"]
    figures = {one.name: one.value for reading in done.readings.values() for one in reading.figures}
    assert 0 < figures["replica_wait_ms"] < 2 * 1000 * done.load.elapsed_s, "waits of two semi-synchronous threads"
    stage.settle()
    assert rows_of(replica(stage)) == rows_of(stage.target) != []
    done = measured(stage, {**RELAXED, "innodb_doublewrite": "OFF"})
    assert done.load.transactions > 0
    assert settings_of(replica(stage)) == ["0", "7", "MINIMAL", "0"], "it restarts with the primary"
    measured(stage, {})
    assert settings_of(replica(stage)) == ["1", "7", "FULL", "1"], "as it began"


def test_each_node_of_a_galera_cluster_logs_what_it_applies_if_the_variant_has_a_binlog(sandbox_root):
    try:
        parts.find("galera-4")
    except SandboxError as absent:
        pytest.skip(str(absent))
    build, own = builds.find("system-mariadb"), "galera+replica2.log_slave_updates=OFF"
    stage = SandboxStage(sandbox_root, build, "cluster", "", trace=False, topology=parse(own))
    try:
        assert logs_of_nodes(stage, {"log_bin": "ON"}) == [(1, 1), (1, 1), (1, 0)], "node 3 has its own setting"
        assert logs_of_nodes(stage, {}) == [(0, 0), (0, 0), (0, 0)], "as it began"
    finally:
        stage.close()


def logs_of_nodes(stage, settings):
    """@@log_bin and @@log_slave_updates of nodes 1, 2 and 3."""
    stage.apply(Variant("cluster", settings))
    found = []
    for target in (stage.target, *(other.target for other, _ in stage._others)):
        with connect(target) as connection:
            found += ask.rows(connection, "SELECT @@GLOBAL.log_bin, @@GLOBAL.log_slave_updates")
    return found
