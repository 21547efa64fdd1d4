"""Disks that were recorded at once: crashed at one moment, together or one of them alone. One disk can be all.

All recordings have one clock. A joint state is possible while the content of each of its disks is.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

from workers.errors import SandboxError
from workers.sandbox.disk.image import Block
from workers.sandbox.disk.recording.events import Kind, RecordingEnd
from workers.sandbox.disk.recording.points import ChosenPoint, Progress, Reached, Role, Way, torn_anyhow
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, Keeps, States, Torn

MOST_TORN = 200  # a disk that is seldom flushed has much to be torn, which takes time
JointWay = Literal[
    "together", "one alone", "torn together", "between two writes", "the replica alone", "at a random moment"
]
Contents = tuple[Mapping[int, Block], ...]  # of each disk, the blocks that were written since its base


@dataclass(frozen=True)
class JointPoint:
    """The power of a disk goes at that moment unless it keeps everything `written`."""

    at_ns: int
    keeps: tuple[Keeps, ...]


@dataclass(frozen=True)
class JointState:
    """`points`: of each disk. Everything acknowledged before `until_ns` must be in it. `digests`: of each disk's
    content."""

    points: tuple[CrashPoint, ...]
    since_ns: int
    until_ns: int
    digests: tuple[int, ...]


@dataclass(frozen=True)
class JointChoice:
    """`new`: no earlier choice has reached just this."""

    state: JointState
    way: Way | JointWay
    reached: Reached
    new: bool


class JointStates:
    """SandboxError: the recordings have no moment in common."""

    def __init__(self, disks: Sequence[States]) -> None:
        self.disks = tuple(disks)
        logs = [disk.recording.log for disk in disks]
        self.began_ns, self.end_ns = max(log.began_ns for log in logs), min(log.end_ns for log in logs)
        if self.began_ns >= self.end_ns:
            raise SandboxError("The recordings of the disks have no moment in common.", "Record the load again.")

    def at(self, point: JointPoint) -> JointState:
        points = tuple(
            CrashPoint(disk.recording.moment(point.at_ns), keeps)
            for disk, keeps in zip(self.disks, point.keeps, strict=True)
        )
        each = [(disk.window(one), disk.at(one)) for disk, one in zip(self.disks, points, strict=True)]
        since_ns, until_ns = max(window[0] for window, _ in each), min(window[1] for window, _ in each)
        return JointState(points, since_ns, min(until_ns, self.end_ns), tuple(state.digest for _, state in each))

    def blocks(self, points: Sequence[CrashPoint]) -> Contents:
        return tuple(disk.blocks(point) for disk, point in zip(self.disks, points, strict=True))

    def times(self, kind: Kind) -> list[int]:
        """Of the events of that kind on any disk, while all were recorded."""
        events = chain.from_iterable(disk.recording.events for disk in self.disks)
        return sorted(one.at_ns for one in events if one.kind is kind and self.began_ns <= one.at_ns < self.end_ns)


def of_one(choice: ChosenPoint) -> JointChoice:
    """Of a server with one disk."""
    return JointChoice(_of_one_disk(choice.state), choice.way, choice.reached, choice.new)


def of_the_last(joint: JointStates, choice: ChosenPoint) -> JointChoice | None:
    """Only the last disk loses power. The others have everything that was ever written, and the load is over. None:
    another recording had ended before that moment, or by itself: then it lacks the last writes."""
    alone, logs = _of_one_disk(choice.state), [disk.recording.log for disk in joint.disks[:-1]]
    end_ns = min(log.end_ns for log in logs)  # the last disk's recording may have ended long before
    if alone.since_ns > end_ns or any(log.end is not RecordingEnd.STOPPED for log in logs):
        return None
    others = tuple(CrashPoint(len(disk.recording.events), "written") for disk in joint.disks[:-1])
    digests = tuple(disk.at(point).digest for disk, point in zip(joint.disks, others, strict=False))
    state = JointState((*others, *alone.points), alone.since_ns, end_ns, (*digests, *alone.digests))
    return JointChoice(state, "the replica alone", choice.reached, choice.new)


def _of_one_disk(state: DiskState) -> JointState:
    return JointState((state.point,), state.since_ns, state.until_ns, (state.digest,))


def in_order(joint: JointStates, roles: Sequence[Role], seed: int, at_random: int = 0) -> list[JointChoice]:
    """Each state once. Of each way those come first that reach something new; the ways take turns. `roles`: of each
    disk's blocks."""
    drawn = random.Random(seed)  # noqa: S311
    progress = [Progress(disk, role) for disk, role in zip(joint.disks, roles, strict=True)]
    tried, reached, queues = set[tuple[int, ...]](), set[Reached](), []
    for way, points in _ways(joint, drawn, at_random).items():
        drawn.shuffle(points)
        choices = []
        for state in map(joint.at, points):
            if state.digests in tried:
                continue
            tried.add(state.digests)
            now = sum((one.reached(point) for one, point in zip(progress, state.points, strict=True)), Reached(0, 0))
            choices.append(JointChoice(state, way, now, now not in reached))
            reached.add(now)
        queues.append(sorted(choices, key=lambda choice: not choice.new))
    return [choice for choice in chain.from_iterable(zip_longest(*queues)) if choice]


def _ways(joint: JointStates, drawn: random.Random, at_random: int) -> dict[Way | JointWay, list[JointPoint]]:
    count, flushes = len(joint.disks), [joint.began_ns, *joint.times(Kind.FLUSH_ENDED)]
    writes, torn = joint.times(Kind.WRITE), drawn.sample(flushes[1:], min(len(flushes) - 1, MOST_TORN))
    return {
        "together": [JointPoint(at_ns, _all("durable", count)) for at_ns in flushes],
        "one alone": [JointPoint(at_ns, keeps) for at_ns in (*flushes, *writes) for keeps in _alone(count)],
        "torn together": [
            JointPoint(at_ns - 1, tuple(Torn(seed=drawn.getrandbits(32)) for _ in joint.disks)) for at_ns in torn
        ],
        "between two writes": [JointPoint(at_ns, _all("written", count)) for at_ns in writes],
        "at random": [
            JointPoint(drawn.choice(writes), tuple(torn_anyhow(drawn) for _ in range(count)))
            for _ in range(at_random if writes else 0)
        ],
    }


def _all(keeps: Keeps, count: int) -> tuple[Keeps, ...]:
    return (keeps,) * count


def _alone(count: int) -> Iterator[tuple[Keeps, ...]]:
    for lost in range(count):
        yield tuple("durable" if disk == lost else "written" for disk in range(count))
