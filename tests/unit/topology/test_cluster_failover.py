"""Who takes over in a cluster, and which evidence is kept."""

from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import pytest

from workers.crash.evidence import ReplicaSeen, Seen, nothing
from workers.errors import SandboxError, ServerEnded, ServerError, Unreachable
from workers.topology.chain import Struck
from workers.topology.faults import FAULTS
from workers.topology.kinds.cluster import failover, rejoin
from workers.topology.kinds.cluster.membership import Position
from workers.topology.policy import POLICIES
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.takeover import REJOIN
from workers.topology.topology import Topology, parse

SEEN = Seen(nothing())


class Nodes:
    """Stands in for a kind: positions by name, a text is the node's reason not to start."""

    causal_read = "SET @x = 1"
    executed = ""

    def __init__(self, positions, members=(), refuses=None):
        self.positions, self.done, self.left = positions, [], list(members)
        self.refuses, self.positions_joined = refuses or {}, []

    def revive(self, node):
        position = self.positions[node.name]
        if isinstance(position, str):
            raise ServerEnded(position)
        return Position(position, f"uuid:{position}")

    def bootstrap(self, node, position):
        self.done.append(("bootstrap", node.name, position.text))

    def force(self, nodes):
        self.done.append(("force", *(node.name for node in nodes)))

    def join(self, node, position):
        self.done.append(("join", node.name))
        self.positions_joined.append(position)
        if error := self.refuses.get(node.name):
            raise error

    def wait_until_back(self, node, members):
        self.done.append(("wait", node.name, members))
        if error := self.refuses.get(node.name):
            raise error

    def members(self, connection):
        return self.left.pop(0)


def node(name, running=False):
    return SimpleNamespace(name=name, sandbox=SimpleNamespace(running=running, target=None, stop=lambda: None))


def standing(fault, nodes):
    return tuple(node for number, node in enumerate(nodes) if not FAULTS[fault].strikes(number))


RESTART = failover.RestartPorts(
    read=lambda node, secret: (SEEN, ()),
    first_to_accept=lambda struck, nodes: nodes[0],
    take_over=lambda struck, new, **known: SimpleNamespace(new=new, **known),
)
JOIN = rejoin.JoinPorts(
    members=lambda cluster, node: 0,
    read=lambda node, secret: (SEEN, ()),
    compared=lambda *given: ReplicaSeen(REJOIN, "caught up", given[-1], 0),
    refused=lambda node, state, error, secret: ReplicaSeen(REJOIN, state, error),
    returned=lambda **known: SimpleNamespace(**known),
)


def fail_over(struck, cluster):
    """A takeover gives back what it was called with."""
    return failover.fail_over(struck, cluster, RESTART)


def come_back(promoted, cluster, ports=JOIN):
    return rejoin.come_back(promoted, cluster, ports)


def struck(fault="total-kill", policy="careful"):
    nodes = [node(f"node {number}") for number in (1, 2, 3)]
    topology = Topology("galera", policy_key=policy)
    setup = FailoverSetup(root=Path("/"), build=object(), name="", topology=topology, settings={}, fault=fault, seed=1)
    ports = SimpleNamespace(clock=lambda: 5.0, sleep=lambda seconds: None)
    timeline = SimpleNamespace(step=lambda name: None, must_go_on=lambda: None)
    known = SimpleNamespace(
        setup=setup, fault=FAULTS[fault], nodes=nodes, primary=nodes[0], replicas=tuple(nodes[1:]), ports=ports,
        timeline=timeline, secret=b"", struck_at=1.0, standing=standing(fault, nodes), hear=lambda: None,
        pause_left_s=0.0, outlast_pause=lambda more_s: None, reached=[],
    )  # fmt: skip
    known.clients_reach = lambda *nodes: known.reached.extend(node.name for node in nodes)
    known.returning = Struck.returning.fget(known)
    return known


def test_the_most_advanced_node_is_bootstrapped():
    cluster = Nodes({"node 1": 441, "node 2": 490, "node 3": 485})
    down = struck()
    found = fail_over(down, cluster)
    assert found.new.name == "node 2" and cluster.done == [("bootstrap", "node 2", "uuid:490")]
    assert down.reached == [], "a node that is read by itself must not be written to"
    assert found.alone.keys() == {"node 1", "node 2", "node 3"}


def test_the_wrong_policy_always_bootstraps_the_first():
    cluster = Nodes({"node 1": 441, "node 2": 490, "node 3": 485})
    assert fail_over(struck(policy="first-replica"), cluster).new.name == "node 1"


def test_a_named_node_is_bootstrapped_whatever_the_others_hold():
    cluster = Nodes({"node 1": 441, "node 2": 490, "node 3": 485})
    assert fail_over(struck(policy="replica2"), cluster).new.name == "node 3"
    with pytest.raises(SandboxError, match="node 3, which the policy names, does not start again"):
        fail_over(struck(policy="replica2"), Nodes({"node 1": 4, "node 2": 4, "node 3": "torn page"}))


def test_a_first_node_whose_disk_is_gone_is_not_asked():
    cluster = Nodes({"node 2": 3, "node 3": 7})
    found = fail_over(struck(policy="old-away"), cluster)
    assert found.new.name == "node 3" and "node 1" not in found.alone


def test_a_node_that_does_not_start_is_named_and_another_one_is_taken():
    cluster = Nodes({"node 1": "torn page", "node 2": 0, "node 3": "torn page"})
    found = fail_over(struck(policy="first-replica"), cluster)
    assert found.new.name == "node 2"
    assert found.problems == ("node 1 does not start: torn page", "node 3 does not start: torn page")


def test_without_any_node_the_trial_says_why():
    with pytest.raises(SandboxError, match=r"No node .* starts again.*node 3 does not start: lost"):
        fail_over(struck(), Nodes(dict.fromkeys(("node 1", "node 2", "node 3"), "lost")))


@pytest.mark.parametrize(
    ("fault", "first"), [("kill:replica2", Nodes.causal_read), ("no-fault", Nodes.causal_read), ("primary-kill", "")]
)
def test_a_spared_first_node_shows_what_the_others_acknowledged_before_it_is_read(fault, first, monkeypatch):
    monkeypatch.setattr(failover, "_wait_until_noticed", lambda *_: None)
    monkeypatch.setattr(failover, "_able", lambda struck: struck.standing)
    for name in ("first_to_accept", "take_over"):
        monkeypatch.setattr(failover, name, getattr(RESTART, name))
    assert fail_over(struck(fault), Nodes({})).first == first


def promoted(new, policy="careful", alone=(), running=(), fault="primary-kill", wires=()):
    nodes = {name: node(name, name in running) for name in ("node 1", "node 2", "node 3")}
    first, *others = nodes.values()
    known = SimpleNamespace(
        setup=SimpleNamespace(policy=POLICIES[policy]), primary=first, replicas=tuple(others), new=nodes[new],
        alone=dict.fromkeys(alone, SEEN), positions=dict.fromkeys(alone, "uuid:9"),
        secret=b"", problems=(), timeline=SimpleNamespace(step=lambda name: None, must_go_on=lambda: None),
        ports=SimpleNamespace(sleep=lambda seconds: None), fault=FAULTS[fault],
        wires_of=lambda node: () if node else wires, nodes=(first, *others),
        hit=tuple(nodes.values())[FAULTS[fault].judged], outlast_pause=lambda more_s: None,
    )  # fmt: skip
    known.returning = Struck.returning.fget(known)
    return known


def test_nodes_that_never_left_are_compared_and_join_nothing():
    cluster = Nodes({"node 1": 5})
    back = come_back(promoted("node 2", running=("node 3",)), cluster)
    assert cluster.done == [("join", "node 1")] and back.returns and back.old is SEEN
    assert cluster.positions_joined == ["uuid:5"], "from its revival: it is not asked a second time"
    assert back.rejoined.error == cluster.causal_read and [name for name, _ in back.others] == ["node 3"]


def test_a_first_node_that_took_over_again_does_not_return():
    back = come_back(promoted("node 1", alone=("node 1", "node 2", "node 3")), Nodes({}))
    assert not back.returns and back.rejoined is None and len(back.others) == 2


def test_a_first_node_that_stays_away_is_left_out():
    cluster = Nodes({})
    back = come_back(promoted("node 2", "old-away", alone=("node 2", "node 3")), cluster)
    assert not back.returns and cluster.done == [("join", "node 3")] and cluster.positions_joined == ["uuid:9"]


def test_nodes_that_are_lost_for_good_are_left_out():
    cluster = Nodes({})
    back = come_back(promoted("node 1", running=("node 1", "node 3"), fault="permanent-loss:replica1"), cluster)
    assert not back.returns and back.rejoined is None and [name for name, _ in back.others] == ["node 3"]
    gone = come_back(promoted("node 2", running=("node 2", "node 3"), fault="permanent-loss:primary"), cluster)
    assert not gone.returns and cluster.done == []


@pytest.mark.parametrize(
    ("error", "state"),
    [(ServerEnded("aborted"), "stopped"), (ServerError("3092"), "stopped"), (SandboxError("too late"), "unknown")],
)
def test_a_node_that_refuses_is_told_from_one_that_takes_too_long(error, state):
    cluster = Nodes({"node 1": 5}, refuses={"node 1": error})
    back = come_back(promoted("node 2", running=("node 3",)), cluster)
    assert back.rejoined.state == state and error.message in back.rejoined.error


@pytest.mark.parametrize(("runs", "state"), [(True, "unknown"), (False, "stopped")])
def test_a_node_that_gives_no_answer_in_time_does_not_refuse(runs, state):
    class Silent(Nodes):
        def join(self, node, position):
            node.sandbox.running = runs
            raise Unreachable("no answer in time")

    back = come_back(promoted("node 2", running=("node 3",)), Silent({"node 1": 5}))
    assert back.rejoined.state == state and "no answer in time" in back.rejoined.error


def test_whether_a_first_node_starts_that_takes_too_long_is_not_known():
    class Slow(Nodes):
        def revive(self, node):
            raise SandboxError("its recovery took longer than 120 s")

    back = come_back(promoted("node 2", running=("node 3",)), Slow({}))
    assert back.stays_down is None and back.rejoined.state == "unknown"
    assert back.problems == ("its recovery took longer than 120 s",)


def test_a_first_node_that_does_not_start_is_named():
    back = come_back(promoted("node 2", running=("node 3",)), Nodes({"node 1": "torn page"}))
    assert back.stays_down == "torn page" and back.rejoined is None and back.old is None


def test_a_node_whose_start_is_not_known_is_unknown_and_a_problem():
    class Hangs(Nodes):
        def revive(self, node):
            raise SandboxError("it hangs")

    back = come_back(promoted("node 2", running=("node 3",)), Hangs({}))
    assert (back.rejoined.state, back.problems, back.stays_down) == ("unknown", ("it hangs",), None)


def test_a_node_whose_rows_cannot_be_compared_is_unknown():
    def gone(*_):
        raise ServerError("2013: it hung up")

    back = come_back(promoted("node 2", alone=ALL), Nodes({}), replace(JOIN, compared=gone))
    assert (back.rejoined.state, back.rejoined.different_rows) == ("unknown", None)
    assert back.rejoined.error.startswith("2013: it hung up")


def test_what_a_node_held_before_it_joined_is_kept_and_never_taken_for_the_old_primarys():
    cluster = Nodes({"node 2": 5, "node 3": 5})
    back = come_back(promoted("node 1", fault="kill:replica1+replica2"), cluster)
    assert not back.returns and back.old is None
    assert [seen.seen for _, seen in back.others] == [SEEN] * len(back.others) and back.others


def test_nodes_come_back_when_a_pause_is_over():
    known, waited = promoted("node 2", alone=ALL), []
    known.outlast_pause = waited.append
    come_back(known, Nodes({}))
    assert waited == [0]


def test_a_node_that_does_not_answer_counts_nobody(monkeypatch):
    def gone(target):
        raise ServerError("2013: it hung up")

    monkeypatch.setattr(rejoin, "connect", nullcontext)
    assert rejoin._members(Nodes({}, members=[3]), node("node 1")) == 3
    monkeypatch.setattr(rejoin, "connect", gone)
    assert rejoin._members(Nodes({}, members=[3]), node("node 1")) == 0


class JoinsSeen(Nodes):
    """Two joiners wait for each other, at most for `patience_s`."""

    def __init__(self, patience_s):
        super().__init__({})
        self.together, self.both = Barrier(2, timeout=patience_s), False

    def join(self, node, position):
        super().join(node, position)
        with suppress(BrokenBarrierError):
            self.together.wait()
            self.both = True


def test_a_node_joins_as_soon_as_the_one_before_it_is_a_member():
    cluster = JoinsSeen(patience_s=10)
    ports = replace(JOIN, members=lambda cluster, node: 1 + len(cluster.done))
    back = come_back(promoted("node 1", alone=ALL), cluster, ports)
    assert cluster.both and [name for name, _ in back.others] == ["node 2", "node 3"]


@pytest.mark.parametrize("counted", [0, 1], ids=["nobody can count", "it is no member yet"])
def test_otherwise_a_node_joins_when_the_one_before_it_is_back(counted):
    cluster = JoinsSeen(patience_s=0.05)
    come_back(promoted("node 1", alone=ALL), cluster, replace(JOIN, members=lambda cluster, node: counted))
    assert not cluster.both and cluster.done == [("join", "node 2"), ("join", "node 3")]


def test_a_slow_member_may_log_the_change_of_the_group_much_later():
    assert other_gtids(*["u:1-7", "u:1-5"] * 30, "u:1-7", "u:1-7") == ""


def other_gtids(*texts, must_go_on=lambda: None):
    clock, told = iter(range(99)), iter(texts)
    known = promoted("node 2")
    known.timeline.must_go_on = must_go_on
    known.ports = SimpleNamespace(clock=lambda: next(clock), sleep=lambda seconds: None)
    ports = replace(JOIN, answer=lambda node, query: next(told))
    return rejoin._other_gtids(known, known.primary, "SELECT", ports)


def test_gtids_that_are_or_become_equal_are_equal():
    assert other_gtids("u:1-7", "u:1-7") == other_gtids("u:1-7", "u:1-5", "u:1-7", "u:1-7") == ""


def test_a_cancelled_trial_does_not_wait_for_equal_gtids():
    def cancelled():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        other_gtids("u:1-7", "u:1-5", must_go_on=cancelled)


def test_gtids_that_stay_different_are_told_with_their_nodes():
    assert other_gtids(*(["u:1-7", "u:1-5:7"] * 99)) == "u:1-7 on node 2, u:1-5:7 on node 1"


ALL = ("node 1", "node 2", "node 3")


def test_after_a_partition_the_first_node_is_waited_for_once_the_network_is_whole():
    done, cluster = [], Nodes({})
    wires = tuple(SimpleNamespace(heal=lambda number=number: done.append(number)) for number in (2, 3))
    back = come_back(promoted("node 2", running=ALL, fault="partition", wires=wires), cluster)
    assert sorted(done) == [2, 3] and ("wait", "node 1", 3) in cluster.done
    assert back.rejoined.state == "caught up" and back.old is None and not back.stays_down


def test_a_first_node_that_does_not_come_back_after_a_partition_is_unclear():
    cluster = Nodes({}, refuses={"node 1": SandboxError("After 60 s")})
    back = come_back(promoted("node 2", running=ALL, fault="partition"), cluster)
    assert back.rejoined.state == "unknown" and "After 60 s" in back.rejoined.error


class Later:
    """A clock that goes on when somebody sleeps, a second each time."""

    now = 5.0

    def sleep(self, seconds):
        self.now += 1


@pytest.mark.parametrize("expel_s", [0, 300])
def test_a_group_that_expels_and_applies_late_is_waited_for(monkeypatch, expel_s):
    def accepted_after(seconds):
        clock, known = Later(), struck("primary-kill")
        known.ports = SimpleNamespace(clock=lambda: clock.now, sleep=clock.sleep)
        known.setup = replace(known.setup, topology=parse(f"group-replication+expel={expel_s}s"))
        monkeypatch.setattr(failover, "_refusal", lambda node: "read only" if clock.now < 5 + seconds else "")
        return fail_over(known, Nodes({}, (2,))).new.name

    monkeypatch.setattr(failover, "connect", lambda target, **_: nullcontext())
    monkeypatch.setattr(failover, "take_over", lambda struck, new, **given: SimpleNamespace(new=new, **given))
    assert accepted_after(expel_s + 130) == "node 2"
    with pytest.raises(SandboxError, match=f"read only It took more than {failover.LIMIT_S + expel_s:g} s"):
        accepted_after(expel_s + failover.LIMIT_S + 10)
