"""The result of a recorded load: its crash points together."""

import json
from dataclasses import MISSING, fields, replace
from itertools import count
from types import SimpleNamespace

import pytest

from dashboard.installation.stored import read
from tests.unit.crash.recorded_states import LOST, TORN, UNCLEAR, state, story
from tests.unit.sandbox.recordings import Written
from workers.crash.points.attempts import Attempts
from workers.crash.points.recorded import Recorded, bracket_ns, margin_ns, readings, why_ended
from workers.crash.points.steps import story_of
from workers.crash.points.story import (
    CRASH_POINT,
    HISTORY,
    MOST_LOGS,
    KeptPoint,
    KeptRecording,
    OtherSetting,
    PointCounts,
    PointsStory,
    ShortestLoad,
    checks_of,
    counting,
    noun_of,
    with_points,
    worst_loss,
)
from workers.crash.setup_and_result import LostWork, TrialResult, with_failed_step
from workers.crash.verdict import CheckResult
from workers.sandbox.disk.recording.events import Log, RecordingEnd
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.states import States, Torn


def outcomes(*states):
    return {one.key: (one.outcome, one.count) for one in checks_of(states)}


def test_a_check_that_fails_at_one_crash_point_fails_for_the_load():
    found = outcomes(state(0.1), state(0.2, LOST, lost=3, passed=("torn",)), state(0.3, LOST, passed=("torn",)))
    assert found == {"stays-down": ("valid", 0), "lost-engine": ("invalid", 2), "torn": ("valid", 0)}


def test_an_unclear_crash_point_makes_the_check_unclear_and_never_valid():
    assert outcomes(state(0.1, passed=("tables-damaged",)), state(0.2, UNCLEAR)) == {
        "stays-down": ("valid", 0), "torn": ("valid", 0), "tables-damaged": ("unknown", 0),
    }  # fmt: skip


def test_a_failed_check_names_the_number_of_crash_points_and_the_first():
    (failed,) = [one for one in checks_of([state(0.1, passed=("lost-engine",)), state(0.25, LOST)]) if one.count]
    begins = "Failed at 1 of 2 crash points. Passed at 1 other. At the first failed one, 0.2500 s: "
    assert failed.says == begins + LOST.says
    assert failed.offenders == LOST.offenders
    good = [state(n / 10, passed=("lost-engine",)) for n in range(2)]
    assert (
        checks_of([*good, state(0.25, LOST)])[1].says
        == begins.replace("2", "3", 1).replace("1 other.", "2 others.") + LOST.says
    )
    assert checks_of([state(0.25, LOST, passed=())])[0].says.startswith("Failed at 1 of 1 crash points. At the first")


def test_a_check_names_the_number_of_crash_points_with_nothing_to_check():
    empty = state(0.1, passed=("torn", "order"), vacuous=("torn", "order"))
    found = {one.key: one for one in checks_of([empty, state(0.2, passed=("order",)), state(0.3, passed=("order",))])}
    assert (found["torn"].vacuous, found["order"].vacuous) == (True, False)
    assert found["torn"].count == found["order"].count == 0
    assert found["order"].says == "Passed at 2 of 3 crash points. No transaction to check at 1 other."
    assert found["torn"].says == "None of the 3 crash points had a transaction to check."
    failed = next(one for one in checks_of([state(0.1), state(0.2, LOST)]) if one.key == "lost-engine")
    assert " No transaction to check at 1 other. " in failed.says


def test_a_check_that_passed_at_all_crash_points_says_no_more():
    assert {one.says for one in checks_of([state(0.1), state(0.2)])} == {"Passed at all 2 crash points."}


def test_without_states_no_check_passed():
    assert checks_of(()) == () and noun_of(()) == CRASH_POINT


def test_before_the_first_acknowledgement_nothing_can_be_lost():
    checks = (CheckResult("lost-engine", "unknown", 0, ""), CheckResult("torn", "valid", 0, ""))
    assert [one.key for one in counting(checks, 0)] == ["torn"]
    assert counting(checks, 1) == checks


def test_losses_and_failures_are_counted_apart():
    known = story(state(0.1), state(0.2, LOST, lost=3), state(0.3, TORN), state(0.4, UNCLEAR))
    assert known.counts == PointCounts(tried=4, failed=2, lost=1)
    assert not known.out_of_time


def test_where_the_engine_could_not_be_read_losses_are_not_known():
    down = state(0.3, TORN, lost_engine=None, lost_binlog=None, acknowledged=1)
    before = state(0.1, TORN, lost_engine=None, lost_binlog=None, acknowledged=0)
    assert story(before, state(0.2), down).counts == PointCounts(tried=3, failed=2, lost=0, uncounted=1)


@pytest.mark.parametrize(("outcome", "uncounted"), [("invalid", 0), ("unknown", 1)])
def test_of_a_small_history_only_an_unclear_state_is_uncounted(outcome, uncounted):
    """A content that is wrong, or cannot be read, is a failure, whatever was lost."""
    wrong = CheckResult(HISTORY, outcome, 0, "")
    assert story(state(0.1, wrong, passed=(), lost_engine=None, lost_binlog=None)).counts.uncounted == uncounted


@pytest.mark.parametrize("kind", [PointCounts, OtherSetting, KeptPoint, ShortestLoad, KeptRecording, PointsStory])
def test_what_a_result_of_an_older_version_does_not_tell_is_nothing(kind):
    added = [one.default for one in fields(kind) if one.default is not MISSING]
    assert added and not any(added)


def test_the_worst_loss_is_that_of_one_crash_point():
    assert worst_loss([None, LostWork(2, 9.0), LostWork(7, 3.0)]) == LostWork(7, 3.0)
    assert worst_loss([None]) is None


def test_a_result_is_stored_with_few_logs_and_read_again():
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


PRIMARY, REPLICA = Log(0, 15, 100, RecordingEnd.STOPPED, ()), Log(0, 15, 101, RecordingEnd.STOPPED, ())
NOTHING = Attempts[object, object]([], [], 0, "", out_of_time=False)
BOUND = "It reached its largest size. No later moment was tried."
FULL = "The host's disk was full. No later moment was tried."
ALONE = " No crash point of the replica alone was tried: the recording lacks the primary's last writes."


def test_the_reason_why_the_first_recording_ended_is_told():
    bound, full = replace(PRIMARY, end=RecordingEnd.BOUND), replace(REPLICA, end_ns=50, end=RecordingEnd.NO_SPACE)
    for with_replica in (False, True):
        assert why_ended([PRIMARY, REPLICA], with_replica) == ""
        assert why_ended([PRIMARY, full], with_replica) == FULL, "the primary's own is whole"
    assert why_ended([bound, REPLICA], with_replica=False) == why_ended([bound], with_replica=False) == BOUND


def test_the_replica_is_not_crashed_alone_when_the_primarys_recording_ended_early():
    bound, full = replace(PRIMARY, end=RecordingEnd.BOUND), replace(REPLICA, end_ns=50, end=RecordingEnd.NO_SPACE)
    assert why_ended([bound, REPLICA], with_replica=True) == BOUND + ALONE
    assert why_ended([bound, full], with_replica=True) == FULL + ALONE, "the replica's ended first"


def test_the_story_of_a_replica_tells_the_end_of_its_recordings(tmp_path):
    written, clock = [], count(1)
    for name in ("primary", "replica"):
        (tmp_path / name).mkdir()
        written.append(Written(tmp_path / name, clock=clock))
        written[-1].write(0, b"x")
    written[0].recorder.stop(RecordingEnd.BOUND)
    states = JointStates([States(one.load()) for one in written])
    about = {"is_killed": False, "margin_s": 0.0, "bracket_s": 0.0}
    load = SimpleNamespace(replica=None, setup=SimpleNamespace(points=5), at_s=float, **about)
    assert story_of(load, states, [], NOTHING, 1, 0.0).ended == BOUND
    load.replica = "a replica"
    found = story_of(load, states, [], NOTHING, 1, 0.0)
    assert (found.ended, found.recorded_s) == (BOUND + ALONE, states.disks[0].recording.log.end_ns)


def test_a_difference_within_the_quicker_answer_would_not_be_seen():
    assert bracket_ns((10, 2000), (3000, 3040)) == 40


def test_a_trial_of_a_recorded_load_has_the_worst_of_its_crash_points():
    tried = story(state(0.1, LOST, lost=3), state(0.2, recovery_s=0.7), state(0.3, LOST, lost=9, recovery_s=0.5))
    found = with_points(TrialResult(crash_at_s=2.0), tried, {})
    assert (found.verdict, found.lost_engine, found.recovery_s) == ("invalid", LostWork(9, 13.5), 0.5)
    assert (found.crash_at_s, found.points, found.archives) == (2.0, tried, {})
    assert [one.key for one in found.checks if one.outcome == "invalid"] == ["lost-engine"]


def test_the_logs_of_the_first_crash_points_that_have_one_are_stored():
    quiet = [state(n / 10) for n in range(1, MOST_LOGS + 1)]
    stored = story(*quiet, state(0.9, LOST, log_lines=("InnoDB: corrupt",))).as_stored()
    assert [one["log_lines"] for one in stored["states"] if one["log_lines"]] == [("InnoDB: corrupt",)]
    of_one_moment = [state(0.9, LOST, log_lines=(f"InnoDB: {n}",)) for n in range(MOST_LOGS + 2)]
    stored = story(*of_one_moment).as_stored()["states"]
    assert [bool(one["log_lines"]) for one in stored] == [True] * MOST_LOGS + [False] * 2


def test_a_load_after_which_no_server_recovered_has_no_time_of_recovery():
    assert with_points(TrialResult(), story(state(0.1, recovery_s=None)), {}).recovery_s is None
    both = story(state(0.1, recovery_s=None), state(0.2, recovery_s=0.5))
    assert with_points(TrialResult(), both, {}).recovery_s == 0.5


def test_a_state_of_two_disks_is_told_of_each_where_they_differ():
    def keeps(*each):
        disks = SimpleNamespace(disks=("data", "logs"))
        return Recorded.keeps(disks, SimpleNamespace(points=[SimpleNamespace(keeps=one) for one in each]))

    assert keeps("durable", "durable") == keeps("durable") == "durable"
    assert keeps("written", Torn()) == "data written, logs torn"
    assert keeps("durable", "written") == "data durable, logs written"


def test_a_stored_error_names_its_step_in_words():
    assert with_failed_step("crash points: The disk is full.") == (
        "Failed at the step “trying the crash points”: The disk is full."
    )
    assert with_failed_step("Lost: nobody knows why.") == "Lost: nobody knows why."
    assert with_failed_step("recovery") == "recovery"
