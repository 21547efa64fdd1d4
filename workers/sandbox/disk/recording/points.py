"""Which crash points of a recording to try, in an order whose every beginning covers the recording evenly.

So a budget is a number of points from the front, or whatever is done when the time is over; the rest was not tried.
"""

import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

from workers.sandbox.disk.image import blocks_of
from workers.sandbox.disk.recording.events import Kind
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, States, Torn

Way = Literal["after a flush", "within a flush", "within a flush of pages", "between two writes", "at random"]
Role = Callable[[int], str]  # what a block is for: "redo", "binlog", "data", or anything else
PAGES = {"data", "undo", "doublewrite"}


@dataclass(frozen=True)
class Reached:
    """How far both logs are certainly written at a crash point: bytes of their writes since the recording began."""

    redo_bytes: int
    binlog_bytes: int

    def __add__(self, other: "Reached") -> "Reached":
        return Reached(self.redo_bytes + other.redo_bytes, self.binlog_bytes + other.binlog_bytes)


@dataclass(frozen=True)
class ChosenPoint:
    """A state to be tried. `new`: no earlier choice has reached just this."""

    state: DiskState
    way: Way
    reached: Reached
    new: bool


def in_order(states: States, role: Role, seed: int, at_random: int = 0) -> list[ChosenPoint]:
    """Each state once. Of each way those come first that reach something new; the ways take turns."""
    progress = Progress(states, role)
    drawn = random.Random(seed)  # noqa: S311
    ways: dict[Way, list[CrashPoint]] = {
        "after a flush": _after_flushes(states),
        "within a flush": _within_flushes(states, progress.log_writes, drawn),
        "within a flush of pages": _within_flushes(states, progress.page_writes, drawn),
        "between two writes": [CrashPoint(number + 1, "written") for number in states.versions.writes],
        "at random": [_anywhere(states, drawn) for _ in range(at_random if states.versions.writes else 0)],
    }
    for points in ways.values():
        drawn.shuffle(points)
    tried, reached = set[int](), set[Reached]()
    queues = [list(_new_first(states, progress, way, points, tried, reached)) for way, points in ways.items()]
    return [choice for choice in chain.from_iterable(zip_longest(*queues)) if choice]


def _new_first(
    states: States,
    progress: "Progress",
    way: Way,
    points: Iterable[CrashPoint],
    tried: set[int],
    reached: set[Reached],
) -> Iterator[ChosenPoint]:
    later = []
    for point in points:
        state, now = states.at(point), progress.reached(point)
        if state.digest in tried:
            continue
        tried.add(state.digest)
        if now in reached:
            later.append(ChosenPoint(state, way, now, new=False))
        else:
            reached.add(now)
            yield ChosenPoint(state, way, now, new=True)
    yield from later


def _after_flushes(states: States) -> list[CrashPoint]:
    """Also before the first, and after those that a lying disk ignored."""
    events = states.recording.events
    ignored = [number for number, event in enumerate(events) if event.kind is Kind.FLUSH_IGNORED]
    return [CrashPoint(0), *(CrashPoint(number + 1) for number in (*(end for _, end in states.flushes), *ignored))]


def _within_flushes(states: States, writes: list[int], drawn: random.Random) -> list[CrashPoint]:
    """Of flushes that make one of these writes durable: before the end, when all of it is under way."""
    carrying = [end for _, end in states.flushes if _carries(states, end, writes)]
    return [CrashPoint(end, Torn(seed=drawn.getrandbits(32))) for end in carrying]


def _anywhere(states: States, drawn: random.Random) -> CrashPoint:
    torn = torn_anyhow(drawn)
    return CrashPoint(drawn.choice(states.versions.writes) + 1, torn)


def torn_anyhow(drawn: random.Random) -> Torn:
    return Torn(drawn.randrange(50, 951), drawn.getrandbits(32), drawn.choice((512, 4096)))


class Progress:
    """How far the logs are at each point."""

    def __init__(self, states: States, role: Role) -> None:
        self._states = states
        self._bytes = {"redo": [0], "binlog": [0]}  # by the number of writes
        self.log_writes: list[int] = []
        self.page_writes: list[int] = []  # of pages and of their copies
        for number in states.versions.writes:
            event = states.recording.events[number]
            roles = {role(block) for block in blocks_of(event.offset, event.length)}
            for log, sums in self._bytes.items():
                sums.append(sums[-1] + (event.length if log in roles else 0))
            if roles & self._bytes.keys():
                self.log_writes.append(number)
            if roles & PAGES:
                self.page_writes.append(number)

    def reached(self, point: CrashPoint) -> Reached:
        """Of a torn state: what was durable."""
        prefix = point.moment if point.keeps == "written" else self._states.durable(point)
        writes = bisect_left(self._states.versions.writes, prefix)
        return Reached(self._bytes["redo"][writes], self._bytes["binlog"][writes])


def _carries(states: States, end: int, writes: list[int]) -> bool:
    before, after = states.durable(CrashPoint(end)), states.durable(CrashPoint(end + 1))
    return bisect_left(writes, before) < bisect_left(writes, after)
