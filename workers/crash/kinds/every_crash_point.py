"""Crash points: the disk records the load, and the power goes later, at many moments of the recording."""

from workers.crash.kinds.kind import CrashKind, Scene
from workers.crash.kinds.power_loss import interruptible


class EveryCrashPoint(CrashKind):
    key = "every-crash-point"
    title = "Crash points"
    says = "One load is recorded. Then the power loss is repeated at many moments of the recording, and each is judged."
    cuts_power = True
    records = True

    def arm(self, scene: Scene) -> None:
        interruptible(scene)
