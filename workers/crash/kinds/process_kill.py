"""kill -9: the process is gone, the operating system is not, and everything written is in its page cache."""

from workers.crash.kinds.kind import Scene
from workers.crash.verdict import CrashClass


class ProcessKill:
    key = "process-kill"
    title = "Process kill"
    says = "The server is killed (SIGKILL). What it had written to its files survives, flushed or not."
    crash_class: CrashClass = "process kill"
    needs_disk = False
    attached = False

    def missing(self) -> str:
        return ""

    def arm(self, scene: Scene) -> None:
        """Nothing to prepare."""

    def crash(self, scene: Scene) -> dict[str, str]:
        scene.step("kill")
        scene.server.kill()
        scene.frozen()
        scene.keep_binlog()
        return {}
