"""Stalls and drifts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.noise import point
from workers.analysis.stalls import Stall, stalls
from workers.analysis.steady import settled


def test_a_stall_is_marked_with_its_length():
    assert stalls([1000, 990, 5, 0, 1010, 1000, 0]) == [Stall(2, 2), Stall(6, 1)]


def test_a_steady_or_dead_server_has_no_stall():
    assert stalls([1000, 900, 1100, 500]) == []
    assert stalls([0, 0, 0]) == []
    assert stalls([]) == []


@given(st.lists(st.floats(0, 1e5), max_size=50))
def test_stalls_lie_within_the_measured_seconds(series):
    for stall in stalls(series):
        assert 0 <= stall.start < stall.start + stall.seconds <= len(series)


def test_a_settled_run_is_told_from_a_climbing_one():
    rng = np.random.default_rng(1)
    steady = point(rng, repeats=2)
    climbing = {key: series + np.linspace(-300, 300, series.size) for key, series in steady.items()}
    assert settled(steady) is True
    assert settled(climbing) is False
    assert settled({1: np.array([1.0, 2.0, 3.0])}) is None


def test_a_slow_server_can_stall_and_a_tenth_of_the_median_is_no_stall():
    assert stalls([0.8, 0.9, 0.0, 0.8]) == [Stall(2, 1)]
    assert stalls([1000, 1000, 100, 1000]) == []
    assert stalls([1000, 1000, 99.9, 1000]) == [Stall(2, 1)]
