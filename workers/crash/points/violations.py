"""The violations of a recorded load that are examined further: the first one of each kind.

Two violations are of one kind if the same checks fail and the disks keep unflushed writes by the same rule. Kinds with
other failed checks come first. A bound and a time limit how many are examined; the result says how many were not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workers.crash.points.story import DecidingBlock, TriedState
from workers.sandbox.disk.recording.joint import JointChoice

MOST = 8  # of one load
EXAMINE_S = 60.0  # then no further one is begun, but the first one always
MOST_KEPT = 4  # archives


@dataclass(frozen=True)
class Violation:
    """`failed`: keys of the checks."""

    state: TriedState
    choice: JointChoice
    failed: frozenset[str]


def different(tried: Iterable[tuple[TriedState, JointChoice]]) -> list[Violation]:
    """Of states in time, each with its choice."""
    kinds: dict[tuple[frozenset[str], str], Violation] = {}
    for state, choice in tried:
        if failed := frozenset(one.key for one in state.checks if one.outcome == "invalid"):
            kinds.setdefault((failed, state.keeps), Violation(state, choice, failed))
    firsts = {one.failed: one for one in reversed(kinds.values())}
    return sorted(kinds.values(), key=lambda one: firsts[one.failed] is not one)


def unlike(
    examined: Iterable[Violation], blocks: Sequence[DecidingBlock | None]
) -> list[tuple[Violation, DecidingBlock | None]]:
    """Each with the block that decides it; the first one where the same checks failed because of the same file."""
    found: dict[object, tuple[Violation, DecidingBlock | None]] = {}
    for violation, block in zip(examined, blocks, strict=False):
        found.setdefault((violation.failed, block and (block.disk, block.path, block.role)), (violation, block))
    return list(found.values())
