"""A registered primary and its replica are recognised, on real servers, with many privileges and with few."""

from dataclasses import replace

import pytest

from dashboard.findings.attached.known import told
from dashboard.findings.attached.topology import topology_of
from tests.real.registered import answered
from workers.crash.replica_link import Link
from workers.host.until import until
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.network.wires import Wires

pytestmark = pytest.mark.django_db
SEMI_SYNC = {"Rpl_semi_sync_master_clients": "1", "Rpl_semi_sync_master_status": "ON"}  # once the replica has answered


@pytest.fixture(scope="module")
def pair(make_sandbox):
    common = {"log_bin": "ON", "log_slave_updates": "ON", "gtid_strict_mode": "ON", "sync_binlog": "1"}
    primary = make_sandbox({**common, "server_id": "71"}, name="seen-primary")
    replica = make_sandbox({**common, "server_id": "72"}, name="seen-replica")
    link = Link(primary, replica)
    link.begin()
    link.start()
    assert link.follow(30).state == "caught up"
    return primary, replica


def test_the_replica_is_recognised_from_both_sides(pair):
    primary, replica = (answered(one, name) for one, name in zip(pair, ("db1", "db2"), strict=True))
    for server in (primary, replica):
        found = topology_of(server)
        assert [(node.name, node.role, node.state) for node in found.nodes] == [
            ("db1", "primary", "passed"), ("db2", "replica", "passed"),
        ]  # fmt: skip
        assert "follows db1, by GTID" in found.nodes[1].says and found.unread == ()
        assert {(one.crash, one.outcome) for one in found.statements} >= {
            ("host of db1 lost, db2 promoted", "may be lost"),
            ("power loss of db1 and db2, db2 promoted", "may be lost"),
            ("db2 restarts", "kept"),
            ("host of db1 lost, then db2 restarts", "may be lost"),
        }


def test_a_source_behind_a_proxy_is_recognised(pair):
    """The replica follows a local port that forwards to the primary."""
    primary, replica = pair
    with Wires() as wires:
        port = wires.join(primary.target.port, one_way_ms=0).port
        Link(primary, replica, port=port).start()
        assert Link(primary, replica, port=port).follow(30).state == "caught up"
        for server in [answered(one, name) for one, name in zip(pair, ("db1", "db2"), strict=True)]:
            (source,) = [peer for one in told().values() for peer in one.replication.sources]
            assert source.port == port != primary.target.port
            assert [(node.name, node.role) for node in topology_of(server).nodes] == [
                ("db1", "primary"),
                ("db2", "replica"),
            ]
    direct = Link(primary, replica)
    direct.start()
    assert direct.follow(30).state == "caught up"


def semi_sync(primary):
    """A replica is counted when its thread on the primary starts, a moment after it is connected."""
    with connect(primary.target) as connection:
        found = dict(ask.rows(connection, "SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_%'"))
    return {name: found[name] for name in SEMI_SYNC}


def test_semi_synchronous_replication_is_seen_with_the_wait_point_of_mariadb(pair):
    primary, replica = pair
    with connect(primary.target) as connection:
        ask.rows(connection, "SET GLOBAL rpl_semi_sync_master_enabled = ON, rpl_semi_sync_master_timeout = 3000")
    with connect(replica.target) as connection:
        for statement in (
            "SET GLOBAL rpl_semi_sync_slave_enabled = ON",
            "STOP SLAVE IO_THREAD",
            "START SLAVE IO_THREAD",
        ):
            ask.rows(connection, statement)
    assert Link(primary, replica).follow(30).state == "caught up"
    assert until(lambda: semi_sync(primary) == SEMI_SYNC, 30, 0.01)
    first, _ = (answered(one, name) for one, name in zip(pair, ("db1", "db2"), strict=True))
    lost = next(one for one in topology_of(first).statements if one.crash == "host of db1 lost, db2 promoted")
    assert lost.outcome == "kept" and "after 3.0 s" in lost.says and "read commits that are then gone" in lost.says


def test_a_replica_that_is_not_registered_stands_there_as_unknown(pair):
    found = topology_of(answered(pair[0], "db1"))
    (other,) = [node for node in found.nodes if node.server is None]
    assert "server_id 72" in other.name and other.state == "unknown"
    assert {one.outcome for one in found.statements if "power loss" in one.crash} == {"unknown"}


def test_an_account_with_few_privileges_leaves_the_topology_unknown(pair):
    with connect(pair[0].target) as connection:
        ask.rows(connection, "CREATE USER 'few'@'%' IDENTIFIED BY 'few-Pass-1'")
        ask.rows(connection, "CREATE USER 'few'@'localhost' IDENTIFIED BY 'few-Pass-1'")
    few = replace(pair[0].target, user="few", password="few-Pass-1")
    found = topology_of(answered(pair[0], "db1", target=few))
    assert len(found.unread) == 2 and all("SLAVE" in why for why in found.unread)
    assert [node.name for node in found.nodes] == ["db1"] and found.statements == ()


def test_a_server_of_its_own_has_no_topology(sandbox):
    assert topology_of(answered(sandbox, "alone")) is None
