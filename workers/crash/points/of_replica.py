"""Crash points of a replica that applies a load: it loses its power, alone or at one moment with its primary.

A replica goes on from its own position after a crash. If the position is ahead of what the engine holds, rows are
missing for ever, and no error tells it. So each recovered replica follows its primary to the end, the primary writes
on, the replica follows again, and all rows of both are compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from workers.crash.chain import Begun
from workers.crash.evidence import ReplicaSeen
from workers.crash.points.choose import ONE_AT_RANDOM_OF
from workers.crash.points.judge_state import StateJudge
from workers.crash.points.lane import Lane, new_folder, recover, replay, twin
from workers.crash.points.recorded import Recorded, record
from workers.crash.points.steps import Attempted, judged, maps_of
from workers.crash.prepare import prepare, start
from workers.crash.replica import AFTER_RECOVERY, WROTE_ON, Replica
from workers.crash.replica_link import Link
from workers.errors import PlanError, SandboxError, ServerEnded
from workers.sandbox.disk.recording import joint, points
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointStates
from workers.sandbox.disk.recording.states import States

FOLLOW_S = 60.0  # a lane's replica applies what the load wrote


def steps(begun: Begun) -> Iterator[Begun]:
    """PlanError: the primary has two disks."""
    if begun.setup.storage and begun.setup.storage.apart:
        raise PlanError(
            "Crash points of a replica need one device for each server.", "Remove +binlog or +redo from the storage."
        )
    yield (started := start(begun))
    yield (prepared := prepare(started))
    yield (recorded := record(prepared))
    yield attempt(recorded)


def attempt(load: Recorded) -> Attempted:
    lane, files, choices = ready(load)
    return judged(load, [lane], files, choices, ReplicaJudge(load))


def ready(load: Recorded) -> tuple[Lane, Sequence[FileMap], list[JointChoice]]:
    """One lane: two copies of a replica have one identity."""
    load.timeline.step("choose crash points")
    states = JointStates([States(one) for one in (load.recording, *load.more)])
    lane = _lane(load, states)
    files = maps_of(lane)
    return lane, files, _choices(states, files, load.setup.seed, load.setup.points)


@dataclass(frozen=True)
class ReplicaJudge(StateJudge):
    def replicas(self, lane: Lane) -> tuple[ReplicaSeen, ...]:
        recorded = self.load.replica
        if recorded is None or lane.replica is None:
            return ()
        try:
            recover(lane.replica, recorded.settings)
        except ServerEnded as ended:
            return (ReplicaSeen(AFTER_RECOVERY, "stopped", f"it does not start: {ended.message}"),)
        except SandboxError as failed:
            return (ReplicaSeen(AFTER_RECOVERY, "unknown", failed.message),)
        link = Link(lane.server, lane.replica, recorded.link.password)
        replica = Replica(lane.replica, link, recorded.secret, recorded.settings)
        after = replica.reconnect(AFTER_RECOVERY, FOLLOW_S)
        replica.write_past()
        return after, replica.reconnect(WROTE_ON, FOLLOW_S)


def _choices(states: JointStates, files: Sequence[FileMap], seed: int, most: int) -> list[JointChoice]:
    """The replica alone and both together take turns. A primary that loses power alone is crashed elsewhere."""
    *_, role = (one.role for one in files)
    at_random = most // ONE_AT_RANDOM_OF // 2  # of each of both
    alone = [joint.of_the_last(states, one) for one in points.in_order(states.disks[-1], role, seed, at_random)]
    together = joint.in_order(states, [one.role for one in files], seed, at_random)
    both = [one for one in together if one.way != "one alone"]
    return [one for one in chain.from_iterable(zip_longest(filter(None, alone), both)) if one]


def _lane(load: Recorded, states: JointStates) -> Lane:
    if load.replica is None:
        raise SandboxError("No replica was recorded.")
    first, second = (replay(load, new_folder(load), each) for each in states.disks)
    primary, replica = twin(load, load.scene.sandbox, (first,)), twin(load, load.replica.sandbox, (second,))
    return Lane(primary, states, (first, second), replica)
