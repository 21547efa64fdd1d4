"""Minimal evidence of a violation: the one block whose content decides whether the checks pass, and of torn writes the
one sector of it.

The contents of the disks at the violation are compared with a neighbour that passes: everything written by then, only
what was durable, or what became durable next. Between the two, one changed block after the other is exchanged, in the
order in which they were written. Bisection finds two contents that differ in one block, one of which fails. The sectors
of this block are exchanged in the same way.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from workers.crash.points.judge_state import StateJudge
from workers.crash.points.lane import Lane
from workers.crash.points.story import DecidingBlock
from workers.crash.points.violations import EXAMINE_S, Violation
from workers.errors import SandboxError
from workers.sandbox.disk.cache import SECTOR_BYTES
from workers.sandbox.disk.image import BLOCK_BYTES, Block
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import Contents, JointChoice, JointStates
from workers.sandbox.disk.recording.states import CrashPoint, Torn

NEXT_FLUSHES = 3
Place = tuple[int, int]  # a disk, and a block of it


@dataclass
class Shrinker:
    """`files`: of each disk. `recoveries`: how many contents were recovered. `not_again`: how many violations passed
    when they were recovered again."""

    judge: StateJudge
    lane: Lane
    files: Sequence[FileMap]
    recoveries: int = field(default=0, init=False)
    not_again: int = field(default=0, init=False)

    def all(self, violations: Sequence[Violation], limit_s: float = EXAMINE_S) -> list[DecidingBlock | None]:
        """Of each that was begun in this time. None: no block decides. Raises Cancelled."""
        ends, found = monotonic() + limit_s, list[DecidingBlock | None]()
        for violation in violations:
            if found and monotonic() > ends:
                break
            self.judge.load.timeline.tell("looking for the disk write that decides")
            found.append(self._of(violation.choice, violation.failed))
        return found

    def _of(self, bad: JointChoice, failed: frozenset[str]) -> DecidingBlock | None:
        """None: the violation passes when it is recovered again, no neighbour passes, or a content in between cannot be
        recovered."""
        self.recoveries, states = 0, self.lane.states
        wrong = states.blocks(bad.state.points)
        try:
            if not self._fails(bad, failed, wrong):
                self.not_again += 1
                return None
            for neighbour in _neighbours(states, bad.state.points):
                right = states.blocks(neighbour)
                if self._changed(right, wrong) and not self._fails(bad, failed, right):
                    arrived = neighbour == tuple(CrashPoint(one.moment) for one in bad.state.points)
                    return self._decided(bad, failed, right, wrong, arrived)
        except SandboxError:  # of a mixture that is no file system any more
            return None
        return None

    def _decided(
        self, bad: JointChoice, failed: frozenset[str], right: Contents, wrong: Contents, arrived: bool
    ) -> DecidingBlock:
        changed = self._changed(right, wrong)

        def with_blocks(n: int) -> Contents:
            return _mixed(right, {place: self._block(wrong, place) for place in changed[:n]})

        n = _first(len(changed), lambda n: self._fails(bad, failed, with_blocks(n)))
        place, sector = changed[n - 1], None
        if isinstance(bad.state.points[place[0]].keeps, Torn):
            sector = self._sector(bad, failed, with_blocks(n - 1), place, self._block(wrong, place))
        return self._told(bad, failed, place, sector, arrived)

    def _sector(self, bad: JointChoice, failed: frozenset[str], right: Contents, place: Place, wrong: Block) -> int:
        """Where it begins in its block."""
        old = self._block(right, place)
        starts = [at for at in range(0, BLOCK_BYTES, SECTOR_BYTES) if _sector(old, at) != _sector(wrong, at)]

        def with_sectors(n: int) -> Contents:
            made = bytearray(old)
            for at in starts[:n]:
                made[at : at + SECTOR_BYTES] = _sector(wrong, at)
            return _mixed(right, {place: bytes(made)})

        return starts[_first(len(starts), lambda n: self._fails(bad, failed, with_sectors(n))) - 1]

    def _changed(self, right: Contents, wrong: Contents) -> list[Place]:
        """In the order of their first write."""
        places = {(disk, number) for each in (right, wrong) for disk, blocks in enumerate(each) for number in blocks}
        return sorted((one for one in places if self._block(right, one) != self._block(wrong, one)), key=self._written)

    def _written(self, place: Place) -> tuple[int, int]:
        disk = self.lane.states.disks[place[0]]
        number = disk.versions.first_write(place[1])
        return disk.recording.events[number].at_ns, number

    def _block(self, contents: Contents, place: Place) -> Block:
        disk, number = place
        return contents[disk].get(number) or self.lane.states.disks[disk].recording.base_block(number)

    def _fails(self, bad: JointChoice, failed: frozenset[str], contents: Contents) -> bool:
        """Whether one of these checks fails, with what was acknowledged at the violation. Raises Cancelled: the server
        may have been killed."""
        self.recoveries += 1
        found = self.judge.attempt(self.lane, bad, contents)
        self.judge.load.timeline.must_go_on()
        return any(one.key in failed for one in found.checks if one.outcome == "invalid")

    def _told(
        self, bad: JointChoice, failed: frozenset[str], decides: Place, sector: int | None, arrived: bool
    ) -> DecidingBlock:
        disk, block = decides
        place, load = self.files[disk].place(block), self.judge.load
        return DecidingBlock(
            moment=bad.state.points[-1].moment,
            keeps=load.keeps(bad.state),
            checks=tuple(sorted(failed)),
            path=place.path if place else "",
            offset=(place.offset if place else block * BLOCK_BYTES) + (sector or 0),
            role=self.files[disk].role(block),
            arrived=arrived,
            recoveries=self.recoveries,
            n_bytes=BLOCK_BYTES if sector is None else SECTOR_BYTES,
            disk=load.disks[disk] if load.more else "",
        )


def _first(most: int, fails: Callable[[int], bool]) -> int:
    """The least number of exchanges that fails. None passes; all fail."""
    passes, failing = 0, most
    while failing - passes > 1:
        middle = (passes + failing) // 2
        passes, failing = (passes, middle) if fails(middle) else (middle, failing)
    return failing


def _mixed(contents: Contents, over: Mapping[Place, Block]) -> Contents:
    return tuple(
        {**blocks, **{number: block for (of, number), block in over.items() if of == disk}}
        for disk, blocks in enumerate(contents)
    )


def _sector(block: Block, at: int) -> Block:
    return block[at : at + SECTOR_BYTES]


def _neighbours(states: JointStates, bad: Sequence[CrashPoint]) -> Iterator[tuple[CrashPoint, ...]]:
    yield tuple(CrashPoint(one.moment, "written") for one in bad)
    yield tuple(CrashPoint(one.moment) for one in bad)
    later = [
        [end + 1 for _, end in disk.flushes if end >= one.moment][:NEXT_FLUSHES]
        for disk, one in zip(states.disks, bad, strict=True)
    ]
    for n in range(max(map(len, later))):
        yield tuple(
            CrashPoint((ends[n:] or ends[-1:] or [one.moment])[0]) for ends, one in zip(later, bad, strict=True)
        )
