"""The choice of crash points: it covers, tries each content once, and its order can be repeated."""

from collections import Counter

import pytest

from tests.unit.sandbox.recordings import Written
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.events import Kind
from workers.sandbox.disk.recording.points import Reached, in_order
from workers.sandbox.disk.recording.states import States

REDO, BINLOG, DATA = 0, 1, 2
COMMITS = 10


def role(block: int) -> str:
    return {REDO: "redo", BINLOG: "binlog"}.get(block, "data")


@pytest.fixture
def states(tmp_path) -> States:
    """Ten commits: redo, flush, binlog, flush; one write of data in between is flushed alone."""
    written = Written(tmp_path)
    for commit in range(COMMITS):
        written.write(REDO, bytes([100 + commit]))
        written.flush()
        written.write(BINLOG, bytes([200 + commit]))
        written.flush()
        if commit == 5:
            written.write(DATA, b"d")
            written.flush()
    return States(written.load())


def test_the_choice_tries_each_content_once_and_reaches_each_pair(states):
    choices = in_order(states, role, 1)
    assert len({choice.state.digest for choice in choices}) == len(choices)
    reached = {choice.reached for choice in choices if choice.new}
    assert len([choice for choice in choices if choice.new]) == len(reached) == 2 * COMMITS + 1
    assert Reached(0, 0) in reached
    assert Reached(COMMITS * BLOCK_BYTES, COMMITS * BLOCK_BYTES) in reached


def test_each_flush_of_a_log_is_torn_and_no_other(states):
    torn = [choice for choice in in_order(states, role, 2) if choice.way == "within a flush"]
    assert len(torn) == 2 * COMMITS
    seen = {states.unflushed(choice.state.point)[0] for choice in torn}
    assert all(role(states.recording.events[number].offset // BLOCK_BYTES) != "data" for number in seen)


def test_each_flush_of_pages_is_torn_too(states):
    (torn,) = [choice for choice in in_order(states, role, 2) if choice.way == "within a flush of pages"]
    (number,) = states.unflushed(torn.state.point)
    assert role(states.recording.events[number].offset // BLOCK_BYTES) == "data"


def test_the_first_points_of_a_budget_are_of_every_way(states):
    first = Counter(choice.way for choice in in_order(states, role, 3, at_random=20)[:8])
    assert set(first) >= {"after a flush", "within a flush", "at random"}


def test_the_same_seed_gives_the_same_order_and_another_seed_another(states):
    assert in_order(states, role, 7, 5) == in_order(states, role, 7, 5)
    assert [one.state for one in in_order(states, role, 7, 5)] != [one.state for one in in_order(states, role, 8, 5)]


def test_a_pair_that_was_reached_comes_later(states):
    after = [choice for choice in in_order(states, role, 2) if choice.way == "after a flush"]
    assert [choice.new for choice in after] == [True] * (2 * COMMITS + 1) + [False]


def test_of_a_lying_disk_it_tries_the_base_and_everything_written(tmp_path):
    written = Written(tmp_path)
    for number in range(3):
        written.write(REDO, bytes([65 + number]))
        written.recorder.note(Kind.FLUSH_IGNORED)
    choices = in_order(States(written.load()), role, 1)
    assert Counter(choice.way for choice in choices) == {"after a flush": 1, "between two writes": 3}
    assert {choice.state.until_ns for choice in choices} == {8}
