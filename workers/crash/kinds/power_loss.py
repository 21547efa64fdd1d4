"""Power loss: everything unflushed is lost, or all but a random part, or the disk lied about flushes.

First the disk holds the flush in progress, so that the cut interrupts it as a real one would. The server is frozen, so
that it sends no more answers. Then the power is cut and the process killed. Then the disk comes back, and the file
system replays its journal. All disks of a server lose power at one moment.
"""

from typing import Literal

from workers.crash.kinds.kind import CrashKind, DownServer, Scene

Loses = Literal["every disk", "the data", "the logs"]
EVERYTHING = 1000  # permille
KEPT_PERMILLE = 500  # of the unflushed sectors, in a torn power loss
FLUSH_US = 1000  # what a flush takes on a disk that is torn in the middle of one


def interruptible(scene: Scene) -> None:
    """A flush without duration is never interrupted."""
    for disk in scene.disks:
        now = disk.stats()
        disk.storage(max(now.k_us, FLUSH_US), now.r_mbps)


class PowerLoss(CrashKind):
    key = "power-loss"
    title = "Power loss"
    says = "The disk loses everything that was not flushed, then the server is killed."
    cuts_power = True
    keep_permille = 0
    loses: Loses = "every disk"

    def silence(self, scene: Scene) -> DownServer:
        scene.step("freeze")
        for disk in scene.disks:
            disk.hold_flushes()
        scene.sandbox.freeze()
        return scene.sandbox

    def cut(self, scene: Scene) -> dict[str, str]:
        scene.step("cut")
        cuts = [disk.cut(keep, scene.seed) for disk, keep in zip(scene.disks, self._keeps(scene), strict=True)]
        lost, kept = sum(cut.lost_bytes for cut in cuts), sum(cut.kept_bytes for cut in cuts)
        return {"bytes lost by the cut": f"{lost:,}", "bytes that got through": f"{kept:,}"}

    def power_on(self, scene: Scene) -> dict[str, str]:
        scene.step("kill")
        scene.sandbox.kill()
        scene.step("power on")
        for disk in scene.disks:
            disk.storage(0)
        repaired = " ".join(filter(None, [disk.power_on() for disk in scene.disks]))
        return {"file system": repaired} if repaired else {}

    def _keeps(self, scene: Scene) -> list[int]:
        """Of each disk, the permille of unflushed sectors that get through."""
        protected = {"every disk": None, "the data": scene.logs_disk, "the logs": scene.disk}[self.loses]
        return [EVERYTHING if disk is protected else self.keep_permille for disk in scene.disks]


class TornPowerLoss(PowerLoss):
    key = "torn-power-loss"
    title = "Torn power loss"
    says = """\
As a power loss, but a random half of the unflushed sectors reached the disk. A write can be there only in part, \
or without an earlier one."""
    keep_permille = KEPT_PERMILLE

    def arm(self, scene: Scene) -> None:
        interruptible(scene)


class LyingDisk(PowerLoss):
    key = "lying-disk"
    title = "Lying disk"
    says = "Self-test of the checks: the disk ignores flushes, then loses power. The checks must find lost commits."
    control = "must lose"

    def arm(self, scene: Scene) -> None:
        for disk in scene.disks:
            disk.lie(True)


class DataDiskPowerLoss(PowerLoss):
    key = "data-disk-power-loss"
    title = "Data disk power loss"
    says = "The data disk loses everything unflushed. The log disk has a protected cache and keeps all it was given."
    needs_two_disks = True
    loses = "the data"


class LogDiskPowerLoss(PowerLoss):
    key = "log-disk-power-loss"
    title = "Log disk power loss"
    says = "The log disk loses everything unflushed. The data disk has a protected cache and keeps all it was given."
    needs_two_disks = True
    loses = "the logs"
