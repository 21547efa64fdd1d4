"""Faults that no server dies of."""

from dataclasses import replace

from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.topology import Topology


class Switchover(Fault):
    key = "switchover"
    title = "Graceful switchover"
    says = "The clients stop, the replicas catch up, then one is promoted: the negative control, which loses nothing."
    primary_down = False
    harmless = True

    def tried_on(self, topology: Topology) -> Topology:
        """Replicas that do not apply could not catch up."""
        return replace(topology, applying=True)

    def strike(self, scene: FaultScene) -> None:
        scene.step("clients stop")
        scene.hear()
