"""Kill points: during a load the server is stopped at many moments, and what its files hold is recorded."""

from workers.crash.kinds.kind import CrashKind, Scene
from workers.crash.kinds.power_loss import interruptible


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
