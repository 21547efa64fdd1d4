"""Which registered servers belong together, and what a crash of several of them can lose."""

from dataclasses import asdict

import pytest
from django.urls import reverse

from dashboard.findings.attached.known import told as known
from dashboard.findings.attached.links import joined
from dashboard.findings.attached.topology import failovers_of, topology_of
from dashboard.findings.attached.unregistered import unregistered
from dashboard.records.servers.models import Preflight
from tests.markup import flat
from tests.unit.results import factory
from workers.servers.replication import Peer, Replication

pytestmark = pytest.mark.django_db
DURABLE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "sync_relay_log": "10000"}
SEMI_SYNC = {"rpl_semi_sync_source_enabled": "ON", "rpl_semi_sync_source_status": "ON",
             "rpl_semi_sync_source_clients": "1", "rpl_semi_sync_source_wait_point": "AFTER_SYNC",
             "rpl_semi_sync_source_timeout": "10000"}  # fmt: skip


def registered(name, number, flavour="mariadb", *, sources=(), replicas=(), members=(), unread=(), **values):
    server = factory.server(name, host=name)
    said = Replication(number, 3306, sources, replicas, members, {**DURABLE, "hostname": name, **values}, unread)
    facts = {"flavour": flavour, "version_text": "x", "settings": {}, "replication": asdict(said)}
    Preflight.objects.create(server=server, state="done", facts=facts)
    return server


def follows(host, number, **known):
    return (Peer(host, 3306, number, state="follows", by_gtid=True, **known),)


def outcomes(server):
    return {one.crash: (one.outcome, one.says) for one in topology_of(server).statements}


def test_a_pair_is_known_by_number_port_and_host():
    source, replica = registered("db1", 1), registered("db2", 2, sources=follows("db1", 1))
    assert [node.name for node in topology_of(source).nodes] == ["db1", "db2"] == [
        node.name for node in topology_of(replica).nodes
    ]  # fmt: skip


@pytest.mark.parametrize(("is_open", "outcome"), [("ON", "kept"), ("OFF", "may be lost")])
def test_a_source_that_closed_its_binary_log_sends_nothing_more(is_open, outcome):
    """Its semi-synchronous replication goes on telling that it is on."""
    source = registered("db1", 1, **SEMI_SYNC, rpl_semi_sync_source_no_tx="0", binlog_open=is_open)
    registered("db2", 2, sources=follows("db1", 1))
    found, says = outcomes(source)["host of db1 lost, db2 promoted"]
    assert found == outcome and ("closed its binary log" in says) is (is_open == "OFF")


def test_the_same_number_on_another_host_is_another_server():
    stranger = registered("db9", 1)
    replica = registered("db2", 2, sources=follows("db1", 1))
    assert topology_of(stranger) is None
    assert [(node.name, node.state) for node in topology_of(replica).nodes] == [
        ("db1:3306", "unknown"),
        ("db2", "passed"),
    ]


def test_a_uuid_decides_whatever_the_address():
    registered("db1", 1, "mysql", server_uuid="aa")
    wrong = registered("10.0.0.9", 1, "mysql", server_uuid="bb")
    replica = registered("db2", 2, "mysql", sources=follows("10.0.0.9", 1, uuid="aa"), server_uuid="cc")
    assert {node.name for node in topology_of(replica).nodes} == {"db1", "db2"} and topology_of(wrong) is None


@pytest.mark.parametrize(
    ("named", "twins", "known"),
    [
        ((Peer("", 3306, 2),), 0, True),
        ((Peer("db2", 3306, 2),), 0, True),
        ((Peer("db7", 3306, 2),), 0, False),  # the source names a replica of these ids on another host
        ((Peer("", 3306, 3),), 0, False),
        ((), 0, False),
        ((Peer("", 3306, 2),), 1, False),  # another registered server has the replica's ids
    ],
)
def test_behind_a_proxy_both_servers_must_name_each_other(named, twins, known):
    registered("db1", 1, replicas=named)
    replica = registered("db2", 2, sources=follows("proxy", 1))
    for _ in range(twins):
        registered("db8", 2)
    sources = [node.name for node in topology_of(replica).nodes if node.role == "primary"]
    assert ("db1" in sources) is known and ("proxy:3306" in sources) is not known


def test_semi_synchronous_replication_keeps_and_its_fallback_does_not():
    source = registered("db1", 1, **SEMI_SYNC)
    registered("db2", 2, sources=follows("db1", 1))
    outcome, says = outcomes(source)["host of db1 lost, db2 promoted"]
    assert outcome == "kept" and "asynchronously after 10" in says
    outcome, says = outcomes(source)["power loss of db1 and db2, db2 promoted"]
    assert outcome == "may be lost" and "sync_relay_log=10000" in says and "db1 keeps its commits" in says
    fallen = registered("db3", 3, **{**SEMI_SYNC, "rpl_semi_sync_source_status": "OFF"})
    registered("db4", 4, sources=follows("db3", 3))
    outcome, says = outcomes(fallen)["host of db3 lost, db4 promoted"]
    assert outcome == "may be lost" and "fallen back" in says


def test_a_source_that_flushes_at_each_commit_in_mariadbs_other_way_keeps_its_commits():
    source = registered("db1", 1, innodb_flush_log_at_trx_commit="3")
    registered("db2", 2, sources=follows("db1", 1))
    assert "db1 keeps its commits (3/1)" in outcomes(source)["power loss of db1 and db2, db2 promoted"][1]


@pytest.mark.parametrize(
    ("here", "replica", "outcome", "why"),
    [
        ({}, {}, "may be lost", "1 of 2 replicas received each acknowledged commit, which need not be db2"),
        ({"rpl_semi_sync_source_wait_for_replica_count": "2"}, {}, "kept", "db2 has received"),
        ({"rpl_semi_sync_source_clients": "1"}, {}, "kept", "db2 has received"),
        ({"rpl_semi_sync_source_clients": "1"}, {"rpl_semi_sync_replica_status": "OFF"}, "may be lost", "is off"),
        ({"rpl_semi_sync_source_clients": "1"}, {"rpl_semi_sync_replica_status": ""}, "may be lost", "1 of 2 replicas"),
    ],
)
def test_an_acknowledgement_of_one_of_two_replicas_need_not_be_that_of_the_promoted_one(here, replica, outcome, why):
    source = registered("db1", 1, **SEMI_SYNC | {"rpl_semi_sync_source_clients": "2"} | here)
    registered("db2", 2, sources=follows("db1", 1), **{"rpl_semi_sync_replica_status": "ON"} | replica)
    registered("db3", 3, sources=follows("db1", 1))
    found, says = outcomes(source)["host of db1 lost, db2 promoted"]
    assert (found, why in says) == (outcome, True)


def test_replicas_that_are_not_registered_may_be_those_that_answered():
    source = registered("db1", 1, **SEMI_SYNC | {"rpl_semi_sync_source_clients": "2"})
    registered("db2", 2, sources=follows("db1", 1))
    found, says = outcomes(source)["host of db1 lost, db2 promoted"]
    assert found == "may be lost" and says.startswith("1 of 2 replicas received each acknowledged commit")


UNREAD = "The state of semi-synchronous replication on db1 could not be read."


@pytest.mark.parametrize(
    "said",
    [
        {"rpl_semi_sync_source_status": "", "rpl_semi_sync_source_clients": ""},  # SHOW GLOBAL STATUS failed
        {"rpl_semi_sync_source_status": "perhaps"},
        *(
            {f"rpl_semi_sync_source_{name}": text}
            for name in ("clients", "timeout", "wait_for_replica_count")
            for text in ("many", "", "10.5", "-1", "1" * 5000)
        ),
    ],
)
def test_semi_synchronous_replication_that_was_not_read_is_unknown_and_no_loss(said):
    source = registered("db1", 1, **SEMI_SYNC | said)
    registered("db2", 2, sources=follows("db1", 1), rpl_semi_sync_replica_status="ON")
    assert outcomes(source)["host of db1 lost, db2 promoted"] == ("unknown", UNREAD)


def test_semi_synchronous_replication_that_is_off_by_its_setting_needs_no_status():
    source = registered("db1", 1, rpl_semi_sync_source_enabled="OFF", unread=("SHOW GLOBAL STATUS: refused",))
    registered("db2", 2, sources=follows("db1", 1))
    outcome, says = outcomes(source)["host of db1 lost, db2 promoted"]
    assert outcome == "may be lost" and says.endswith("replication is asynchronous.")


def test_a_replica_that_does_not_follow_keeps_nothing():
    source = registered("db1", 1, **SEMI_SYNC)
    registered("db2", 2, sources=(Peer("db1", 3306, 1, state="does not follow", error="1045", by_gtid=True),))
    found, says = outcomes(source)["host of db1 lost, db2 promoted"]
    assert found == "may be lost" and "does not follow db1 now" in says


def test_mysql_by_gtid_loses_rows_only_when_its_engine_flushes_less():
    registered("db1", 1, "mysql")
    good = registered("db2", 2, "mysql", sources=follows("db1", 1), relay_log_recovery="ON")
    bad = registered("db3", 3, "mysql", sources=follows("db1", 1), **{"innodb_flush_log_at_trx_commit": "2"})
    assert "power loss of db2" not in outcomes(good) and "without an error" in outcomes(bad)["power loss of db3"][1]
    assert "relay_log_recovery=ON" in outcomes(good)["db2 restarts"][1]
    assert outcomes(bad)["db3 restarts"][0] == "unknown"
    off = registered("db4", 4, "mysql", sources=follows("db1", 1), relay_log_recovery="OFF")
    assert outcomes(off)["db4 restarts"][0] == "kept"


@pytest.mark.parametrize(
    ("flavour", "recovery", "told"),
    [("mariadb", "OFF", True), ("mariadb", "ON", True), ("mysql", "ON", True), ("mysql", "OFF", False)],
)
def test_a_restart_of_the_replica_alone_loses_nothing(flavour, recovery, told):
    """It fetches again what it drops. Only without its source that is lost."""
    registered("db1", 1, flavour)
    replica = registered("db2", 2, flavour, sources=follows("db1", 1), relay_log_recovery=recovery)
    found = outcomes(replica)
    assert found["db2 restarts"][0] == "kept"
    alone = found.get("host of db1 lost, then db2 restarts")
    assert alone is None if not told else alone[0] == "may be lost"
    mine = {one.crash: one.outcome for one in failovers_of(replica.pk, joined(known()))}
    assert set(mine.values()) == {"kept"}, "an audit of the replica has nothing to change"


def test_what_a_replica_dropped_may_be_gone_if_it_does_not_follow():
    registered("db1", 1)
    away = registered("db2", 2, sources=(Peer("db1", 3306, 1, state="does not follow", by_gtid=True),))
    assert outcomes(away)["db2 restarts"][0] == "unknown"


PARALLEL = {"innodb_flush_log_at_trx_commit": "0", "replica_parallel_threads": "16", "log_replica_updates": "ON",
            "gtid_strict_mode": "OFF"}  # fmt: skip


@pytest.mark.parametrize(
    "but",
    [
        {"replica_parallel_threads": "0"}, {"log_replica_updates": "OFF"}, {"gtid_strict_mode": "ON"},
        {"innodb_flush_log_at_trx_commit": "2"},
    ],
)  # fmt: skip
def test_parallel_threads_of_mariadb_that_do_not_flush_may_leave_gaps(but):
    registered("db1", 1)
    bad = registered("db2", 2, sources=follows("db1", 1), **PARALLEL)
    good = registered("db3", 3, sources=follows("db1", 1), **PARALLEL | but)
    assert outcomes(bad)["db2 is killed"][0] == "may be lost" and "db3 is killed" not in outcomes(good)


def test_a_replica_that_stopped_is_marked_with_its_error():
    registered("db1", 1)
    stopped = (Peer("db1", 3306, 1, state="does not follow", error="1062 Duplicate entry"),)
    node = topology_of(registered("db2", 2, sources=stopped)).nodes[1]
    assert node.state == "warned" and "1062" in node.says


@pytest.mark.parametrize(
    ("flush", "size", "killed", "power"),
    [
        ("1", "2", "kept", "kept"), ("2", "2", "kept", "may be lost"), ("0", "2", "may be lost", "may be lost"),
        ("1", "3", "unknown", "unknown"), ("3", "2", "kept", "kept"), ("", "2", "unknown", "unknown"),
    ],
)  # fmt: skip
def test_a_galera_cluster_is_known_by_its_uuid(flush, size, killed, power):
    both = {"wsrep_cluster_state_uuid": "u", "wsrep_cluster_size": size, "innodb_flush_log_at_trx_commit": flush}
    first = registered("db1", 1, **both)
    registered("db2", 2, **both)
    registered("db3", 3, wsrep_cluster_state_uuid="00000000-0000-0000-0000-000000000000")
    assert [node.name for node in topology_of(first).nodes] == ["db1", "db2"]
    assert outcomes(first)["all Galera nodes are killed"][0] == killed
    assert outcomes(first)["all Galera nodes lose power"][0] == power
    assert outcomes(first)["host of one Galera node lost"][0] == "kept"


def test_a_galera_node_that_is_not_registered_stands_there_by_its_address():
    both = {"wsrep_cluster_state_uuid": "u", "wsrep_cluster_size": "3", "wsrep_cluster_status": "Primary",
            "wsrep_incoming_addresses": "db1:3306,db2:3306,db7:3306,,AUTO"}  # fmt: skip
    first = registered("db1", 1, **both)
    registered("db2", 2, **{**both, "wsrep_cluster_status": "non-Primary"})
    nodes = [(node.name, node.state) for node in topology_of(first).nodes]
    assert nodes == [("db1", "passed"), ("db2", "warned"), ("db7:3306", "unknown")]


def test_a_galera_node_may_name_any_port():
    address = f"db7:{'1' * 200}"
    both = {"wsrep_cluster_state_uuid": "u", "wsrep_cluster_size": "2", "wsrep_incoming_addresses": address}
    first = registered("db1", 1, **both)
    assert {node.name for node in topology_of(first).nodes} == {"db1", address}
    assert [(one.host, one.port) for one in unregistered(known())] == [("db7", "")]


GROUP = (
    Peer("db1", 3306, uuid="aa", state="ONLINE", role="primary"),
    Peer("db7", 3306, uuid="gg", state="RECOVERING", role="secondary"),
)
IN_MEMORY = {"group_replication_consistency": "EVENTUAL"}
DISK_GONE = "all members lose power, and the primary's disk does not come back"


def test_members_of_a_group_are_known_by_their_uuid():
    first = registered("db1", 1, "mysql", members=GROUP, server_uuid="aa", **IN_MEMORY)
    nodes = [(node.name, node.role, node.state) for node in topology_of(first).nodes]
    assert nodes == [("db1", "primary", "passed"), ("db7:3306", "secondary", "unknown")]
    assert outcomes(first)["all members lose power"][0] == "unknown", "db7 is not registered"
    assert outcomes(first)["host of one member lost"][0] == "kept"
    other = registered("db7", 2, "mysql", members=GROUP, server_uuid="gg", **IN_MEMORY)
    assert [node.state for node in topology_of(other).nodes] == ["passed", "warned"]
    assert outcomes(first)["all members lose power"][0] == "kept"


@pytest.mark.parametrize(
    ("level", "flush", "outcome"),
    [("EVENTUAL", "1", "may be lost"), ("AFTER", "1", "kept"), ("AFTER", "2", "may be lost"), ("", "1", "unknown")],
)
def test_a_group_keeps_without_the_primarys_disk_what_others_had_applied(level, flush, outcome):
    own = {"group_replication_consistency": level, "innodb_flush_log_at_trx_commit": flush}
    first = registered("db1", 1, "mysql", members=GROUP, server_uuid="aa", **own)
    registered("db7", 2, "mysql", members=GROUP, server_uuid="gg", **own)
    assert outcomes(first)[DISK_GONE][0] == outcome


def test_a_member_that_joined_is_no_replica_of_the_one_that_let_it_in():
    """SHOW REPLICAS names it for as long as the channel of its recovery is open."""
    named = (Peer("db7", 3306, 2, uuid="gg"), Peer("db8", 3306, 3, uuid="hh"))
    first = registered("db1", 1, "mysql", members=GROUP, replicas=named, server_uuid="aa", **IN_MEMORY)
    registered("db7", 2, "mysql", members=GROUP, server_uuid="gg", sources=follows("db1", 1, uuid="aa"), **IN_MEMORY)
    roles = {node.name: node.role for node in topology_of(first).nodes}
    assert roles == {"db1": "primary", "db7": "secondary", "db8:3306 (server_id 3)": "replica"}
    assert not any("db7 promoted" in crash for crash in outcomes(first))


def test_an_unreadable_part_of_the_topology_is_listed_on_the_page(client_in):
    server = registered("db1", 1, sources=None, unread=("SHOW ALL SLAVES STATUS: access denied",))
    page = flat(client_in.get(reverse("servers:detail", args=[server.pk])).content.decode())
    assert "parts of the topology are unknown" in page and "db1: SHOW ALL SLAVES STATUS: access denied" in page


def test_a_server_that_was_tested_by_an_earlier_version_has_no_topology():
    server = factory.server("old", host="old")
    Preflight.objects.create(server=server, state="done", facts={"flavour": "mysql"})
    assert topology_of(server) is None
