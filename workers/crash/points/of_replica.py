"""Crash points of a replica: its disk is recorded while it applies, and each content must lead to the primary's rows.

A replica goes on from its own position after a crash. If the position is ahead of what the engine holds, rows are
missing for ever, and no error tells it. So each recovered replica follows the primary to its end, and all rows of both
are compared. The primary lives on: nothing is lost there.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

from workers.crash.chain import Begun, ServerReady
from workers.crash.evidence import ReplicaSeen
from workers.crash.points.attempts import attempt_all
from workers.crash.points.judge_state import keeps_in_words
from workers.crash.points.lane import Lane
from workers.crash.prepare import start
from workers.crash.replica import Replica
from workers.crash.replica_link import Link
from workers.errors import SandboxError, ServerEnded
from workers.sandbox import owner
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.points import ChosenPoint, in_order
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import States
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.users import unprivileged_user

FLUSH_US = 1000  # so that moments within a flush exist
POLL_S = 0.05
QUIET_S = 1.0
FOLLOW_S = 60.0  # a lane's replica applies what the load wrote


@dataclass(frozen=True)
class ReplicaState:
    """`seen`: after the recovered replica caught up or stopped; None: it does not start, and `refused` says why."""

    moment: int
    keeps: str
    way: str
    seen: ReplicaSeen | None
    refused: str = ""

    @property
    def differs(self) -> bool:
        """It went on without an error, and its rows are others than the primary's."""
        return bool(self.seen and self.seen.state == "caught up" and self.seen.different_rows)

    @property
    def is_right(self) -> bool:
        return bool(self.seen and self.seen.state == "caught up" and not self.seen.different_rows)


@dataclass(frozen=True)
class ReplicaPoints:
    """`acknowledged`: transactions of the load. `left`: crash points that were found and not tried."""

    tried: tuple[ReplicaState, ...]
    left: int
    flushes: int
    acknowledged: int


def replica_points(begun: Begun, settings: Mapping[str, str], points: int) -> ReplicaPoints:
    """`begun`: of the primary; `settings`: of its replica. Raises Cancelled, SandboxError and ServerError."""
    ready = start(begun)
    disk, replica = _replica(ready, settings)
    recording, acknowledged = _record(ready, disk, replica)
    states = States(recording)
    lane = _lane(ready, states, replica)
    choices = in_order(states, FileMap.of(states, lane.disk).role, ready.setup.seed)

    def attempt(lane: Lane, choice: ChosenPoint) -> ReplicaState:
        return _attempt(lane, choice, replica)

    ready.timeline.step("crash points")
    tried = attempt_all(ready.timeline, [lane], choices[:points], attempt)
    in_time = tuple(sorted(tried, key=lambda state: (state.moment, state.keeps)))
    return ReplicaPoints(in_time, len(choices) - len(tried), len(states.flushes), acknowledged)


def _replica(ready: ServerReady, settings: Mapping[str, str]) -> tuple[VolatileDisk, Replica]:
    setup, made, ports = ready.setup, ready.made, ready.ports
    ready.timeline.step("attach replica")
    disk = made.enter_context(ports.disk(setup.root, setup.build, unprivileged_user(setup.user)))
    made.killed_by(disk.give_way)
    how = {"user": setup.user, "settings": settings, "datadir_on": disk.mnt}
    replica = made.enter_context(ports.replica(setup.root, setup.build, ready.server, ready.secret, **how))
    made.killed_by(replica.sandbox.kill)
    made.callback(disk.give_way)  # before the server is killed
    return disk, replica


def _record(ready: ServerReady, disk: VolatileDisk, replica: Replica) -> tuple[Recording, int]:
    """What the disk was given while the replica applied. The replica is killed; the primary is at rest."""
    setup, ports = ready.setup, ready.ports
    witness = ports.witness(ready.server.target, ready.schema, setup.clients, ready.secret)
    ready.made.callback(witness.close)
    folder = owner.new_folder(setup.root.absolute() / "live", f"recording-{secrets.token_hex(4)}")
    ready.made.callback(owner.remove, folder)
    replica.sandbox.settle()
    disk.storage(FLUSH_US)
    disk.record(folder / "recording")
    ready.timeline.step("load")
    witness.begin()
    while (left := witness.began + setup.load_s - ports.clock()) > 0:
        ready.timeline.must_go_on()
        if not witness.alive:
            raise SandboxError(f"The clients stopped before the end of the load: {witness.trouble}.")
        ports.sleep(min(left, POLL_S))
    replica.sandbox.freeze()
    disk.stop_recording()
    witness.drain(QUIET_S)
    disk.storage(0)
    disk.give_way()
    replica.sandbox.kill()
    return Recording.load(folder / "recording"), len(witness.ledger().acknowledged())


def _lane(ready: ServerReady, states: States, replica: Replica) -> Lane:
    """One: two copies of a replica have one identity, and a primary serves only the last one."""
    folder = ready.setup.root.absolute() / "live" / f"disk-{secrets.token_hex(4)}"
    disk = ready.made.enter_context(ready.ports.replay(folder, states.recording))
    ready.made.killed_by(disk.give_way)
    server = ready.made.enter_context(replica.sandbox.twin(disk.mnt))
    ready.made.killed_by(server.kill)
    ready.made.callback(disk.give_way)
    return Lane(server, states, disk)


def _attempt(lane: Lane, choice: ChosenPoint, recorded: Replica) -> ReplicaState:
    state = ReplicaState(choice.state.point.moment, keeps_in_words(choice.state), choice.way, None)
    lane.become(lane.states.blocks(choice.state.point))
    try:
        lane.recover(recorded.settings)
    except ServerEnded as ended:
        return replace(state, refused=ended.message)
    link = Link(recorded.link.source, lane.server, recorded.link.password)
    again = Replica(lane.server, link, recorded.secret, recorded.settings)
    return replace(state, seen=again.reconnect("after recovery", FOLLOW_S))
