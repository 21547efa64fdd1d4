"""Do 95 % intervals hold the truth 95 % of the time? In short: tests/bench/coverage.py measures it with 40,000 tries a
case. 2,000 tries of a fixed seed are known to about 1 percentage point.
"""

import numpy as np
import pytest

from tests.bench import coverage
from workers.analysis import student

TRIES = 2000


@pytest.mark.parametrize("between", [0.0, 0.03, 0.1])
@pytest.mark.parametrize("held", [coverage.means_hold, coverage.ratios_hold])
def test_the_interval_holds_the_truth(held, between):
    found = held(np.random.default_rng(5), TRIES, 3, between, 0.6)
    assert 0.935 <= found.mean() <= 0.965


def test_a_difference_that_is_none_is_told_once_in_twenty_experiments():
    found = coverage.falsely_differs(np.random.default_rng(7), TRIES, 3, 4, 0.6)
    assert 0.035 <= found.mean() <= 0.065


@pytest.mark.parametrize("n", [3, 30])
def test_the_share_of_crashes_is_never_held_less_often(n):
    worst, _, best = coverage.shares_hold(n)
    assert worst >= 0.95 - 1e-9
    assert best <= 1 + 1e-9


def test_an_interval_of_independent_seconds_is_found_too_short():
    """The control: an interval from the seconds of a run fails the same check."""
    rng = np.random.default_rng(8)
    seconds = coverage.repeats(rng, TRIES, 3, 0.0, 0.6).reshape(TRIES, -1)
    lo, hi = student.of_mean(seconds).interval()
    assert ((lo <= coverage.TPS) & (hi >= coverage.TPS)).mean() < 0.8
