"""An orderly shutdown under load, the negative control: a loss here is an error of Durascope."""

from workers.crash.kinds.kind import CrashKind, DownServer, Scene


class GracefulRestart(CrashKind):
    key = "graceful-restart"
    title = "Graceful restart"
    says = "The server is shut down in order and started again. Nothing may be lost: the negative control."
    keeps_page_cache = True
    control = "must hold"

    def silence(self, scene: Scene) -> DownServer:
        scene.step("stop")
        scene.sandbox.stop()
        return scene.sandbox
