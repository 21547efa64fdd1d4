"""kill -9: the process ends, and the page cache of the operating system survives."""

from workers.crash.kinds.kind import CrashKind, DownServer, Scene


class ProcessKill(CrashKind):
    key = "process-kill"
    title = "Process kill"
    says = "The server is killed (kill -9). What it had written to its files survives, flushed or not."
    keeps_page_cache = True

    def silence(self, scene: Scene) -> DownServer:
        scene.step("kill")
        scene.sandbox.kill()
        return scene.sandbox
