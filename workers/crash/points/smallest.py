"""The smallest part of a small history that still recovers wrong: its steps are dropped one by one."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from workers.crash.points.histories import History
from workers.crash.points.judge_history import UNDER_WAY
from workers.crash.points.story import SmallestHistory, TriedState

MOST_PLAYED = 8  # parts of one history


def smallest(
    history: History, wrong: Iterable[TriedState], play: Callable[[History], Iterable[TriedState]]
) -> SmallestHistory | None:
    """`play`: the states of another history. None: nothing was wrong, or statements were sent at once."""
    first = min(wrong, key=lambda state: state.acknowledged, default=None)
    if first is None or history.at_once:
        return None
    steps, played = history.steps[: first.acknowledged + 1], 0
    for at in reversed(range(len(steps) - 1)):  # the statement under way stays
        if played == MOST_PLAYED:
            break
        part, played = (*steps[:at], *steps[at + 1 :]), played + 1
        if any(is_wrong_under(part[-1][1], state) for state in play(replace(history, steps=part))):
            steps = part
    return SmallestHistory(title=history.title, steps=tuple(statement for _, statement in steps), played=played)


def is_wrong(state: TriedState) -> bool:
    return state.verdict == "invalid"


def is_wrong_under(statement: str, state: TriedState) -> bool:
    """While that statement was under way."""
    began = UNDER_WAY.format(statement)
    return any(check.says.startswith(began) for check in state.checks)
