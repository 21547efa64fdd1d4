"""What is put in arrives in order and on time; the clock is the test's."""

import math

import pytest

from workers.topology.network import loop
from workers.topology.network.loop import DelayLine


@pytest.fixture
def clock(monkeypatch):
    """`clock[0]` is the time."""
    now = [100.0]
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def arrived():
    return []


def test_without_a_delay_it_arrives_at_once(arrived):
    line = DelayLine()
    line.put(arrived.append, b"a")
    assert arrived == [b"a"] and line.due == math.inf


def test_a_message_arrives_after_the_delay_and_not_before(clock, arrived):
    line = DelayLine(0.5)
    line.put(arrived.append, b"a")
    assert line.due == 100.5
    for clock[0], expected in ((100.4, []), (100.5, [b"a"])):
        line.deliver()
        assert arrived == expected


def test_a_shorter_delay_keeps_the_order_of_data(clock, arrived):
    line = DelayLine(0.5)
    line.put(arrived.append, b"a")
    line.delay_s = 0.0
    line.put(arrived.append, b"b")
    assert arrived == []
    clock[0] = 100.5
    line.deliver()
    assert arrived == [b"a", b"b"]


def test_a_held_line_keeps_everything_until_it_is_let_go(clock, arrived):
    line = DelayLine(0.5)
    line.put(arrived.append, b"a")
    line.held = True
    line.put(arrived.append, b"b")
    clock[0] = 200.0
    line.deliver()
    assert arrived == [] and line.due == math.inf
    line.held = False
    line.deliver()
    assert arrived == [b"a", b"b"]


def test_dropped_data_never_arrive(clock, arrived):
    line = DelayLine(0.5)
    line.put(arrived.append, b"a")
    line.lose()
    clock[0] = 200.0
    line.deliver()
    assert arrived == [] and line.passes_at_once is False
