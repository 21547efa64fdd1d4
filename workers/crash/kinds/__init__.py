"""The crash kinds. A new one is a new file and a line here."""

from workers.crash.kinds.every_crash_point import EveryCrashPoint, KillPoints, ReplicaCrashPoints, SmallHistories
from workers.crash.kinds.kind import CrashKind
from workers.crash.kinds.power_loss import DataDiskPowerLoss, LogDiskPowerLoss, LyingDisk, PowerLoss, TornPowerLoss
from workers.crash.kinds.process_kill import AttachedExpendable, GracefulRestart, ProcessKill

CRASH_KINDS: dict[str, CrashKind] = {
    kind.key: kind
    for kind in (
        *(ProcessKill(), PowerLoss(), TornPowerLoss(), LyingDisk(), GracefulRestart(), AttachedExpendable()),
        *(EveryCrashPoint(), KillPoints(), ReplicaCrashPoints(), SmallHistories()),
        *(DataDiskPowerLoss(), LogDiskPowerLoss()),
    )
}
