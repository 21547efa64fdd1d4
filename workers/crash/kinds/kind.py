"""The interface of a crash kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from workers.crash.attached import AttachedServer
from workers.errors import SandboxError
from workers.sandbox.disk import ability
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Recovery, Sandbox

Control = Literal["", "must lose", "must hold"]  # what the checks must find in each trial of a control
Recorded = Literal["", "a load", "histories"]


@dataclass(frozen=True)
class Scene:
    """The server to be crashed. `step(name)` begins a step of the timeline."""

    server: Sandbox | AttachedServer
    volatile: VolatileDisk | None
    seed: int
    step: Callable[[str], None]
    logs_disk: VolatileDisk | None = None  # None: the logs lie in the datadir

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

    @property
    def disks(self) -> tuple[VolatileDisk, ...]:
        """All of the server: that of the data, then that of its logs if it has one."""
        return (self.disk, self.logs_disk) if self.logs_disk else (self.disk,)


class DownServer(Protocol):
    """A server that was taken down. `recover` starts it again. ServerEnded: it ends because of what the crash left;
    SandboxError: not known."""

    def recover(self, settings: Mapping[str, str]) -> Recovery: ...


class CrashKind:
    """A kind of crash. The trial calls `arm` before the load, then `silence`, `cut` and `power_on`. After `silence` it
    reads the last answers, after `cut` it copies the binlog. What is lost follows from two flags: a kind that neither
    cuts the power nor keeps the page cache counts as a crash that may lose what was not flushed. A process cannot be
    killed while the disk holds its flushes: kill it before, or after the cut."""

    key: str
    title: str
    says: str
    one_trial = ""  # in sentences: "load with crash points"; "": its title
    cuts_power = False  # what the server did not flush is lost
    needs_two_disks = False  # the redo log, the binlog or both on a disk of their own
    records: Recorded = ""  # what is recorded, and crashed at many moments afterwards
    point_s = 0.0  # what one crash point takes on MariaDB, with as many at once as a trial has, in seconds
    all_points_s = 0.0  # what all take together, if their number is not that of the plan
    with_replica = False  # a replica on a disk of its own follows the server, and is recorded too
    attached = False  # for attached servers; the others are for sandboxes
    keeps_page_cache = False  # what was written to files survives, flushed or not
    control: Control = ""  # of the self-test of the checks

    @property
    def needs_disk(self) -> bool:
        """The server stands on a volatile disk."""
        return self.cuts_power or bool(self.records)

    @property
    def judges_commits(self) -> bool:
        """Those of the server itself, not of a replica, or of statements. So it counts for a service level."""
        return not (self.control or self.with_replica or self.records == "histories")

    def missing(self) -> str:
        """Why it is not available on this host and what to do; "" when it is."""
        return ability.missing() if self.needs_disk else ""

    def arm(self, scene: Scene) -> None:
        """Prepare the disk."""

    def silence(self, scene: Scene) -> DownServer:
        """After it returns, clients get no more answers. Until then nothing is lost."""
        raise NotImplementedError

    def cut(self, scene: Scene) -> dict[str, str]:
        """Lose the data; the files can still be read as they were at the crash. Returns notes."""
        return {}

    def power_on(self, scene: Scene) -> dict[str, str]:
        """Give the disk its power back and end the server, so that a recovery can begin. Returns notes."""
        return {}
