"""Do 95 % intervals hold the truth about 95 % of the time? Measured on made-up runs whose truth is known.

400 tries each: the share found is known to about ±2 percentage points. The tolerances are the method's real
shortfall on short, strongly dependent series, not the test's patience.
"""

import numpy as np
import pytest

from tests.unit.analysis.noise import point
from workers.analysis import statistics

TRIES = 400


def _held(make, estimate, truth):
    found = [estimate(*make()) for _ in range(TRIES)]
    return sum(e.lo <= truth <= e.hi for e in found) / TRIES


@pytest.mark.parametrize(
    ("seconds", "repeats", "correlation", "at_least"),
    [(60, 1, 0.0, 0.92), (60, 2, 0.3, 0.90), (60, 3, 0.6, 0.89), (10, 2, 0.0, 0.92), (10, 3, 0.3, 0.88)],
)
def test_it_holds_the_true_mean(seconds, repeats, correlation, at_least):
    rng = np.random.default_rng(5)
    held = _held(
        lambda: [point(rng, seconds=seconds, repeats=repeats, correlation=correlation)], statistics.mean_tps, 1000
    )
    assert at_least <= held <= 0.995


@pytest.mark.parametrize(("repeats", "at_least"), [(2, 0.78), (3, 0.88), (5, 0.88)])
def test_it_holds_the_true_mean_when_repeats_differ(repeats, at_least):
    rng = np.random.default_rng(6)
    held = _held(lambda: [point(rng, repeats=repeats, drift=rng.normal(size=repeats) * 50)], statistics.mean_tps, 1000)
    assert at_least <= held <= 0.99


def test_it_holds_the_true_ratio_when_both_points_drift_together():
    rng = np.random.default_rng(7)

    def pair():
        machine = rng.normal(size=3) * 300
        return [
            point(rng, 3000, repeats=3, drift=machine * 1.5, spread=150),
            point(rng, 2000, repeats=3, drift=machine),
        ]

    assert 0.90 <= _held(pair, statistics.ratio, 1.5) <= 0.99


def test_it_would_be_too_short_if_seconds_were_taken_as_independent(monkeypatch):
    """The control: the same noise with blocks of one second fails the same check."""
    monkeypatch.setattr(statistics, "block_length", lambda repeats: 1)
    rng = np.random.default_rng(8)
    held = _held(lambda: [point(rng, seconds=60, repeats=1, correlation=0.6)], statistics.mean_tps, 1000)
    assert held < 0.8
