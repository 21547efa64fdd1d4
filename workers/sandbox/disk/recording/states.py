"""The contents that a power loss can leave on a recorded disk.

What is on the disk for certain at a moment is what the last flush before it made durable. Of everything written since,
any part may have got through. A content is possible for a while: until a flush ends that made something else durable.
Then is the time to judge it, because then the most was acknowledged.

What a flush made durable is everything written before it began. So most contents are prefixes of the recording, and
two prefixes without a write in between are one.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from workers.sandbox.disk.cache import SECTOR_BYTES, survivors
from workers.sandbox.disk.image import Block, rewritten
from workers.sandbox.disk.recording.events import DiskEvent, Kind
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.versions import Versions, digest


@dataclass(frozen=True)
class Torn:
    """A random part of the unflushed pieces got through, as in `VolatileDisk.cut` with these arguments."""

    keep_permille: int = 500
    seed: int = 0
    granularity: int = SECTOR_BYTES


@dataclass(frozen=True)
class Only:
    """Of the unflushed writes, those with these event numbers got through, in order."""

    writes: frozenset[int]


Keeps = Literal["durable", "written", "killed"] | Torn | Only


@dataclass(frozen=True)
class CrashPoint:
    """The power goes after the first `moment` events. `keeps`: what remains: only what is durable, everything written,
    or a part of the unflushed. `killed`: the server is killed instead, right after its files were written out."""

    moment: int
    keeps: Keeps = "durable"


@dataclass(frozen=True)
class DiskState:
    """The disk's content at a crash point; points with one digest have the same content. It was possible from
    `since_ns` on and before `until_ns`: everything acknowledged before `until_ns` must be in it."""

    point: CrashPoint
    since_ns: int
    until_ns: int
    digest: int


class States:
    """All of one recording. Building it reads the recording once; then every point is at hand, in any order."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.versions = Versions(recording)
        self._began = list(_in_progress(recording.events))
        self.flushes = list(_flushes(recording.events))
        self._latest: dict[int, int] = {}
        for prefix in (0, *(number + 1 for number in self.versions.writes)):  # in the order of time
            self._latest[self.versions.digests[prefix]] = self._ends(prefix)

    def at(self, point: CrashPoint) -> DiskState:
        known, (since_ns, until_ns) = self._digest(point), self.window(point)
        return DiskState(point, since_ns, max(until_ns, self._latest.get(known, 0)), known)

    def window(self, point: CrashPoint) -> tuple[int, int]:
        """Since when and until when the content is possible, whether it comes back later or not."""
        prefix = self._as_prefix(point)
        if prefix is None:  # until the next flush ends
            return self._time(point.moment), self._flush_end(self._ended(point))
        return self._time(prefix), self._ends(prefix)

    def blocks(self, point: CrashPoint) -> Mapping[int, Block]:
        """The blocks that were written since the base, by number."""
        prefix = self._as_prefix(point)
        if prefix is not None:
            return self.versions.blocks(prefix)
        return self.versions.blocks(self.durable(point)) | self._through(point)

    def durable(self, point: CrashPoint) -> int:
        """Everything that these first events wrote is durable at the point."""
        ended = self._ended(point)
        return self.flushes[ended - 1][0] if ended else 0

    def unflushed(self, point: CrashPoint) -> list[int]:
        """Numbers of the writes that may get through or be lost."""
        writes = self.versions.writes
        return writes[bisect_left(writes, self.durable(point)) : bisect_left(writes, point.moment)]

    def _as_prefix(self, point: CrashPoint) -> int | None:
        """None: the content is none."""
        if point.keeps == "durable":
            return self.versions.shortest(self.durable(point))
        return self.versions.shortest(point.moment) if point.keeps in ("written", "killed") else None

    def _ends(self, prefix: int) -> int:
        """When the first flush ends that began after a later write."""
        writes = self.versions.writes
        if (later := bisect_left(writes, prefix)) == len(writes):
            return self.recording.log.end_ns
        return self._flush_end(bisect_right(self.flushes, writes[later], key=lambda flush: flush[0]))

    def _digest(self, point: CrashPoint) -> int:
        prefix = self._as_prefix(point)
        if prefix is not None:
            return self.versions.digests[prefix]
        durable = self.durable(point)
        known = self.versions.digests[durable]
        for number, content in self._through(point).items():
            known ^= digest(number, self.versions.block(number, durable)) ^ digest(number, content)
        return known

    def _through(self, point: CrashPoint) -> dict[int, Block]:
        """The blocks of which something unflushed got through."""
        keeps = point.keeps
        if isinstance(keeps, Only):
            return self._replayed(point, keeps.writes)
        assert isinstance(keeps, Torn)
        durable, torn = self.durable(point), dict[int, Block]()
        for generation, since, until in self._generations(point):
            for number in self.versions.written(since, until):
                starts = [*survivors(keeps.keep_permille, keeps.seed, keeps.granularity, generation, number)]
                if starts:
                    old = torn.get(number) or self.versions.block(number, durable)
                    torn[number] = _mixed(old, self.versions.block(number, until), starts, keeps.granularity)
        return torn

    def _generations(self, point: CrashPoint) -> Iterator[tuple[int, int, int]]:
        """As the disk holds them: what a flush in progress writes is 0, what was written since is 1."""
        durable, began = self.durable(point), self._began[point.moment]
        if began is not None:
            yield 0, durable, began
        yield 1, durable if began is None else began, point.moment

    def _replayed(self, point: CrashPoint, chosen: frozenset[int]) -> dict[int, Block]:
        durable, made = self.durable(point), dict[int, Block]()

        def before(block: int) -> Block:
            return made.get(block) or self.versions.block(block, durable)

        for number in filter(chosen.__contains__, self.unflushed(point)):
            event = self.recording.events[number]
            made.update(dict(rewritten(event.offset, self.recording.content(event), before)))
        return made

    def _ended(self, point: CrashPoint) -> int:
        """How many flushes have ended."""
        return bisect_left(self.flushes, point.moment, key=lambda flush: flush[1])

    def _flush_end(self, flush: int) -> int:
        log = self.recording.log
        return log.events[self.flushes[flush][1]].at_ns if flush < len(self.flushes) else log.end_ns

    def _time(self, moment: int) -> int:
        return self.recording.events[moment - 1].at_ns if moment else self.recording.log.began_ns


def _in_progress(events: tuple[DiskEvent, ...]) -> Iterator[int | None]:
    """By moment: where the flush in progress began."""
    began = None
    yield began
    for number, event in enumerate(events):
        if event.kind is Kind.FLUSH_BEGAN:
            began = number
        elif event.kind in (Kind.FLUSH_ENDED, Kind.FLUSH_FAILED):
            began = None
        yield began


def _flushes(events: tuple[DiskEvent, ...]) -> Iterator[tuple[int, int]]:
    """Begin and end of each flush that made something durable."""
    began = 0
    for number, event in enumerate(events):
        if event.kind is Kind.FLUSH_BEGAN:
            began = number
        elif event.kind is Kind.FLUSH_ENDED:
            yield began, number


def _mixed(old: Block, new: Block, starts: list[int], granularity: int) -> bytes:
    mixed = bytearray(old)
    for start in starts:
        mixed[start : start + granularity] = new[start : start + granularity]
    return bytes(mixed)
