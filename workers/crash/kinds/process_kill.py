"""Crash kinds that need no simulated disk."""

from workers.crash.kinds.kind import CrashKind, DownServer, Scene


class ProcessKill(CrashKind):
    """The page cache of the operating system survives."""

    key = "process-kill"
    title = "Process kill"
    says = "The server is killed (kill -9). What it had written to its files survives, flushed or not."
    keeps_page_cache = True

    def silence(self, scene: Scene) -> DownServer:
        scene.step("kill")
        scene.sandbox.kill()
        return scene.sandbox


class GracefulRestart(CrashKind):
    """The negative control: a loss here is an error of Durascope."""

    key = "graceful-restart"
    title = "Graceful restart"
    says = "Self-test of the checks: an orderly stop and start. The checks must find nothing lost."
    keeps_page_cache = True
    control = "must hold"

    def silence(self, scene: Scene) -> DownServer:
        scene.step("stop")
        scene.sandbox.stop()
        return scene.sandbox


class AttachedExpendable(CrashKind):
    """systemctl kill over SSH, the reset of a virtual machine, a power switch."""

    key = "attached-expendable"
    title = "Crash by the owner's command"
    says = "The owner's command takes the server down, another one brings it back. The owner knows what it simulates."
    attached = True

    def silence(self, scene: Scene) -> DownServer:
        scene.step("kill")
        return scene.attached.crash()
