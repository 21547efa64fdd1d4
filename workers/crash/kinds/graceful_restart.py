"""An orderly shutdown under load, the negative control: a loss here is an error of Durascope."""

from workers.crash.kinds.kind import CrashKind, DownServer, Scene


class GracefulRestart(CrashKind):
    key = "graceful-restart"
    title = "Graceful restart"
    says = "Self-test of the checks: an orderly stop and start. The checks must find nothing lost."
    keeps_page_cache = True
    control = "must hold"

    def silence(self, scene: Scene) -> DownServer:
        scene.step("stop")
        scene.sandbox.stop()
        return scene.sandbox
