"""The result of a recorded load: its crash points together."""

import json
from dataclasses import replace

from dashboard.installation.stored import read
from tests.unit.crash.recorded_states import LOST, TORN, UNCLEAR, state, story
from workers.crash.points.recorded import bracket_ns, margin_ns, readings
from workers.crash.points.story import PointCounts, PointsStory, checks_of, counting, worst_loss
from workers.crash.setup_and_result import LostWork
from workers.crash.verdict import CheckResult
from workers.sandbox.disk.recording.events import Log, RecordingEnd


def outcomes(*states):
    return {one.key: (one.outcome, one.count) for one in checks_of(states)}


def test_a_check_that_fails_at_one_crash_point_fails_for_the_load():
    found = outcomes(state(0.1), state(0.2, LOST, lost=3, passed=("torn",)), state(0.3, LOST, passed=("torn",)))
    assert found == {"stays-down": ("valid", 0), "lost-engine": ("invalid", 2), "torn": ("valid", 0)}


def test_an_unclear_crash_point_makes_the_check_unclear_and_never_valid():
    assert outcomes(state(0.1, passed=("tables-damaged",)), state(0.2, UNCLEAR)) == {
        "stays-down": ("valid", 0), "torn": ("valid", 0), "tables-damaged": ("unknown", 0),
    }  # fmt: skip


def test_it_says_at_how_many_crash_points_and_where_first():
    (failed,) = [one for one in checks_of([state(0.1, passed=("lost-engine",)), state(0.25, LOST)]) if one.count]
    assert failed.says == f"Failed at 1 of 2 crash points, first at 0.2500 s: {LOST.says}"
    assert failed.offenders == LOST.offenders


def test_it_says_at_how_many_crash_points_there_was_nothing_to_check():
    empty = state(0.1, passed=("torn", "order"), vacuous=("torn", "order"))
    found = {one.key: one for one in checks_of([empty, state(0.2, passed=("order",)), state(0.3, passed=("order",))])}
    assert (found["torn"].vacuous, found["order"].vacuous) == (True, False)
    assert found["torn"].count == found["order"].count == 0
    assert found["order"].says == "Passed at all 3 crash points. At 1 of them no transaction was there to check."
    assert found["torn"].says == "Nothing to check: at none of the 1 crash points was a transaction there."


def test_it_says_no_more_where_each_crash_point_had_something_to_check():
    assert {one.says for one in checks_of([state(0.1), state(0.2)])} == {"Passed at all 2 crash points."}


def test_without_states_no_check_passed():
    assert checks_of(()) == ()


def test_before_the_first_acknowledgement_nothing_can_be_lost():
    checks = (CheckResult("lost-engine", "unknown", 0, ""), CheckResult("torn", "valid", 0, ""))
    assert [one.key for one in counting(checks, 0)] == ["torn"]
    assert counting(checks, 1) == checks


def test_losses_and_failures_are_counted_apart():
    known = story(state(0.1), state(0.2, LOST, lost=3), state(0.3, TORN), state(0.4, UNCLEAR))
    assert known.counts == PointCounts(tried=4, failed=2, lost=1)
    assert not known.out_of_time


def test_where_the_engine_could_not_be_read_losses_are_not_known():
    down = state(0.3, TORN, lost_engine=None, lost_binlog=None)
    before = state(0.1, TORN, lost_engine=None, lost_binlog=None, acknowledged=0)
    assert story(before, state(0.2), down).counts == PointCounts(tried=3, failed=2, lost=0, uncounted=1)


def test_the_worst_loss_is_that_of_one_crash_point():
    assert worst_loss([None, LostWork(2, 9.0), LostWork(7, 3.0)]) == LostWork(7, 3.0)
    assert worst_loss([None]) is None


def test_it_is_stored_with_few_logs_and_read_again():
    states = [state(n / 10, TORN, log_lines=(f"line {n}",)) for n in range(9)]
    stored = json.loads(json.dumps(story(*states).as_stored()))
    known = read(PointsStory, stored)
    assert [one.log_lines for one in known.states] == [(f"line {n}",) if n < 5 else () for n in range(9)]
    assert known.counts == PointCounts(tried=9, failed=9, lost=0) == PointCounts(**stored["counts"])
    assert all(one.passed == () and one.checks == (TORN,) for one in known.states)


def test_clocks_agree_when_each_answer_lies_between_our_readings():
    assert margin_ns(((10, 20), 15), ((30, 40), 40)) == 0
    assert margin_ns(((10, 20), 7), ((30, 40), 45)) == 5


def test_a_recording_that_ended_by_itself_says_nothing_of_the_clocks_when_it_is_stopped():
    """Else all commits between its end and the end of the load would be in doubt."""
    began, asked = (10, 20), (900, 910)
    ended = Log(0, 15, 100, RecordingEnd.BOUND, ())
    assert margin_ns(*readings(began, asked, ended)) == 0
    assert margin_ns(*readings(began, asked, replace(ended, end=RecordingEnd.STOPPED))) == 800


def test_a_difference_within_the_quicker_answer_would_not_be_seen():
    assert bracket_ns((10, 2000), (3000, 3040)) == 40
