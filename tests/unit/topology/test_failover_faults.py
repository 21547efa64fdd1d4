"""In which order a fault acts on the nodes and their network."""

from types import SimpleNamespace

import pytest

from workers.host import until
from workers.topology.faults import FAULTS, FaultScene, named, refusal
from workers.topology.topology import Topology


@pytest.fixture
def struck(monkeypatch):
    """`struck(fault, acknowledged)`: what it did, in order; the counts that clients know, one after the other."""

    def done_by(fault, acknowledged=(), nodes=1):
        done, counts = [], list(acknowledged)
        monkeypatch.setattr(until.time, "sleep", lambda seconds: done.append("wait"))
        sandbox = SimpleNamespace(
            freeze=lambda: done.append("freeze"), kill=lambda: done.append("kill"), go_on=lambda: done.append("go on")
        )
        wire = SimpleNamespace(partition=lambda: done.append("partition"), cut=lambda: done.append("cut"))
        scene = FaultScene(
            [SimpleNamespace(sandbox=sandbox, number=number) for number in range(nodes)],
            lambda node: (wire,), lambda: done.append("hear"), lambda: counts.pop(0), 0.05, lambda name: None,
            lambda seconds, act: (done.append(seconds), act()), 7.0,
        )  # fmt: skip
        FAULTS[fault].strike(scene)
        return done

    return done_by


def test_a_lost_host_is_silent_before_it_is_frozen(struck):
    assert struck("primary-host-loss") == ["partition", "freeze", "hear", "cut", "kill"]


def test_the_control_acknowledges_a_commit_that_nobody_receives(struck):
    """Else a flush that takes longer than the delay would leave nothing to lose."""
    done = struck("asynchronous-link", [7, 7, 7, 8])
    assert done == ["partition", "wait", "wait", "freeze", "hear", "cut", "kill"]


def test_the_control_does_not_wait_for_ever(struck, monkeypatch):
    monkeypatch.setattr(named, "ONE_MORE_S", 0.0)
    assert struck("asynchronous-link", [7, 7]) == ["partition", "freeze", "hear", "cut", "kill"]


def test_a_paused_node_goes_on_after_the_pause(struck):
    assert struck("primary-pause") == ["freeze", 7.0, "go on"]


def test_several_nodes_die_at_one_moment(struck):
    assert struck("kill:replica1+replica2", nodes=3) == ["freeze", "freeze", "kill", "kill"]


def test_hosts_are_silent_before_they_are_frozen(struck):
    done = struck("host-loss:replica1+replica2", nodes=3)
    assert done == ["partition"] * 2 + ["freeze"] * 2 + ["cut"] * 2 + ["kill"] * 2


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (
            "flood:primary",
            "Write a fault (kill, host-loss, permanent-loss, ",
        ),
        ("kill:", "for example kill:primary+replica1"),
        ("kill:replica9", "'replica9' is no node"),
        ("kill:primary+primary", "named twice"),
        ("kill:replica1+primary", "Write kill:primary+replica1"),
        ("pause:primary", "Write primary-pause"),
        ("partition:primary", "Write partition: each fault has one name"),
    ],
)
def test_a_wrong_set_of_nodes_is_refused_with_the_reason(key, why):
    assert why in refusal(key) and key not in FAULTS


def test_a_set_of_nodes_knows_what_it_strikes():
    fault = FAULTS["power-loss:primary+replica2"]
    assert [fault.strikes(node) for node in range(4)] == [True, False, True, False]
    assert fault.title == "Power loss of primary and replica 2" and fault.primary_down and not fault.of_replica
    assert FAULTS["kill:replica2+replica3"].judged == 2 and FAULTS["kill:replica2"].of_replica


def test_a_parted_set_still_hears_itself():
    parted = []

    def wire(*ends):
        return SimpleNamespace(ends=ends, partition=lambda: parted.append(ends))

    wires = [wire(0, 1), wire(0, 2), wire(1, 2)]
    scene = FaultScene(
        range(3), lambda node: [one for one in wires if node in one.ends], None, None, 0.0, lambda name: None, None, 0.0
    )
    FAULTS["partition:primary+replica1"].strike(scene)
    assert parted == [(0, 2), (1, 2)]


def test_a_lost_disk_and_a_partition_are_told_apart_from_a_crash():
    lost, parted = FAULTS["permanent-loss:replica1"], FAULTS["partition:replica1"]
    assert lost.for_good and lost.ends(1) and lost.spares_primary and not lost.of_replica and lost.judged == 0
    assert parted.comes_back and not parted.ends(1) and parted.of_replica and parted.judged == 1
    assert not FAULTS["partition:primary+replica1"].primary_down


@pytest.mark.parametrize(
    ("key", "topology", "why"),
    [
        ("permanent-loss:primary", Topology(policy_key="old-rebuilt"), "does not come back: leave policy=old-rebuilt"),
        ("permanent-loss:primary", Topology(policy_key="in-place"), "does not come back: leave policy=in-place out"),
        ("partition:primary+replica1", Topology("galera", replicas=2), "the smaller side is named"),
        ("partition:replica1+replica2", Topology("galera", replicas=3), "the smaller side is named"),
        ("partition:primary+replica1", Topology(), "no node is left. Leave one out"),
        ("kill:primary+replica2", Topology(), "has no replica 2, only 1 node beside the first one"),
        ("kill:primary+replica1", Topology(), "no node is left. Choose total-kill"),
        ("pause:primary+replica1", Topology(), "no node is left. Leave one out"),
    ],
)
def test_a_set_without_its_nodes_or_without_a_survivor_is_refused(key, topology, why):
    assert why in FAULTS[key].misfits(topology)[0]
    assert FAULTS[key].misfits(Topology(replicas=2)) == []
