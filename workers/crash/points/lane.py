"""Disks that become one state of their recordings after the other, and a stopped server with its data there."""

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.crash.chain import Begun, ServerReady
from workers.crash.disks import DATA, LOGS, folder_of_two, made_disk, must_have_data, places_on
from workers.crash.replica import Replica
from workers.sandbox.disk.recording.joint import Contents, JointStates
from workers.sandbox.disk.recording.states import States
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.log_places import IN_DATADIR, LogPlaces
from workers.sandbox.server import Recovery, Sandbox

MOST_LANES = 2


@dataclass(frozen=True)
class Lane:
    """`disks`: in the order of the states. `replica`: it follows the server, and the last disk is its own; None: no
    replica was recorded."""

    server: Sandbox
    states: JointStates
    disks: tuple[ReplayDisk, ...]
    replica: Sandbox | None = None

    def become(self, contents: Contents) -> None:
        """Raises SandboxError when this state could not be made."""
        for server in filter(None, (self.replica, self.server)):
            server.kill()
            server.forget_logs()
        for disk, blocks in zip(self.disks, contents, strict=True):
            disk.become(blocks)


def recover(server: Sandbox, settings: Mapping[str, str]) -> Recovery:
    """ServerEnded: the server ends because of the state of its disk."""
    must_have_data(server.datadir)
    return server.recover(settings)


def lanes(load: ServerReady, states: JointStates) -> tuple[Lane, ...]:
    """As many as the host has processors for. `load`: whose server they recover; it removes them."""
    make = _lane if len(states.disks) == 1 else _lane_of_two
    return tuple(make(load, states) for _ in range(min(MOST_LANES, len(os.sched_getaffinity(0)))))


def _lane(load: ServerReady, states: JointStates) -> Lane:
    disk = replay(load, new_folder(load), states.disks[0])
    return Lane(twin(load, load.scene.sandbox, (disk,)), states, (disk,))


def lane_with(replica: Replica, load: ServerReady, states: JointStates) -> Lane:
    """The only one: two copies of a replica would have one identity."""
    first, second = (replay(load, new_folder(load), each) for each in states.disks)
    primary, other = twin(load, load.scene.sandbox, (first,)), twin(load, replica.sandbox, (second,))
    return Lane(primary, states, (first, second), other)


def _lane_of_two(load: ServerReady, states: JointStates) -> Lane:
    folder = folder_of_two(load)
    data, logs = (replay(load, folder / name, each) for name, each in zip((DATA, LOGS), states.disks, strict=True))
    places = places_on(logs.mnt, load.setup.storage.apart) if load.setup.storage else IN_DATADIR
    return Lane(twin(load, load.scene.sandbox, (data, logs), places), states, (data, logs))


def new_folder(load: Begun) -> Path:
    """Not yet made."""
    return load.setup.root.absolute() / "live" / f"disk-{secrets.token_hex(4)}"


def replay(load: Begun, folder: Path, states: States) -> ReplayDisk:
    return made_disk(load, load.ports.replay(folder, states.recording))


def twin(load: Begun, of: Sandbox, disks: Sequence[ReplayDisk], places: LogPlaces = IN_DATADIR) -> Sandbox:
    """A stopped server with its data on the first of these disks."""
    server = load.made.enter_context(of.twin(disks[0].mnt, places))
    load.made.killed_by(server.kill)
    for disk in disks:
        load.made.callback(disk.give_way)  # before the server is killed
    return server
