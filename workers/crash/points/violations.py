"""The violations of a recorded load that are examined further: the first ones whose failed checks differ."""

from collections.abc import Iterable
from dataclasses import dataclass

from workers.crash.points.story import TriedState
from workers.sandbox.disk.recording.joint import JointChoice

MOST = 2  # of one load


@dataclass(frozen=True)
class Violation:
    """`failed`: keys of the checks."""

    state: TriedState
    choice: JointChoice
    failed: frozenset[str]


def first_violations(tried: Iterable[tuple[TriedState, JointChoice]]) -> list[Violation]:
    """Of states in time, each with its choice."""
    found: dict[frozenset[str], Violation] = {}
    for state, choice in tried:
        failed = frozenset(one.key for one in state.checks if one.outcome == "invalid")
        if failed and failed not in found:
            found[failed] = Violation(state, choice, failed)
    return list(found.values())[:MOST]
