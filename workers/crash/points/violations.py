"""The violations of a recorded load that are examined further: the first ones whose failed checks differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from workers.crash.points.judge_state import keeps_in_words
from workers.crash.points.story import TriedState
from workers.sandbox.disk.recording.points import ChosenPoint

MOST = 2  # of one load


@dataclass(frozen=True)
class Violation:
    """`failed`: keys of the checks."""

    state: TriedState
    choice: ChosenPoint
    failed: frozenset[str]


def first_violations(tried: Sequence[TriedState], choices: Sequence[ChosenPoint]) -> list[Violation]:
    found: dict[frozenset[str], Violation] = {}
    for state in tried:
        failed = frozenset(one.key for one in state.checks if one.outcome == "invalid")
        if failed and failed not in found:
            found[failed] = Violation(state, _choice(state, choices), failed)
    return list(found.values())[:MOST]


def _choice(state: TriedState, choices: Sequence[ChosenPoint]) -> ChosenPoint:
    wanted = (state.moment, state.keeps, state.way)
    return next(one for one in choices if (one.state.point.moment, keeps_in_words(one.state), one.way) == wanted)
