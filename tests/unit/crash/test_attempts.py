"""States are tried in several lanes: each once, and an error or a cancellation ends them all."""

import threading

import pytest

from workers.crash.points import attempts
from workers.crash.points.attempts import attempt_all
from workers.crash.setup_and_result import Timeline
from workers.errors import Cancelled

LANES = ("left", "right")


def timeline(told=None, cancelled=lambda: False):
    return Timeline([].append if told is None else told.append, cancelled)


def test_each_state_is_tried_once_by_one_of_the_lanes():
    found = attempt_all(timeline(), LANES, range(100), lambda lane, choice: (choice, lane))
    assert sorted(choice for choice, _ in found) == list(range(100))
    assert {lane for _, lane in found} <= set(LANES)


def test_the_error_of_one_lane_ends_the_others():
    tried = []

    def attempt(lane, choice):
        tried.append(choice)
        if choice == 3:
            raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        attempt_all(timeline(), LANES, range(1_000_000), attempt)
    assert len(tried) < 1_000_000


def test_after_its_time_no_state_is_begun():
    """Those that were tried are the first ones, and at least one."""

    def attempt(lane, choice):
        threading.Event().wait(0.005)
        return choice

    found = attempt_all(timeline(), LANES, range(100_000), attempt, limit_s=0.05)
    assert sorted(found) == list(range(len(found))) and 0 < len(found) < 100_000
    assert attempt_all(timeline(), LANES[:1], range(100_000), attempt, limit_s=0) == [0]


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
