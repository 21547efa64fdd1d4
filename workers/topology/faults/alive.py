"""Faults that no server dies of."""

from dataclasses import replace

from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.topology import Topology


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
