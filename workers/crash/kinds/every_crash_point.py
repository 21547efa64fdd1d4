"""Crash points and kill points: disks record the load, and it is crashed later, at many moments of the recording."""

from workers.crash.kinds.kind import CrashKind, Recorded, Scene
from workers.crash.kinds.power_loss import interruptible


class EveryCrashPoint(CrashKind):
    key = "every-crash-point"
    title = "Crash points"
    one_trial = "load with crash points"
    says = "One load is recorded. Then the power loss is repeated at many moments of the recording, and each is judged."
    cuts_power = True
    records: Recorded = "a load"
    point_s = 0.6

    def arm(self, scene: Scene) -> None:
        interruptible(scene)


class ReplicaCrashPoints(EveryCrashPoint):
    key = "replica-crash-points"
    title = "Crash points of a replica"
    one_trial = "load of a replica with crash points"
    says = (
        "A replica applies the load, and both servers are recorded. Then the replica loses power, alone or together "
        "with its primary, at many moments. It follows again, and all rows of both are compared."
    )
    with_replica = True
    point_s = 2.5


class SmallHistories(EveryCrashPoint):
    key = "small-histories"
    title = "Small histories"
    one_trial = "round of small histories"
    says = (
        "Histories of a few statements: DDL, XA, rotation of the binary log and others. The power is lost between any "
        "two writes, with every subset of the unflushed writes (64 drawn subsets of more than 6). Each state is "
        "recovered and checked."
    )
    records = "histories"
    all_points_s = 300.0


class KillPoints(CrashKind):
    key = "kill-points"
    title = "Kill points"
    one_trial = "load with kill points"
    says = (
        "One load is recorded. At many random moments the server is stopped, and what its files hold is recorded: "
        "kill -9 would leave just this. The server recovers from each, and each is judged."
    )
    records = "a load"
    point_s = 0.6
    keeps_page_cache = True

    def arm(self, scene: Scene) -> None:
        interruptible(scene)
