"""Group Replication: settings of its members, and what is refused."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.errors import ServerError, Unreachable
from workers.sandbox import builds
from workers.sandbox.options import check
from workers.topology.ground import Ground
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds import group_replication as group
from workers.topology.topology import Topology

GROUP = TOPOLOGY_KINDS["group-replication"]
PLACES = ["127.0.0.1:33061", "127.0.0.1:33062", "127.0.0.1:33063"]


@pytest.fixture
def build(tmp_path):
    def made(flavour="mysql", version=(8, 0, 33), plugin=group.PLUGIN):
        (tmp_path / plugin).touch()
        layout = SimpleNamespace(plugin_dir=tmp_path)
        return SimpleNamespace(flavour=flavour, version=version, title=f"{flavour} {version}", layout=layout)

    return made


def three(**given):
    return Topology("group-replication", replicas=2, **given)


def test_members_share_name_and_seeds_and_follow_the_topology():
    settings = group._of_group(three(consistency="AFTER", expel_timeout_s=0), PLACES)
    assert settings["loose_group_replication_group_seeds"] == ",".join(PLACES)
    assert settings["loose_group_replication_consistency"] == "AFTER"
    assert settings["loose_group_replication_member_expel_timeout"] == "0"
    assert settings["loose_group_replication_paxos_single_leader"] == "OFF"
    single = group._of_group(three(single_leader=True), PLACES)
    assert single["loose_group_replication_paxos_single_leader"] == "ON"
    assert group._of_group(three(), PLACES) != group._of_group(three(), PLACES)  # another name for each group


def test_settings_of_group_replication_can_stand_in_an_option_file():
    check({**group.EVERYWHERE, **group._of_group(three(), PLACES)})


def test_every_variable_of_the_plugin_is_loose():
    """The variables exist only after the plugin was loaded."""
    names = [name for name in (*group.EVERYWHERE, *group._of_group(three(), PLACES)) if "group_replication" in name]
    assert len(names) > 8 and all(name.startswith("loose_") for name in names)


@pytest.mark.parametrize(
    ("server", "topology", "why"),
    [
        ({"flavour": "mariadb", "version": (10, 11, 19)}, three(), "needs MySQL 8.0.27"),
        ({"version": (5, 7, 30)}, three(), "needs MySQL 8.0.27"),
        ({}, three(expel_timeout_s=-1), "expel timeout of -1 s"),
        ({}, three(expel_timeout_s=3601), "0 to 3600"),
        ({}, three(writers="each"), "one primary"),
        ({}, three(one_replica={1: {"log_bin": "0"}}), "leave log_bin out"),
        ({}, three(replica_settings={"log_replica_updates": "OFF"}), "leave log_replica_updates out"),
    ],
)
def test_an_impossible_group_is_refused_with_the_reason(build, server, topology, why):
    found = GROUP.problems(topology, build(**server))
    assert len(found) == 1 and why in found[0]


def test_a_member_of_another_build_begins_with_data_of_that_build(build, monkeypatch):
    first, newer = build(), build(version=(9, 7, 4))
    monkeypatch.setattr(builds, "find", {"newer": newer}.get)
    topology = three(replica_build="newer", one_replica={2: {"sync_binlog": "0"}})
    plans = GROUP.plans(Ground(Path("/"), first, topology, {"sync_binlog": "1"}, image="of 8.0.33"))
    assert [(plan.build, plan.image) for plan in plans] == [(first, "of 8.0.33"), (newer, ""), (newer, "")]
    assert [plan.settings["sync_binlog"] for plan in plans] == ["1", "1", "0"]


def test_a_build_without_the_plugin_lacks_it(build):
    assert "comes without group_replication.so" in GROUP.lacks(build(plugin="other.so"))
    assert GROUP.lacks(build()) == ""


@pytest.mark.parametrize("expel_timeout_s", [0, 5, 3600])
def test_a_possible_group_is_not_refused(build, expel_timeout_s):
    assert GROUP.problems(three(expel_timeout_s=expel_timeout_s), build()) == []


def test_a_member_with_a_part_of_a_transaction_in_its_relay_log_is_waited_for(monkeypatch):
    """Its applier waits 60 s for the rest before it stops."""
    known = SimpleNamespace(answer_s=0.0, lost=False)

    def connect(target, answer_s=60.0):
        known.answer_s = answer_s
        return nullcontext()

    def rows(connection, sql, args=()):
        if sql.startswith("STOP REPLICA") and known.answer_s <= 60:
            known.lost = True
            raise Unreachable("no answer within 60 s")

    def text(connection, sql):
        if known.lost:
            raise ServerError("the connection was lost")
        return "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-7"

    monkeypatch.setattr(group, "connect", connect)
    monkeypatch.setattr(group.ask, "rows", rows)
    monkeypatch.setattr(group.ask, "text", text)
    monkeypatch.setattr(group.ask, "value", lambda connection, sql: 1)
    node = SimpleNamespace(name="node 1", restart=lambda more: None, sandbox=SimpleNamespace(target=None, running=True))
    assert GROUP.revive(node).order == 7
