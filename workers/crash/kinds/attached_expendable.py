"""The owner's own way to crash a server: systemctl kill over SSH, the reset of a virtual machine, a power switch."""

from workers.crash.kinds.kind import CrashKind, DownServer, Scene


class AttachedExpendable(CrashKind):
    key = "attached-expendable"
    title = "Crash by the owner's command"
    says = "The owner's command takes the server down, another one brings it back. The owner knows what it simulates."
    attached = True

    def silence(self, scene: Scene) -> DownServer:
        scene.step("kill")
        return scene.attached.crash()
