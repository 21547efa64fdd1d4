"""The first replica crashes while it applies. Its clients are those of the primary, which go on."""

import time

from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.faults.power import lose_power

GO_ON_S = 0.2  # clients commit on: the replica has something to catch up with


class ReplicaCrash(Fault):
    primary_down = False
    of_replica = True

    def strike(self, scene: FaultScene) -> None:
        self.crash(scene)
        time.sleep(GO_ON_S)
        scene.hear()

    def crash(self, scene: FaultScene) -> None:
        raise NotImplementedError


class ReplicaKill(ReplicaCrash):
    key = "replica-kill"
    title = "Replica kill"
    says = "The process of the first replica is killed while it applies. It starts again and catches up."

    def crash(self, scene: FaultScene) -> None:
        scene.step("kill")
        scene.replicas[0].sandbox.kill()


class ReplicaPowerLoss(ReplicaCrash):
    key = "replica-power-loss"
    title = "Replica power loss"
    says = "The host of the first replica loses its power while it applies. It starts again and catches up."
    replicas_need_disk = True

    def crash(self, scene: FaultScene) -> None:
        lose_power(scene, scene.replicas[:1])
