"""Disks that become one state of their recordings after the other, and a stopped server with its data there."""

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.crash.chain import ServerReady
from workers.crash.disks import DATA, LOGS, folder_of_two, places_on
from workers.errors import ServerEnded
from workers.sandbox.disk.image import Block
from workers.sandbox.disk.recording.joint import JointState, JointStates
from workers.sandbox.disk.recording.states import States
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.log_places import IN_DATADIR, LogPlaces
from workers.sandbox.server import Recovery, Sandbox

MOST_LANES = 2


@dataclass(frozen=True)
class ServerLane:
    server: Sandbox

    def recover(self, settings: Mapping[str, str]) -> Recovery:
        """ServerEnded: the server ends because of this state."""
        if not self.server.datadir.is_dir():
            raise ServerEnded("The power loss took its data directory.")
        return self.server.recover(settings)

    def forget(self) -> None:
        """The state before."""
        self.server.kill()
        self.server.forget_logs()


@dataclass(frozen=True)
class Lane(ServerLane):
    states: States
    disk: ReplayDisk

    def become(self, blocks: Mapping[int, Block]) -> None:
        """Raises SandboxError when this state could not be made."""
        self.forget()
        self.disk.become(blocks)


@dataclass(frozen=True)
class JointLane(ServerLane):
    """Of a server with its logs on a disk of their own. `disks`: in the order of the joint states."""

    states: JointStates
    disks: tuple[ReplayDisk, ...]

    def become(self, state: JointState) -> None:
        """Raises SandboxError when this state could not be made."""
        self.forget()
        for states, disk, point in zip(self.states.disks, self.disks, state.points, strict=True):
            disk.become(states.blocks(point))


def lanes(load: ServerReady, states: States) -> tuple[Lane, ...]:
    """As many as the host has processors for. `load`: whose server they recover; it removes them."""
    return tuple(_lane(load, states) for _ in range(_count()))


def joint_lanes(load: ServerReady, states: JointStates) -> tuple[JointLane, ...]:
    return tuple(_joint_lane(load, states) for _ in range(_count()))


def _count() -> int:
    return min(MOST_LANES, len(os.sched_getaffinity(0)))


def _lane(load: ServerReady, states: States) -> Lane:
    disk = _replay(load, load.setup.root.absolute() / "live" / f"disk-{secrets.token_hex(4)}", states)
    return Lane(_server(load, (disk,), IN_DATADIR), states, disk)


def _joint_lane(load: ServerReady, states: JointStates) -> JointLane:
    folder = folder_of_two(load)
    data, logs = (_replay(load, folder / name, each) for name, each in zip((DATA, LOGS), states.disks, strict=True))
    places = places_on(logs.mnt, load.setup.storage) if load.setup.storage else IN_DATADIR
    return JointLane(_server(load, (data, logs), places), states, (data, logs))


def _replay(load: ServerReady, folder: Path, states: States) -> ReplayDisk:
    disk = load.made.enter_context(load.ports.replay(folder, states.recording))
    load.made.killed_by(disk.give_way)
    return disk


def _server(load: ServerReady, disks: Sequence[ReplayDisk], places: LogPlaces) -> Sandbox:
    server = load.made.enter_context(load.scene.sandbox.twin(disks[0].mnt, places))
    load.made.killed_by(server.kill)
    for disk in disks:
        load.made.callback(disk.give_way)  # before the server is killed
    return server
