"""An orderly shutdown under load: the negative control. Whatever is lost here, Durascope lost it."""

from workers.crash.kinds.kind import Scene
from workers.crash.verdict import CrashClass


class GracefulRestart:
    key = "graceful-restart"
    title = "Graceful restart"
    says = "The server is shut down in order and started again. Nothing may be lost: the negative control."
    crash_class: CrashClass = "graceful restart"
    needs_disk = False
    attached = False

    def missing(self) -> str:
        return ""

    def arm(self, scene: Scene) -> None:
        """Nothing to prepare."""

    def crash(self, scene: Scene) -> dict[str, str]:
        scene.step("stop")
        scene.server.stop()
        scene.frozen()
        scene.keep_binlog()
        return {}
