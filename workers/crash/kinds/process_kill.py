"""kill -9: the process is gone, the operating system is not, and everything written is in its page cache."""

from workers.crash.kinds.kind import CrashKind, DownServer, Scene


class ProcessKill(CrashKind):
    key = "process-kill"
    title = "Process kill"
    says = "The server is killed (SIGKILL). What it had written to its files survives, flushed or not."

    def freeze(self, scene: Scene) -> DownServer:
        scene.step("kill")
        scene.sandbox.kill()
        return scene.sandbox
