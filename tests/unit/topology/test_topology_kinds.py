"""Settings of nodes by kind of replication, and topologies that cannot be."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from workers.errors import PlanError
from workers.topology.faults import FAULTS
from workers.topology.kinds import TOPOLOGY_KINDS, impossible, kind, require_topology
from workers.topology.kinds.following import position
from workers.topology.topology import Topology, parse


def build(flavour, *version):
    return SimpleNamespace(flavour=flavour, version=version, title=f"{flavour} {version}")


NO_PLUGINS = SimpleNamespace(plugin_dir=None)
MARIADB, OLD_MARIADB = build("mariadb", 10, 11, 19), build("mariadb", 10, 1, 23)
MYSQL_56, MYSQL_57, MYSQL_80, MYSQL_97 = (
    build("mysql", 5, 6, 14), build("mysql", 5, 7, 30), build("mysql", 8, 0, 33), build("mysql", 9, 7, 4),
)  # fmt: skip
SEMI = TOPOLOGY_KINDS["semi-sync"]
ASYNC = TOPOLOGY_KINDS["async"]


def test_each_kind_is_under_its_key():
    assert {key: kind.key for key, kind in TOPOLOGY_KINDS.items()} == {key: key for key in TOPOLOGY_KINDS}


def test_an_asynchronous_node_needs_nothing_more():
    assert ASYNC.settings(Topology(), MARIADB, "primary") == {} and ASYNC.lines(MYSQL_80) == ()


@pytest.mark.parametrize(
    ("server", "source", "replica", "plugins"),
    [
        (MARIADB, "master", "slave", ()),
        (OLD_MARIADB, "master", "slave", ("semisync_master.so", "semisync_slave.so")),
        (MYSQL_57, "master", "slave", ("semisync_master.so", "semisync_slave.so")),
        (MYSQL_80, "source", "replica", ("semisync_source.so", "semisync_replica.so")),
    ],
)
def test_the_names_follow_the_version(server, source, replica, plugins):
    topology = Topology("semi-sync", timeout_ms=5000, wait_point="AFTER_COMMIT")
    assert SEMI.settings(topology, server, "primary") == {
        f"loose_rpl_semi_sync_{source}_enabled": "ON",
        f"loose_rpl_semi_sync_{source}_timeout": "5000",
        f"loose_rpl_semi_sync_{source}_wait_point": "AFTER_COMMIT",
    }
    assert SEMI.settings(topology, server, "replica") == {f"loose_rpl_semi_sync_{replica}_enabled": "ON"}
    assert SEMI.lines(server) == tuple(f"plugin_load_add={plugin}" for plugin in plugins)


def test_several_acknowledgements_have_a_setting():
    settings = SEMI.settings(Topology("semi-sync", replicas=2, acknowledgements=2), MYSQL_80, "primary")
    assert settings["loose_rpl_semi_sync_source_wait_for_replica_count"] == "2"
    older = SEMI.settings(Topology("semi-sync", replicas=2, acknowledgements=2), MYSQL_57, "primary")
    assert older["loose_rpl_semi_sync_master_wait_for_slave_count"] == "2"


@pytest.mark.parametrize(
    ("topology", "server", "why"),
    [
        (Topology("semi-sync", timeout_ms=0), MARIADB, "timeout is 0"),
        (Topology("semi-sync", acknowledgements=3), MYSQL_80, "3 acknowledgements need as many replicas"),
        (Topology("semi-sync", replicas=2, acknowledgements=2), MARIADB, "one acknowledgement only"),
        (Topology("semi-sync", replicas=2, acknowledgements=2), MYSQL_56, "one acknowledgement only"),
        (Topology("semi-sync"), MYSQL_56, "AFTER_COMMIT only"),
        (Topology("semi-sync", position="table"), MARIADB, "in a file only"),
        (Topology("semi-sync", position="file"), MYSQL_97, "in a table only"),
    ],
)
def test_an_impossible_topology_is_refused_with_the_reason(topology, server, why):
    assert any(why in said for said in SEMI.problems(topology, server))


@pytest.mark.parametrize(
    ("server", "there", "lacks"),
    [
        (MARIADB, (), ""),
        (OLD_MARIADB, (), "comes without semisync_master.so and semisync_slave.so"),
        (OLD_MARIADB, ("semisync_master.so", "semisync_slave.so"), ""),
        (MYSQL_80, ("semisync_source.so",), "comes without semisync_replica.so"),
    ],
)
def test_a_build_without_the_plugins_of_semi_sync_lacks_them(tmp_path, server, there, lacks):
    for name in there:
        (tmp_path / name).touch()
    with_layout = SimpleNamespace(**vars(server), layout=SimpleNamespace(plugin_dir=tmp_path))
    assert lacks in SEMI.lacks(with_layout) and bool(SEMI.lacks(with_layout)) == bool(lacks)
    assert ASYNC.lacks(with_layout) == ""


def test_a_setting_of_a_replica_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(kind, "not_here", lambda *given: [])
    absent = Topology("async", one_replica={2: {"sync_binlog": "0"}})
    assert impossible(ASYNC, absent, MARIADB, FAULTS["primary-kill"]) == [
        "replica2.sync_binlog: the topology has no replica 2, only 1."
    ]
    assert impossible(ASYNC, replace(absent, replicas=2), MARIADB, FAULTS["primary-kill"]) == []


def test_a_topology_that_cannot_be_formed_here_is_refused_before_the_start(monkeypatch):
    with pytest.raises(PlanError, match=r"cannot be formed on this host\. The timeout is 0") as refused:
        require_topology("box", "semi-sync+timeout=0ms", SimpleNamespace(**vars(MARIADB), layout=NO_PLUGINS))
    assert refused.value.fix.startswith("Nothing was started.")
    monkeypatch.setitem(kind.NODE_MIB, "mariadb", 10**9)
    with pytest.raises(PlanError, match="2 nodes of 1000000000 MiB each need 2000000000 MiB of memory, and"):
        require_topology("box", "async", MARIADB)


@pytest.mark.parametrize(
    ("notation", "server", "parts"),
    [
        ("async+both-halves", MARIADB, ["both-halves"]),
        ("async+consistency=AFTER+writers=each", MARIADB, ["writers", "consistency"]),
        ("semi-sync+wait=AFTER_COMMIT+timeout=1s+both-halves", MARIADB, []),
        ("semi-sync+expel=0s", MARIADB, ["expel"]),
        ("galera+acks=2+wait=AFTER_COMMIT+timeout=1s+both-halves", MARIADB, ["wait", "acks", "timeout", "both-halves"]),
        ("galera+writers=each", MARIADB, []),
        ("group-replication+consistency=AFTER+expel=0s", MYSQL_80, []),
        ("group-replication+acks=2", MYSQL_80, ["acks"]),
    ],
)
def test_a_part_without_a_meaning_for_its_kind_is_refused(notation, server, parts):
    topology = parse(notation)
    said = kind.contradictions(TOPOLOGY_KINDS[topology.kind], topology, server)
    assert [why.split(" has no meaning")[0] for why in said] == parts


@pytest.mark.parametrize(
    ("flavour", "version", "known"),
    [
        ("mariadb", (10, 6, 19), True), ("mariadb", (10, 6, 18), False), ("mariadb", (10, 11, 5), False),
        ("mariadb", (10, 11, 19), True), ("mariadb", (11, 4, 5), True), ("mariadb", (11, 8, 1), True),
        ("mariadb", (10, 5, 30), False), ("mysql", (9, 7, 4), False),
    ],
)  # fmt: skip
def test_a_server_without_init_rpl_role_cannot_come_back_by_it(flavour, version, known):
    server, old = kind.KnownServer("a build", flavour, version), Topology(policy_key="old-as-replica")
    assert [*ASYNC.problems(old, server), *ASYNC.problems(Topology(), server)] == (
        []
        if known
        else ["a build does not know init_rpl_role, as MariaDB 10.6.19 and 10.11.9 do: take another policy."]
    )


def test_semi_sync_has_both_plugins_on_at_the_primary_only():
    topology = Topology("semi-sync", both_halves=True)
    assert SEMI.settings(topology, MARIADB, "primary")["loose_rpl_semi_sync_slave_enabled"] == "ON"
    assert SEMI.settings(topology, MARIADB, "replica") == {"loose_rpl_semi_sync_slave_enabled": "ON"}


def refused_faults(topology, why):
    return {key for key, one in FAULTS.items() if any(why in said for said in SEMI.misfits(topology, one))}


def test_a_replica_without_a_binlog_takes_over_nowhere():
    found = refused_faults(Topology("semi-sync", replica_settings={"log_bin": "off"}), "cannot take over")
    assert found == {key for key, one in FAULTS.items() if not one.spares_primary}
    assert not refused_faults(Topology("semi-sync", replica_settings={"log_bin": "ON"}), "cannot take over")
    assert refused_faults(Topology("semi-sync", one_replica={1: {"log_bin": "OFF"}}), "cannot take over") == found
    assert refused_faults(Topology("semi-sync", one_replica={1: {"log_bin": "NO"}}), "cannot take over") == found


def test_a_primary_that_lives_is_not_started_again():
    found = refused_faults(Topology("semi-sync", policy_key="in-place"), "must take the primary down")
    assert found == {"partition", "majority-lost", "primary-pause"}
    assert not refused_faults(Topology("semi-sync"), "must take the primary down")


def test_a_named_replica_must_be_there_and_stand():
    two, one = (Topology("semi-sync", replicas=number, policy_key="replica2") for number in (2, 1))
    assert "no replica 2" in SEMI.misfits(one, FAULTS["primary-kill"])[0]
    assert SEMI.misfits(two, FAULTS["primary-kill"]) == [] == SEMI.misfits(one, FAULTS["replica-kill"])
    assert "strikes that replica" in SEMI.misfits(two, FAULTS["kill:primary+replica2"])[0]
    assert SEMI.misfits(two, FAULTS["total-kill"]) == [], "all start again"


@pytest.mark.parametrize("server", [MARIADB, MYSQL_57, MYSQL_80, MYSQL_97])
def test_possible_topologies_are_not_refused(server):
    assert SEMI.problems(Topology("semi-sync"), server) == ASYNC.problems(Topology(), server) == []
    assert SEMI.problems(Topology("semi-sync", wait_point="AFTER_COMMIT"), MYSQL_56) == []


@pytest.mark.parametrize(
    ("place", "server", "settings"),
    [
        ("gtid", MYSQL_80, {}),
        ("file", MARIADB, {}),
        (
            "file", MYSQL_56,
            {"gtid_mode": "OFF", "enforce_gtid_consistency": "OFF", "master_info_repository": "FILE",
             "relay_log_info_repository": "FILE"},
        ),
        ("table", MYSQL_97, {"gtid_mode": "OFF", "enforce_gtid_consistency": "OFF"}),
    ],
)  # fmt: skip
def test_a_position_outside_of_gtids_has_its_settings(place, server, settings):
    topology = Topology(position=place)
    assert position.settings(topology, server) == settings and ASYNC.problems(topology, server) == []


def test_only_a_crashed_replica_can_have_another_position_than_gtids():
    tried = Topology(position="file")
    refused = {key for key, one in FAULTS.items() if impossible(ASYNC, tried, MARIADB, one)}
    assert refused == {key for key, one in FAULTS.items() if not one.spares_primary} and len(refused) < len(FAULTS)


def test_replicas_apply_in_a_switchover():
    assert FAULTS["switchover"].tried_on(Topology(applying=False)) == Topology()
