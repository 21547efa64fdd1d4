"""Minimal evidence of a violation: the one block of the disk whose content decides whether the checks pass.

The content of the disk at the violation is compared with a neighbour that passes: everything written by then, only what
was durable, or what became durable next. Between the two, one changed block after the other is exchanged, in the order
in which they were written. Bisection finds two contents that differ in one block, one of which fails.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workers.crash.points.judge_state import StateJudge, keeps_in_words
from workers.crash.points.lane import Lane
from workers.crash.points.story import DecidingBlock
from workers.crash.points.violations import Violation
from workers.errors import SandboxError
from workers.sandbox.disk.image import Block
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.points import ChosenPoint
from workers.sandbox.disk.recording.states import CrashPoint, DiskState, States

NEXT_FLUSHES = 3


@dataclass
class Shrinker:
    """`recoveries`: how many contents were recovered."""

    judge: StateJudge
    lane: Lane
    files: FileMap
    recoveries: int = field(default=0, init=False)

    def all(self, violations: Sequence[Violation]) -> tuple[DecidingBlock, ...]:
        """Raises Cancelled."""
        found = []
        for violation in violations:
            self.judge.load.timeline.tell("the block that decides")
            found.append(self._of(violation.choice, violation.failed))
        return tuple(one for one in found if one)

    def _of(self, bad: ChosenPoint, failed: frozenset[str]) -> DecidingBlock | None:
        """None: no neighbour passes, or a content in between cannot be recovered."""
        self.recoveries, states = 0, self.lane.states
        wrong = states.blocks(bad.state.point)
        try:
            for neighbour in _neighbours(states, bad.state):
                right = states.blocks(neighbour)
                if not self._fails(bad, failed, right):
                    block = self._bisect(bad, failed, right, wrong)
                    return self._told(bad, failed, neighbour, block)
        except SandboxError:  # of a mixture that is no file system any more
            return None
        return None

    def _bisect(
        self, bad: ChosenPoint, failed: frozenset[str], right: Mapping[int, Block], wrong: Mapping[int, Block]
    ) -> int:
        changed = self._changed(right, wrong)
        passes, fails = 0, len(changed)
        while fails - passes > 1:
            middle = (passes + fails) // 2
            mixed = {**right, **{number: self._content(wrong, number) for number in changed[:middle]}}
            passes, fails = (passes, middle) if self._fails(bad, failed, mixed) else (middle, fails)
        return changed[fails - 1]

    def _changed(self, right: Mapping[int, Block], wrong: Mapping[int, Block]) -> list[int]:
        """In the order of their first write."""
        both = {*right, *wrong}
        differing = (number for number in both if self._content(right, number) != self._content(wrong, number))
        return sorted(differing, key=self.lane.states.versions.first_write)

    def _content(self, blocks: Mapping[int, Block], number: int) -> Block:
        return blocks.get(number) or self.lane.states.recording.base_block(number)

    def _fails(self, bad: ChosenPoint, failed: frozenset[str], blocks: Mapping[int, Block]) -> bool:
        """Whether one of these checks fails, with what was acknowledged at the violation. Raises Cancelled: the server
        may have been killed."""
        self.recoveries += 1
        found = self.judge.attempt(self.lane, bad, blocks)
        self.judge.load.timeline.must_go_on()
        return any(one.key in failed for one in found.checks if one.outcome == "invalid")

    def _told(self, bad: ChosenPoint, failed: frozenset[str], neighbour: CrashPoint, block: int) -> DecidingBlock:
        place = self.files.place(block)
        return DecidingBlock(
            moment=bad.state.point.moment,
            keeps=keeps_in_words(bad.state),
            checks=tuple(sorted(failed)),
            path=place.path if place else "",
            offset=place.offset if place else block * 4096,
            role=self.files.role(block),
            arrived=neighbour == CrashPoint(bad.state.point.moment),
            recoveries=self.recoveries,
        )


def _neighbours(states: States, bad: DiskState) -> Iterator[CrashPoint]:
    moment = bad.point.moment
    yield CrashPoint(moment, "written")
    yield CrashPoint(moment)
    later = [end + 1 for _, end in states.flushes if end >= moment]
    yield from (CrashPoint(end) for end in later[:NEXT_FLUSHES])
