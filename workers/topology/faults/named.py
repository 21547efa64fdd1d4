"""Faults that no list of nodes describes: of all nodes or all but the first, and the self-tests of the checks."""

from dataclasses import replace

from workers.host.until import until
from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.faults.of_nodes import lose_hosts, lose_power
from workers.topology.topology import Topology

CONTROL_RTT_MS = 100.0
ONE_MORE_S, POLL_S = 10.0, 0.02  # longest wait for one more commit


class HostLoss(Fault):
    key = "primary-host-loss"
    title = "Loss of the primary's host"
    says = "The primary's host is gone at one moment, with all that it had sent and that had not arrived."

    def strike(self, scene: FaultScene) -> None:
        scene.step("partition")
        scene.partition()
        self.cut_off(scene)
        scene.primary.sandbox.freeze()
        scene.hear()
        scene.step("kill")
        scene.cut()
        if scene.wires_of(0):  # else it stays frozen: a dead process would tell the others by closing its connections
            scene.primary.sandbox.kill()

    def cut_off(self, scene: FaultScene) -> None:
        """The host still runs, and nobody hears it. It is lost at once."""


class AsynchronousLink(HostLoss):
    key = "asynchronous-link"
    title = "Asynchronous link"
    says = (
        "Self-test of the checks: asynchronous replication with a delay of 100 ms. The primary's network is cut, the "
        "primary acknowledges one more commit, and its host is lost. The checks must flag lost commits."
    )
    control = "must lose"

    def tried_on(self, topology: Topology) -> Topology:
        return Topology("async", replicas=topology.replicas, rtt_ms=max(CONTROL_RTT_MS, topology.rtt_ms or 0))

    def cut_off(self, scene: FaultScene) -> None:
        """On a busy disk a flush may take longer than the delay: then all that was acknowledged had arrived."""
        before = scene.acknowledged()
        until(lambda: scene.acknowledged() != before, ONE_MORE_S, POLL_S)


class AllKilled(Fault):
    key = "total-kill"
    title = "Total kill"
    says = "The processes of the primary and of all replicas are killed at one moment."
    replicas_down = True

    def strike(self, scene: FaultScene) -> None:
        lose_hosts(scene, (*scene.replicas, scene.primary), (0,))


class AllLosePower(Fault):
    key = "total-power-loss"
    title = "Total power loss"
    says = "Primary and replicas lose their power at one moment."
    primary_needs_disk = replicas_need_disk = replicas_down = True

    def strike(self, scene: FaultScene) -> None:
        lose_power(scene, scene.nodes, (0,))


class MajorityLost(Fault):
    key = "majority-lost"
    title = "Loss of the majority"
    says = "The processes of all nodes but the first are killed. The first node has no majority any more."
    primary_down = False
    replicas_down = True
    of_clusters = True

    def strike(self, scene: FaultScene) -> None:
        scene.step("kill")
        for node in scene.replicas:
            node.sandbox.kill()
        scene.hear()


class Switchover(Fault):
    key = "switchover"
    title = "Graceful switchover"
    says = "Self-test of the checks: the clients stop, the replicas catch up, one is promoted. Nothing may be lost."
    primary_down = False
    control = "must hold"

    def tried_on(self, topology: Topology) -> Topology:
        """Replicas that do not apply could not catch up."""
        return replace(topology, applying=True)

    def strike(self, scene: FaultScene) -> None:
        scene.step("clients stop")
        scene.hear()


class NoFault(Switchover):
    """Nobody takes over either: what the checks find here, no fault and no failover has caused."""

    key = "no-fault"
    title = "Trial without a fault"
    says = "Self-test of the checks: nothing happens to any node, nobody takes over. No row may be lost or differ."
    spares_primary = True

    def strike(self, scene: FaultScene) -> None:
        scene.step("nothing happens")
