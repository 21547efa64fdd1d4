"""A disk that becomes one state of a recording after the other, and a stopped server with its data there."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from workers.crash.chain import ServerReady
from workers.errors import ServerEnded
from workers.sandbox.disk.image import Block
from workers.sandbox.disk.recording.states import States
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.server import Recovery, Sandbox

MOST_LANES = 2


@dataclass(frozen=True)
class Lane:
    states: States
    disk: ReplayDisk
    server: Sandbox

    def become(self, blocks: Mapping[int, Block]) -> None:
        """The state before is forgotten. Raises SandboxError when this one could not be made."""
        self.server.kill()
        self.server.forget_logs()
        self.disk.become(blocks)

    def recover(self, settings: Mapping[str, str]) -> Recovery:
        """ServerEnded: the server ends because of this state."""
        if not self.server.datadir.is_dir():
            raise ServerEnded("The power loss took its data directory.")
        return self.server.recover(settings)


def lanes(load: ServerReady, states: States) -> tuple[Lane, ...]:
    """As many as the host has processors for. `load`: whose server they recover; it removes them."""
    return tuple(_lane(load, states) for _ in range(min(MOST_LANES, len(os.sched_getaffinity(0)))))


def _lane(load: ServerReady, states: States) -> Lane:
    folder = load.setup.root.absolute() / "live" / f"disk-{secrets.token_hex(4)}"
    disk = load.made.enter_context(load.ports.replay(folder, states.recording))
    load.made.killed_by(disk.give_way)
    server = load.made.enter_context(load.scene.sandbox.twin(disk.mnt))
    load.made.killed_by(server.kill)
    load.made.callback(disk.give_way)  # before the server is killed
    return Lane(states, disk, server)
