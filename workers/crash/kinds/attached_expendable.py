"""The owner's own way to crash a server: systemctl kill over SSH, the reset of a virtual machine, a power switch."""

from workers.crash.attached import AttachedServer
from workers.crash.kinds.kind import Scene
from workers.crash.verdict import CrashClass
from workers.errors import SandboxError


class AttachedExpendable:
    key = "attached-expendable"
    title = "Owner's command"
    says = "The owner's command takes the server down, another one brings it back. What it stands for, the owner knows."
    crash_class: CrashClass = "owner's command"
    needs_disk = False
    attached = True

    def missing(self) -> str:
        return ""

    def arm(self, scene: Scene) -> None:
        """Nothing to prepare."""

    def crash(self, scene: Scene) -> dict[str, str]:
        if not isinstance(scene.server, AttachedServer):
            raise SandboxError("A sandbox has no owner's command.", "Choose another crash kind.")
        scene.step("kill")
        scene.server.crash()
        scene.frozen()
        scene.keep_binlog()
        return {}
