"""A small history, all of whose states are recovered."""

import pytest

from tests.real.disks import needs_disk
from tests.real.trials import setup
from workers.crash.points.exhaust import steps
from workers.crash.points.histories import HISTORIES, A, History, alone, insert
from workers.crash.run import run_trial
from workers.errors import Cancelled

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]
TWO_COMMITS = History("two commits", ((A, insert("a", 1)), (A, insert("b", 1, 2))))


def every_state(root, *histories, sync_binlog=1, cancelled=lambda: False):
    asked = setup(root, "small-histories", 1, sync_binlog)
    result = run_trial(asked, lambda step: None, cancelled, steps=lambda begun: steps(begun, histories))
    assert not result.error, result.error
    return result


def test_every_state_of_two_histories_recovers_right(sandbox_root):
    result = every_state(sandbox_root, TWO_COMMITS, HISTORIES[0])
    assert result.verdict == "valid" and result.points.counts.tried > 8, "redo log and binlog are flushed at a commit"
    assert {state.way for state in result.points.states} == {"two commits", "autocommit"}
    assert result.points.left == 0


def test_an_unflushed_binlog_recovers_wrong_in_some_state(sandbox_root):
    """The positive control."""
    result = every_state(sandbox_root, TWO_COMMITS, sync_binlog=0)
    (check,) = result.checks
    assert (check.key, result.verdict) == ("history", "invalid") and "Under way: INSERT" in check.says
    wrong = [state for state in result.points.states if state.checks]
    assert all("transactions in the binlog instead of" in state.checks[0].says for state in wrong)


def test_the_steps_that_are_enough_are_found(sandbox_root):
    """Of an insert and a DROP TABLE, the insert does not matter."""
    dropped = alone("dropped", insert("b", 1), "DROP TABLE a")
    (found,) = every_state(sandbox_root, dropped).points.smallest
    assert found.steps == ("DROP TABLE a",) and found.played == 1


def test_a_cancelled_round_ends(sandbox_root):
    with pytest.raises(Cancelled):
        every_state(sandbox_root, TWO_COMMITS, cancelled=lambda: True)
