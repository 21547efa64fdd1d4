"""Kill points: when the server is stopped, in which order, and what a kill then leaves."""

from dataclasses import replace
from itertools import count

import pytest

from tests.unit.crash.parts import prepared
from tests.unit.sandbox.recordings import Written
from workers.crash.points import kills
from workers.crash.points.kills import kill_points_of, stop_often
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.joint import JointStates
from workers.sandbox.disk.recording.points import Reached
from workers.sandbox.disk.recording.states import States

A, B = b"A" * BLOCK_BYTES, b"B" * BLOCK_BYTES


@pytest.fixture
def recorded(tmp_path):
    """Begins at 1; block 0 is written at 2, block 1 at 4, flushed from 5 to 6; the end is at 7."""
    ticks = Written(tmp_path, clock=iter([1, 2, 4, 5, 6, 7]))
    ticks.write(0, b"A")
    ticks.write(1, b"B")
    ticks.flush()
    return JointStates([States(ticks.load())])


def contents(states, stops):
    found = kill_points_of(states, stops, seed=3)
    return {one.state.until_ns: dict(states.blocks(one.state.points)[0]) for one in found}


def test_a_kill_leaves_everything_written_by_then_flushed_or_not(recorded):
    assert contents(recorded, [3, 4]) == {3: {0: A}, 4: {0: A, 1: B}}
    assert {(one.way, one.reached, one.new) for one in kill_points_of(recorded, [3, 4], 3)} == {
        ("at a random moment", Reached(0, 0), True)
    }


def test_of_stops_with_one_content_the_last_counts(recorded):
    """Until then the most was acknowledged."""
    assert set(contents(recorded, [2, 3, 4, 6])) == {3, 6}


def test_a_stop_after_the_end_of_the_recording_is_no_kill_point(recorded):
    assert set(contents(recorded, [1, 3, 7, 9])) == {3}, "nor one before its beginning"


def test_the_order_is_drawn_by_the_seed(tmp_path):
    written = Written(tmp_path, clock=count(1))
    for number in range(40):
        written.write(number % 6, bytes([number]))
    states, stops = JointStates([States(written.load())]), range(2, 40)
    first, again, other = ([one.state.until_ns for one in kill_points_of(states, stops, seed)] for seed in (1, 1, 2))
    assert first == again != other and set(first) == set(other) == set(stops)


def test_the_server_stands_still_while_its_files_are_written_out(monkeypatch):
    notes, ran_s = [], []
    begun = prepared(notes, "kill-points")
    begun = replace(begun, setup=replace(begun.setup, points=3))
    monkeypatch.setattr(kills, "monotonic_ns", count(5).__next__)
    monkeypatch.setattr(kills, "monotonic", iter((1.0, 3.0, 5.0, 10.0, 20.0, 21.0)).__next__)
    stops, took = stop_often(begun, lambda for_s: (ran_s.append(for_s), notes.append("ran")))
    each = ["server.freeze", "disk.write_out", "server.go_on", "ran"]
    assert notes == ["ran", *each * 3] and stops == (5, 6, 7)
    assert sum(ran_s) == pytest.approx(begun.setup.load_s)
    assert took == "3 stops, 2000.0 ms each (median), 5000.0 ms at most"
    assert begun.server.named["freeze"] == {"between_calls": True}


def test_a_load_without_stops_has_none_to_tell():
    begun = prepared([], "kill-points")
    ran_s = []
    assert stop_often(replace(begun, setup=replace(begun.setup, points=0)), ran_s.append) == ((), "0 stops, none")
    assert ran_s == [begun.setup.load_s]


def test_stops_are_spread_over_the_whole_load():
    gaps_s = list(kills._gaps_s(seed=1, load_s=2.0, count=100))
    assert len(gaps_s) == 101 and min(gaps_s) >= 0 and max(gaps_s[0], gaps_s[-1]) < 0.5


def test_a_server_that_cannot_be_stopped_is_no_kill_point():
    begun = prepared([], "kill-points", freeze=OSError("busy"))
    with pytest.raises(OSError, match="busy"):
        stop_often(begun, lambda for_s: None)
