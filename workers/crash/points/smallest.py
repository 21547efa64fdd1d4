"""The smallest part of a small history that still recovers wrong: its steps are dropped one by one."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from workers.crash.points.histories import History
from workers.crash.points.judge_history import AFTER, DURING
from workers.crash.points.story import SmallestHistory, TriedState

MOST_PLAYED = 8  # parts of one history


def smallest(
    history: History, wrong: Iterable[TriedState], play: Callable[[History], Iterable[TriedState] | None]
) -> SmallestHistory | None:
    """`play`: the states of another history; None: no time is left for it. None: nothing was wrong, statements were
    sent at once, or no part was played."""
    first = min(wrong, key=lambda state: state.acknowledged, default=None)
    if first is None or history.at_once:
        return None
    steps, played = history.steps[: first.acknowledged + 1], 0
    for at in reversed(range(len(steps) - 1)):  # the statement under way stays
        if played == MOST_PLAYED:
            break
        part = (*steps[:at], *steps[at + 1 :])
        if (states := play(replace(history, steps=part))) is None:
            break
        played += 1
        if any(is_wrong_under(part[-1][1], state) for state in states):
            steps = part
    enough = SmallestHistory(title=history.title, steps=tuple(statement for _, statement in steps), played=played)
    return enough if played else None


def is_wrong(state: TriedState) -> bool:
    return state.verdict == "invalid"


def is_wrong_under(statement: str, state: TriedState) -> bool:
    """While that statement was under way, or after it if it was the last one. An unclear state is not wrong."""
    began = DURING.format(statement), AFTER.format(statement)
    return is_wrong(state) and any(check.says.startswith(began) for check in state.checks)
