"""How the nodes of a cluster are formed for a trial: the storage profile of the variant holds for each of them."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.crash.made import Made
from workers.errors import SandboxError, ServerEnded, ServerError
from workers.sandbox.storage import parse
from workers.topology.chain import FailoverBegun, FailoverPorts
from workers.topology.faults import FAULTS
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds.cluster import cluster, membership
from workers.topology.kinds.cluster.membership import ANY_ROW, wait
from workers.topology.nodes import Node, NodePlan
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology


class Three(cluster.Cluster):
    def plans(self, ground):
        return tuple(NodePlan(f"node {number}", ground.build, {}) for number in (1, 2, 3))

    def gather(self, nodes):
        assert all(node.disk is None or node.disk.flushes == [] for node in nodes), "forming costs nothing"


class Disk:
    def __init__(self):
        self.flushes = []

    def storage(self, flush_us, mb_per_s=0.0):
        self.flushes.append(flush_us)


@pytest.fixture
def formed(monkeypatch):
    """`formed(fault, storage)`: the microseconds of a flush on each node; None: it is on the host's disk."""
    monkeypatch.setattr(cluster, "witness_image", lambda *given: "image")
    monkeypatch.setattr(cluster, "network_of", lambda topology: nullcontext())
    server = SimpleNamespace(settle=lambda: None, flush_logs=lambda: None)

    def start(setup, plans, made):
        return tuple(Node(plan.name, server, Disk() if plan.on_disk else None, {}) for plan in plans)

    def told(fault, storage=None):
        setup = FailoverSetup(
            root=Path("/"), build=object(), name="", topology=Topology("galera", replicas=2), settings={}, fault=fault,
            seed=1, storage=storage,
        )  # fmt: skip
        timeline, ports = SimpleNamespace(step=lambda name: None), FailoverPorts(start_all=start)
        begun = FailoverBegun(setup=setup, fault=FAULTS[fault], ports=ports, made=Made(), timeline=timeline)
        return [node.disk and node.disk.flushes for node in Three().form(begun).nodes]

    return told


def test_every_node_flushes_as_slowly_as_the_variant_says(formed):
    assert formed("primary-kill", parse("k=2ms")) == [[2000.0]] * 3


def test_without_a_profile_only_a_power_loss_needs_disks(formed):
    assert formed("primary-kill") == [None] * 3
    assert formed("primary-power-loss") == [[], None, None]


def a_node(running=True):
    log_text = "\n".join(f"line {n}" for n in range(20))
    return SimpleNamespace(name="node 2", sandbox=SimpleNamespace(running=running, log_text=log_text, target="node 2"))


def test_what_takes_too_long_is_no_end_of_the_server_and_its_end_is_told_with_its_log():
    wait(a_node(running=False), lambda: True, "it was back", 0)
    with pytest.raises(SandboxError, match="it was back was still to come on node 2"):
        wait(a_node(), lambda: False, "it was back", 0)
    with pytest.raises(
        ServerEnded, match=r"node 2 ended before it was back\. Its error log ends with: .*line 19$"
    ) as ended:
        wait(a_node(running=False), lambda: False, "it was back", 0)
    assert "line 1 " not in ended.value.message


@pytest.fixture
def counting(monkeypatch):
    """`counting(members, gone)`: a cluster whose node counts so many, or hung up; and what the node is asked."""
    monkeypatch.setattr(membership, "BACK_S", 0)

    def made(members, gone=False):
        asked = []

        def rows(connection, sql):
            asked.append((connection, sql))
            if gone:
                raise ServerError("2013: it hung up")

        class Counting(Three):
            causal_read = "SET causal"

            def members(self, connection):
                return members

        monkeypatch.setattr(membership, "connect", nullcontext)
        monkeypatch.setattr(membership.ask, "rows", rows)
        return Counting(), asked

    return made


def test_a_node_is_back_when_it_counts_all_and_answers_a_read_that_goes_through_the_cluster(counting):
    three, asked = counting(3)
    three.wait_until_back(a_node(), 3)
    assert asked == [("node 2", "SET causal"), ("node 2", ANY_ROW)]


@pytest.mark.parametrize("answers", [{"members": 2}, {"members": 4}, {"members": 3, "gone": True}])
def test_a_node_that_counts_others_or_does_not_answer_is_not_back(counting, answers):
    three, _ = counting(**answers)
    with pytest.raises(SandboxError, match="it was back was still to come"):
        three.wait_until_back(a_node(), 3)


def test_nodes_that_start_by_themselves_are_assembled_and_need_no_more_settings():
    done = []
    three = SimpleNamespace(assemble=done.append)
    membership.Membership.gather(three, ("node 1", "node 2"))
    assert done == [("node 1", "node 2")]
    assert membership.Membership.completed(three, {"a": "b"}) == {"a": "b"}


def test_only_a_group_of_mysql_tells_which_transactions_it_executed():
    assert {kind: bool(TOPOLOGY_KINDS[kind].executed) for kind in ("galera", "group-replication")} == {
        "galera": False, "group-replication": True,
    }  # fmt: skip
