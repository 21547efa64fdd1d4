"""How much a run climbs or falls, to the figure."""

import numpy as np
import pytest
import scipy

from tests.unit.analysis.noise import ar1
from workers.analysis.steady import DRIFT, drift, settled, trend


def line(climbs, seconds=40):
    """From its first second to its last it climbs by that share of its mean, about 1000."""
    return 1000 * (1 + climbs * np.linspace(-0.5, 0.5, seconds))


def test_a_constant_run_does_not_drift():
    assert drift(np.full(40, 700.0)) == 0.0


@pytest.mark.parametrize("climbs", [0.5, -0.3, 0.05])
def test_a_climb_is_told_as_a_share_of_the_mean(climbs):
    """From the mean of the first block to that of the last: four blocks of 10 s, whose middles are 30 s apart."""
    assert drift(line(climbs)) == pytest.approx(climbs * 30 / 39, rel=1e-6)


def test_noise_has_no_drift_that_is_significant():
    rng = np.random.default_rng(1)
    drifts = [drift(1000 + ar1(rng, 60, 0.3)) for _ in range(100)]
    assert drifts.count(0.0) >= 95


@pytest.mark.parametrize("series", [np.arange(3.0), np.zeros(40), -line(0.5)])
def test_where_there_is_nothing_to_drift_from_nothing_is_known(series):
    assert drift(series) is None


def test_a_slow_server_can_drift_too():
    assert drift(line(0.5) / 2000) == pytest.approx(0.5 * 30 / 39, rel=1e-6)


@pytest.mark.parametrize("size", [4, 60])
def test_the_trend_is_the_one_of_scipy(size):
    values = np.random.default_rng(2).normal(1000, 30, size)
    expected = scipy.stats.linregress(np.arange(size), values)
    assert trend(values) == pytest.approx((expected.slope, expected.pvalue))


def test_a_run_that_drifts_less_than_a_tenth_has_settled():
    at_the_border = line(DRIFT * 39 / 30 * (1 + 1e-9))
    assert settled({0: at_the_border}) is False
    assert settled({0: np.repeat([570.0, 590.0, 610.0, 630.0], 10)}) is False, "exactly a tenth"
    assert settled({0: line(0.1)}) is True
    assert settled({0: line(0.0), 1: line(0.5)}) is False
    assert settled({0: line(0.0), 1: np.zeros(40)}) is None
    assert settled({}) is None
