"""The seam between a trial and the way its server goes down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from workers.crash.attached import AttachedServer
from workers.errors import SandboxError
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Recovery, Sandbox


@dataclass(frozen=True)
class Scene:
    """What is crashed. `step(name)` begins a part of the time line."""

    server: Sandbox | AttachedServer
    volatile: VolatileDisk | None
    seed: int
    step: Callable[[str], None]

    @property
    def sandbox(self) -> Sandbox:
        return cast(Sandbox, self.server)  # a kind that is not for attached servers gets none

    @property
    def attached(self) -> AttachedServer:
        return cast(AttachedServer, self.server)

    @property
    def disk(self) -> VolatileDisk:
        if self.volatile is None:
            raise SandboxError("A power loss needs a volatile disk, and this server has none.", "Crash a sandbox.")
        return self.volatile


class DownServer(Protocol):
    """A server that was taken down. `recover` starts it on what the crash has left and raises ServerEnded when it ends
    by itself on that, SandboxError when nothing is known."""

    def recover(self, settings: Mapping[str, str]) -> Recovery: ...


class CrashKind:
    """A way in which a server is crashed. The trial calls `arm` before the load and the other three in their order; in
    between it reads what clients were told, and copies the binlog."""

    key: str
    title: str
    says: str
    needs_disk = False
    attached = False  # it is for attached servers, the others for sandboxes

    def missing(self) -> str:
        """Why it is not available on this host and what to do; "" when it is."""
        return ""

    def arm(self, scene: Scene) -> None:
        """Prepare the disk."""

    def freeze(self, scene: Scene) -> DownServer:
        """From its return on, nothing more is told to a client. Until then nothing is lost."""
        raise NotImplementedError

    def cut(self, scene: Scene) -> dict[str, str]:
        """Lose what is lost; the files can still be read as they stood at the crash. Returns notes."""
        return {}

    def power_on(self, scene: Scene) -> dict[str, str]:
        """The server is dead, and its datadir is what a recovery finds. Returns notes."""
        return {}
