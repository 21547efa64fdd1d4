"""Minimal evidence of a violation: the one block whose content decides whether the checks pass, and of torn writes the
one sector of it.

The contents of the disks at the violation are compared with a neighbour that passes: everything written by then, only
what was durable, or what became durable next. Between the two, one changed block after the other is exchanged, in the
order in which they were written. Bisection finds two contents that differ in one block, one of which fails. The sectors
of this block are exchanged in the same way.

A later violation of the same checks may be the same defect. So the file that decided the earlier one gets the content
that it has in the neighbour. If the checks pass then, this file decides again, and nothing is bisected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from time import monotonic

from workers.crash.points.judge_state import StateJudge
from workers.crash.points.lane import Lane
from workers.crash.points.neighbours import first, is_durable, later_flushes, neighbours
from workers.crash.points.recorded import NS
from workers.crash.points.story import LOSSES, DecidingBlock
from workers.crash.points.violations import EXAMINE_S, MOST, MOST_COMPARED, Examined, Violation, file_of
from workers.crash.verdict import Outcome
from workers.errors import SandboxError
from workers.sandbox.disk.cache import SECTOR_BYTES
from workers.sandbox.disk.image import BLOCK_BYTES, Block
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import Contents, JointChoice
from workers.sandbox.disk.recording.states import Torn

Place = tuple[int, int]  # a disk, and a block of it


@dataclass
class Shrinker:
    """`files`: of each disk. `recoveries`: how many contents were recovered for one violation. `not_again`: how many
    violations passed when they were recovered again. `compared`: how many were decided by the file of an earlier
    one."""

    judge: StateJudge
    lane: Lane
    files: Sequence[FileMap]
    recoveries: int = field(init=False)
    not_again: int = field(default=0, init=False)
    compared: int = field(default=0, init=False)

    def all(
        self, violations: Sequence[Violation], more: Sequence[Violation] = (), limit_s: float = EXAMINE_S
    ) -> list[Examined]:
        """Those that were begun in this time, each with the block that decides; None: no block does. Of `more`, those
        in which another file must decide. Raises Cancelled."""
        ends, found = monotonic() + limit_s, list[Examined]()
        others = (one for one in more if one not in violations and self._has_another_cause(one, found))
        for violation in chain(violations, others):
            searched = len(found) - self.compared
            if found and (monotonic() > ends or searched == MOST or self.compared == MOST_COMPARED):
                break
            self.judge.load.timeline.tell("looking for the disk write that decides")
            self.recoveries = 0
            alike = [block for one, block in found if block and one.failed == violation.failed]
            found.append((violation, self._known(violation, alike) or self._of(violation.choice, violation.failed)))
        return found

    def _has_another_cause(self, violation: Violation, found: Sequence[Examined]) -> bool:
        """No file that decided the same checks has another content in a neighbour. Commits that are lost have their
        cause in the flush settings: these are tried elsewhere."""
        known = {file_of(block) for one, block in found if block and one.failed == violation.failed}
        return bool(known) and not violation.state.has_lost and not known & self._written_around(violation.choice)

    def _written_around(self, bad: JointChoice) -> set[tuple[str, str, str]]:
        """Files that differ in a neighbour, at most."""
        states, points = self.lane.states, bad.state.points
        latest = [max(one.moment for one in of_disk) for of_disk in zip(*neighbours(states, points), strict=True)]
        return {
            self._file((number, block))
            for number, (disk, point, until) in enumerate(zip(states.disks, points, latest, strict=True))
            for block in disk.versions.written(disk.durable(point), until)
        }

    def _file(self, place: Place) -> tuple[str, str, str]:
        """As `file_of` tells it."""
        disk, block = place
        found = self.files[disk].place(block)
        return self._name(disk), found.path if found else "", self.files[disk].role(block)

    def _name(self, disk: int) -> str:
        """Of one of several disks."""
        return self.judge.load.disks[disk] if self.judge.load.more else ""

    def _known(self, violation: Violation, blocks: Sequence[DecidingBlock]) -> DecidingBlock | None:
        """One of these blocks of earlier violations, if its file decides again."""
        states, bad, failed = self.lane.states, violation.choice, violation.failed
        wrong = states.blocks(bad.state.points)
        for block in {file_of(one): one for one in blocks}.values():
            try:
                exchanged = self._exchanged(bad, wrong, block)
                if exchanged and not self._fails(bad, failed, exchanged) and self._fails(bad, failed, wrong):
                    self.compared += 1
                    return block
            except SandboxError:  # of a mixture that is no file system any more
                continue
        return None

    def _exchanged(self, bad: JointChoice, wrong: Contents, block: DecidingBlock) -> Contents | None:
        """With this block's file as in the first neighbour of that kind in which it differs; None: there is none."""
        points = bad.state.points
        for neighbour in (
            one for one in neighbours(self.lane.states, points) if is_durable(one, points) == block.arrived
        ):
            right = self.lane.states.blocks(neighbour)
            if places := [one for one in self._changed(right, wrong) if self._file(one) == file_of(block)]:
                return _mixed(wrong, {place: self._block(right, place) for place in places})
        return None

    def _of(self, bad: JointChoice, failed: frozenset[str]) -> DecidingBlock | None:
        """None: the violation passes when it is recovered again, no neighbour passes, or a content in between cannot be
        recovered."""
        states = self.lane.states
        wrong = states.blocks(bad.state.points)
        try:
            if not self._fails(bad, failed, wrong):
                self.not_again += 1
                return None
            for neighbour in neighbours(states, bad.state.points):
                right = states.blocks(neighbour)
                if self._changed(right, wrong) and self._passes(bad, failed, right):
                    return self._decided(bad, failed, right, wrong, is_durable(neighbour, bad.state.points))
            return self._durable_later(bad, failed.intersection(LOSSES), wrong)
        except SandboxError:  # of a mixture that is no file system any more
            return None

    def _durable_later(self, bad: JointChoice, lost: frozenset[str], wrong: Contents) -> DecidingBlock | None:
        """Of commits that a later flush made durable. Other checks may fail there: later commits are under way."""
        states, flushes = self.lane.states, later_flushes(self.lane.states, bad.state.points)

        def are_there(n: int) -> bool:
            return self._passes(bad, lost, states.blocks(flushes[n - 1][1]))

        if not lost or not flushes or not are_there(len(flushes)):
            return None
        at_ns, points = flushes[first(len(flushes), are_there) - 1]
        block = self._decided(bad, lost, states.blocks(points), wrong, arrived=False)
        return block and replace(block, later_s=(at_ns - bad.state.since_ns) / NS)

    def _decided(
        self, bad: JointChoice, failed: frozenset[str], right: Contents, wrong: Contents, arrived: bool
    ) -> DecidingBlock | None:
        """None: a content in between is unclear."""
        changed = self._changed(right, wrong)

        def with_blocks(n: int) -> Contents:
            return _mixed(right, {place: self._block(wrong, place) for place in changed[:n]})

        outcomes: dict[int, Outcome] = {}

        def does_not_pass(n: int) -> bool:
            outcomes[n] = self._outcome(bad, failed, with_blocks(n))
            return outcomes[n] != "valid"

        n = first(len(changed), does_not_pass)
        if outcomes.get(n) == "unknown":
            return None
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

        return starts[first(len(starts), lambda n: not self._passes(bad, failed, with_sectors(n))) - 1]

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
        return self._outcome(bad, failed, contents) == "invalid"

    def _passes(self, bad: JointChoice, failed: frozenset[str], contents: Contents) -> bool:
        return self._outcome(bad, failed, contents) == "valid"

    def _outcome(self, bad: JointChoice, failed: frozenset[str], contents: Contents) -> Outcome:
        """Of these checks, with what was acknowledged at the violation. Unknown where none fails and one is unclear: a
        server may not start from a mixture. Raises Cancelled: the server may have been killed."""
        self.recoveries += 1
        found = self.judge.attempt(self.lane, bad, contents)
        self.judge.load.timeline.must_go_on()
        outcomes = {one.outcome for one in found.checks if one.key in failed}
        return "invalid" if "invalid" in outcomes else "unknown" if outcomes else "valid"

    def _told(
        self, bad: JointChoice, failed: frozenset[str], decides: Place, sector: int | None, arrived: bool
    ) -> DecidingBlock:
        disk, block = decides
        place = self.files[disk].place(block)
        return DecidingBlock(
            moment=bad.state.points[-1].moment,
            keeps=self.judge.load.keeps(bad.state),
            checks=tuple(sorted(failed)),
            path=place.path if place else "",
            offset=(place.offset if place else block * BLOCK_BYTES) + (sector or 0),
            role=self.files[disk].role(block),
            arrived=arrived,
            recoveries=self.recoveries,
            n_bytes=BLOCK_BYTES if sector is None else SECTOR_BYTES,
            disk=self._name(disk),
        )


def _mixed(contents: Contents, over: Mapping[Place, Block]) -> Contents:
    return tuple(
        {**blocks, **{number: block for (of, number), block in over.items() if of == disk}}
        for disk, blocks in enumerate(contents)
    )


def _sector(block: Block, at: int) -> Block:
    return block[at : at + SECTOR_BYTES]
