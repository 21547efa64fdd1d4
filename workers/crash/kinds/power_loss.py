"""Power loss: everything unflushed is lost, or all but a random part, or the disk lied about flushes.

First the disk holds the flush in progress, so that the cut interrupts it as a real one would. The server is frozen, so
that it sends no more answers. Then the power is cut and the process killed. Then the disk comes back, and the file
system replays its journal.
"""

from workers.crash.kinds.kind import CrashKind, DownServer, Scene

KEPT_PERMILLE = 500  # of the unflushed sectors, in a torn power loss
FLUSH_US = 1000  # what a flush takes on a disk that is torn in the middle of one


def interruptible(scene: Scene) -> None:
    """A flush without duration is never interrupted."""
    now = scene.disk.stats()
    scene.disk.storage(max(now.k_us, FLUSH_US), now.r_mbps)


class PowerLoss(CrashKind):
    key = "power-loss"
    title = "Power loss"
    says = "The disk loses everything that was not flushed, then the server is killed."
    cuts_power = True
    keep_permille = 0

    def silence(self, scene: Scene) -> DownServer:
        scene.step("freeze")
        scene.disk.hold_flushes()
        scene.sandbox.freeze()
        return scene.sandbox

    def cut(self, scene: Scene) -> dict[str, str]:
        scene.step("cut")
        cut = scene.disk.cut(self.keep_permille, scene.seed)
        return {"bytes lost by the cut": f"{cut.lost_bytes:,}", "bytes that got through": f"{cut.kept_bytes:,}"}

    def power_on(self, scene: Scene) -> dict[str, str]:
        scene.step("kill")
        scene.sandbox.kill()
        scene.step("power on")
        scene.disk.storage(0)
        repaired = scene.disk.power_on()
        return {"file system": repaired} if repaired else {}


class TornPowerLoss(PowerLoss):
    key = "torn-power-loss"
    title = "Torn power loss"
    says = "As a power loss, but a random half of the unflushed sectors got through: torn and reordered writes."
    keep_permille = KEPT_PERMILLE

    def arm(self, scene: Scene) -> None:
        interruptible(scene)


class LyingDisk(PowerLoss):
    key = "lying-disk"
    title = "Lying disk"
    says = "The disk acknowledges flushes and ignores them, then loses power: the positive control."

    def arm(self, scene: Scene) -> None:
        scene.disk.lie(True)
