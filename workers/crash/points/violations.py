"""The violations of a recorded load that are examined further.

First one of each kind: two violations are of one kind if the same checks fail and the disks keep unflushed writes by
the same rule. Kinds with other failed checks come first. Then further ones in which another file must decide. Bounds
and a time limit how many are examined; the result says how many were not.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from workers.crash.points.story import DecidingBlock, TriedState
from workers.sandbox.disk.recording.joint import JointChoice

MOST = 8  # of one load, of which the block that decides is looked for
MOST_COMPARED = 8  # of one load, more, that turn out to be decided by the same file as an earlier one
EXAMINE_S = 60.0  # then no further one is begun, but the first one always
MOST_KEPT = 4  # archives


@dataclass(frozen=True)
class Violation:
    """`failed`: keys of the checks."""

    state: TriedState
    choice: JointChoice
    failed: frozenset[str]


Examined = tuple[Violation, DecidingBlock | None]


def violations_of(tried: Iterable[tuple[TriedState, JointChoice]]) -> list[Violation]:
    """All, of states with their choices."""
    checked = ((*one, frozenset(check.key for check in one[0].checks if check.outcome == "invalid")) for one in tried)
    return [Violation(state, choice, failed) for state, choice, failed in checked if failed]


def different(violations: Iterable[Violation]) -> list[Violation]:
    """Of violations in time, the first one of each kind."""
    kinds: dict[tuple[frozenset[str], str], Violation] = {}
    for one in violations:
        kinds.setdefault((one.failed, one.state.keeps), one)
    firsts = {one.failed: one for one in reversed(kinds.values())}
    return sorted(kinds.values(), key=lambda one: firsts[one.failed] is not one)


def unlike(examined: Iterable[Examined]) -> list[Examined]:
    """The first one where the same checks failed because of the same file."""
    found: dict[object, Examined] = {}
    for violation, block in examined:
        found.setdefault((violation.failed, block and file_of(block)), (violation, block))
    return list(found.values())


def file_of(block: DecidingBlock) -> tuple[str, str, str]:
    """Without a path: all blocks of the disk that belong to no file."""
    return block.disk, block.path, block.role
