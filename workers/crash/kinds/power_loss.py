"""The power goes: everything that was not flushed is lost, or all but a random part, or the disk had lied.

The order matters. First the disk holds whatever flush is in progress, so that the cut catches it there as a real one
would; the server is frozen, so that no acknowledgement comes from the future; then the power is cut; then the process,
which could only write into the void now, is killed; then the disk comes back and the file system replays its journal.
"""

from workers.crash.kinds.kind import Scene
from workers.crash.verdict import CrashClass
from workers.errors import SandboxError
from workers.sandbox.disk import ability
from workers.sandbox.disk.volatile import VolatileDisk

KEPT_PERMILLE = 500  # of the unflushed sectors, in a torn power loss
FLUSH_US = 1000  # what a flush takes on a disk that is torn in the middle of one


class PowerLoss:
    key = "power-loss"
    title = "Power loss"
    says = "The disk loses everything that was not flushed, then the server is killed."
    crash_class: CrashClass = "power loss"
    needs_disk = True
    attached = False
    keep_permille = 0

    def missing(self) -> str:
        return ability.missing()

    def arm(self, scene: Scene) -> None:
        """Nothing to prepare."""

    def crash(self, scene: Scene) -> dict[str, str]:
        disk = _disk(scene)
        scene.step("freeze")
        disk.hold()
        scene.server.freeze()
        scene.frozen()
        scene.step("cut")
        cut = disk.cut(self.keep_permille, scene.seed)
        scene.keep_binlog()  # not before: what is not in memory is read from the disk, which holds still until the cut
        scene.step("kill")
        scene.server.kill()
        scene.step("power on")
        disk.storage(0)
        repaired = disk.power_on()
        notes = {"bytes lost by the cut": f"{cut.lost_bytes:,}", "bytes that got through": f"{cut.kept_bytes:,}"}
        return notes | ({"file system": repaired} if repaired else {})


class TornPowerLoss(PowerLoss):
    key = "torn-power-loss"
    title = "Torn power loss"
    says = "As a power loss, but a random half of the unflushed sectors got through: torn and reordered writes."
    crash_class: CrashClass = "torn power loss"
    keep_permille = KEPT_PERMILLE

    def arm(self, scene: Scene) -> None:
        disk = _disk(scene)
        now = disk.stats()
        disk.storage(max(now.k_us, FLUSH_US), now.r_mbps)  # a flush that takes no time is never caught half done


class LyingDisk(PowerLoss):
    key = "lying-disk"
    title = "Lying disk"
    says = (
        "The disk acknowledges flushes and ignores them, then loses power: the positive control, lost in any setting."
    )
    crash_class: CrashClass = "lying disk"

    def arm(self, scene: Scene) -> None:
        _disk(scene).lie(True)


def _disk(scene: Scene) -> VolatileDisk:
    if scene.disk is None:
        raise SandboxError("A power loss needs a volatile disk, and this server has none.", "Crash a sandbox.")
    return scene.disk
