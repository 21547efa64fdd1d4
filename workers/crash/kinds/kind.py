"""The seam between a trial and the way its server goes down."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from workers.crash.attached import AttachedServer
from workers.crash.verdict import CrashClass
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Sandbox


@dataclass(frozen=True)
class Scene:
    """What is crashed. `step(name)` begins a part of the time line. `frozen` is called once nothing more can be told to
    a client and before anything is lost; `keep_binlog` once the loss is settled and the files can still be read as they
    stood at the crash."""

    server: Sandbox | AttachedServer
    disk: VolatileDisk | None
    seed: int
    step: Callable[[str], None]
    frozen: Callable[[], None]
    keep_binlog: Callable[[], None]


class CrashKind(Protocol):
    """`missing` says why it is not available on this host and what to do, "" when it is. `arm` is called before the
    load, `crash` at the crash; afterwards the server is dead and its datadir is what a recovery would find. `crash`
    returns what is worth noting."""

    key: str
    title: str
    says: str
    crash_class: CrashClass
    needs_disk: bool
    attached: bool  # it is for attached servers, the others for sandboxes

    def missing(self) -> str: ...

    def arm(self, scene: Scene) -> None: ...

    def crash(self, scene: Scene) -> dict[str, str]: ...
