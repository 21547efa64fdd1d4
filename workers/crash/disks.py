"""The disks of a crashed server: one, or a second one of its kind for the logs that the variant places there."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from workers.crash.chain import Begun
from workers.errors import ServerEnded
from workers.sandbox import owner
from workers.sandbox.disk.prepared import SIZE_BYTES
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.log_places import IN_DATADIR, LogPlaces

DATA, LOGS = "data", "logs"
Disk = TypeVar("Disk", VolatileDisk, ReplayDisk)


@dataclass(frozen=True)
class ServerDisks:
    data: VolatileDisk | None
    logs: VolatileDisk | None = None
    places: LogPlaces = IN_DATADIR

    @property
    def all(self) -> tuple[VolatileDisk, ...]:
        return tuple(filter(None, (self.data, self.logs)))


NO_DISKS = ServerDisks(None)


def make_disks(begun: Begun, image_key: str) -> ServerDisks:
    """The trial removes them."""
    setup, ports = begun.setup, begun.ports
    what = (setup.root, setup.build, ports.user(setup.user))
    if not (setup.storage and setup.storage.apart):
        return ServerDisks(made_disk(begun, ports.disk(*what, image_key=image_key)))
    folder = folder_of_two(begun)
    data = made_disk(begun, ports.disk(*what, image_key=image_key, folder=folder / DATA))
    logs = made_disk(begun, ports.logs_disk(folder / LOGS, SIZE_BYTES))
    return ServerDisks(data, logs, places_on(logs.mnt, setup.storage.apart))


def folder_of_two(begun: Begun) -> Path:
    """For the disks of one server: they lie in it in the same way in every such folder, because the binlog's index
    holds its way from the datadir."""
    return begun.made.enter_context(owner.live_folder(begun.setup.root, "disks"))


def places_on(mnt: Path, apart: Collection[str]) -> LogPlaces:
    return LogPlaces(**{log: mnt / log for log in apart})


def must_have_data(datadir: Path) -> None:
    """A power loss, or a disk that lies, may take the folder itself. ServerEnded: there is nothing to recover from."""
    if not datadir.is_dir():
        raise ServerEnded("The power loss took its data directory.")


def made_disk(begun: Begun, disk: Disk) -> Disk:
    begun.made.enter_context(disk)
    begun.made.killed_by(disk.give_way)
    return disk
