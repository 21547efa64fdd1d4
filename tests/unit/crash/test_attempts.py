"""States are tried in several lanes: each once. A state that cannot be made is left out; a cancellation ends all."""

import threading

import pytest

from workers.crash.points import attempts
from workers.crash.points.attempts import attempt_all
from workers.crash.setup_and_result import Timeline
from workers.errors import Cancelled, SandboxError, reason

LANES = ("left", "right")


def timeline(told=None, cancelled=lambda: False):
    return Timeline([].append if told is None else told.append, cancelled)


def test_each_state_is_tried_once_by_one_of_the_lanes():
    found = attempt_all(timeline(), LANES, range(100), lambda lane, choice: (choice, lane))
    assert sorted(choice for choice, _ in found.tried) == list(range(100))
    assert {lane for _, lane in found.tried} <= set(LANES)
    assert (found.untried, found.unmade, found.why, found.out_of_time) == ([], 0, "", False)


@pytest.mark.parametrize("failure", [SandboxError("loop7 is busy."), OSError(28, "busy"), ZeroDivisionError("bug")])
def test_a_state_that_cannot_be_made_is_not_tried_and_all_others_are(failure):
    def attempt(lane, choice):
        if choice in (3, 4, 7, 8):  # never three in a row
            raise failure
        return choice

    for lanes in (LANES, LANES[:1]):
        found = attempt_all(timeline(), lanes, range(10), attempt)
        assert sorted(found.tried) == [0, 1, 2, 5, 6, 9]
        assert (found.untried, found.unmade, found.out_of_time) == ([3, 4, 7, 8], 4, False)
        assert found.why == reason(failure)


def test_the_reason_is_that_of_the_first_state():
    def attempt(lane, choice):
        raise SandboxError(f"{choice} is busy.")

    assert attempt_all(timeline(), LANES[:1], range(9), attempt).why == "0 is busy."


def test_a_lane_that_fails_again_and_again_ends_and_the_other_goes_on():
    begun, ended = [], threading.Event()

    def attempt(lane, choice):
        if lane == "left":
            begun.append(choice)
            if len(begun) == attempts.MOST_FAILURES:
                ended.set()
            raise SandboxError("busy")
        assert ended.wait(60)
        return choice

    found = attempt_all(timeline(), LANES, range(50), attempt)
    assert found.untried == sorted(begun) and len(begun) == found.unmade == attempts.MOST_FAILURES
    assert sorted(found.tried + begun) == list(range(50))


def test_when_all_lanes_have_ended_the_rest_is_not_tried():
    def attempt(lane, choice):
        if choice:
            raise SandboxError("busy")
        return choice

    found = attempt_all(timeline(), LANES[:1], range(50), attempt)
    assert (found.tried, found.untried, found.unmade) == ([0], list(range(1, 50)), attempts.MOST_FAILURES)
    assert not found.out_of_time


def test_after_its_time_no_state_is_begun():
    """Those that were tried are the first ones, and at least one."""

    def attempt(lane, choice):
        threading.Event().wait(0.005)
        return choice

    found = attempt_all(timeline(), LANES, range(100_000), attempt, limit_s=0.05)
    assert sorted(found.tried) == list(range(len(found.tried))) and 0 < len(found.tried) < 100_000
    assert found.out_of_time and found.untried == list(range(len(found.tried), 100_000)) and not found.unmade
    first = attempt_all(timeline(), LANES[:1], range(100_000), attempt, limit_s=0)
    assert first.tried == [0] and first.out_of_time
    assert not attempt_all(timeline(), LANES[:1], range(1), attempt, limit_s=0).out_of_time, "all were tried"


def test_a_cancellation_ends_them_between_two_states(monkeypatch):
    monkeypatch.setattr(attempts, "TELL_S", 0.01)
    began, tried = threading.Event(), []

    def attempt(lane, choice):
        tried.append(choice)
        began.set()
        threading.Event().wait(0.005)

    with pytest.raises(Cancelled):
        attempt_all(timeline(cancelled=began.is_set), LANES, range(100_000), attempt)
    assert 0 < len(tried) < 100_000


def test_a_cancellation_during_the_last_state_is_one():
    """Its server may have been killed, so its outcome says nothing."""
    asked = threading.Event()
    with pytest.raises(Cancelled):
        attempt_all(timeline(cancelled=asked.is_set), LANES, [1], lambda lane, choice: asked.set())


def test_progress_is_told_by_the_calling_thread(monkeypatch):
    monkeypatch.setattr(attempts, "TELL_S", 0.01)
    tellers = []

    class Told(list):
        def append(self, what):
            tellers.append(threading.current_thread())

    attempt_all(timeline(Told()), LANES, range(4), lambda lane, choice: threading.Event().wait(0.03))
    assert set(tellers) == {threading.current_thread()}
