"""The smallest part of a history that still recovers wrong. The recoveries are made up."""

import pytest

from tests.unit.crash.recorded_states import state
from workers.crash.points.histories import History, alone
from workers.crash.points.smallest import MOST_PLAYED, smallest
from workers.crash.points.story import SmallestHistory
from workers.crash.verdict import CheckResult


def wrong(statement, acknowledged):
    return state(0.1, CheckResult("history", "invalid", 1, f"Crash during {statement}: It is gone."),
                 acknowledged=acknowledged)  # fmt: skip


def needs(*statements):
    """DROP recovers wrong if these statements are there."""
    played = []

    def play(history):
        played.append([statement for _, statement in history.steps])
        return [wrong("DROP", 1)] if set(statements) <= set(played[-1]) else [state(0.1)]

    return played, play


HISTORY = alone("drop", "INSERT a", "CREATE", "INSERT c", "DROP", "INSERT b")


def test_steps_that_do_not_matter_are_dropped():
    played, play = needs("CREATE")
    found = smallest(HISTORY, [wrong("INSERT b", 4), wrong("DROP", 3)], play)
    assert found == SmallestHistory(title="drop", steps=("CREATE", "DROP"), played=3)
    assert played == [["INSERT a", "CREATE", "DROP"], ["INSERT a", "DROP"], ["CREATE", "DROP"]]


def test_no_step_is_dropped_when_each_step_matters():
    _, play = needs("INSERT a", "CREATE", "INSERT c")
    assert smallest(HISTORY, [wrong("DROP", 3)], play).steps == ("INSERT a", "CREATE", "INSERT c", "DROP")


def test_another_failure_does_not_count():
    found = smallest(HISTORY, [wrong("DROP", 3)], lambda history: [wrong("CREATE", 1)])
    assert found.steps == ("INSERT a", "CREATE", "INSERT c", "DROP")


@pytest.mark.parametrize("parts", [0, 2])
def test_a_part_for_which_no_time_was_left_is_not_told_as_played(parts):
    """And without any there is nothing to tell."""
    played, play = needs("CREATE")
    found = smallest(HISTORY, [wrong("DROP", 3)], lambda part: play(part) if len(played) < parts else None)
    steps = ("INSERT a", "CREATE", "DROP")
    assert found == (SmallestHistory(title="drop", steps=steps, played=parts) if parts else None)


def test_few_parts_are_played():
    long = alone("long", *(f"INSERT {n}" for n in range(30)))
    played, play = needs("no such statement")
    assert smallest(long, [wrong("INSERT 29", 29)], play).played == MOST_PLAYED == len(played)


@pytest.mark.parametrize(("history", "states"), [(HISTORY, []), (History("two", (), {}, ("at once",)), [state(0.1)])])
def test_no_smaller_history_is_searched_without_a_wrong_state_or_with_concurrent_statements(history, states):
    assert smallest(history, states, lambda part: pytest.fail("it was played")) is None
