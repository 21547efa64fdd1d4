"""How the nodes of a cluster are formed for a trial: the storage profile of the variant holds for each of them."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.crash.made import Made
from workers.sandbox.storage import parse
from workers.topology.chain import FailoverBegun, FailoverPorts
from workers.topology.faults import FAULTS
from workers.topology.kinds.cluster import cluster
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
