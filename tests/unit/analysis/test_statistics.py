"""Means, ratios and their intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.analysis.noise import point
from workers.analysis.blocks import block_length, circular_means, lag_correlation, sample
from workers.analysis.statistics import mean_tps, ratio


def test_it_gives_the_same_interval_for_the_same_seconds():
    seconds = point(np.random.default_rng(1))
    assert mean_tps(seconds) == mean_tps(seconds)


def test_it_knows_no_interval_with_too_few_seconds():
    few = sample({1: [100, 110, 90]})
    assert mean_tps(few).value == 100
    assert (mean_tps(few).lo, mean_tps(few).hi) == (None, None)
    assert ratio(few, few).lo is None
    assert mean_tps(sample({1: [float("nan")]})) is None


def test_it_has_no_ratio_to_nothing():
    some, none = sample({1: [100.0] * 10}), sample({1: [0.0] * 10})
    assert ratio(some, none) is None
    assert ratio(some, {}) is None


def test_it_narrows_with_more_seconds():
    rng = np.random.default_rng(2)
    widths = [mean_tps(point(rng, repeats=1, seconds=n)) for n in (15, 60, 600)]
    assert [w.hi - w.lo for w in widths] == sorted((w.hi - w.lo for w in widths), reverse=True)


def test_it_cancels_a_shared_drift_only_when_repeats_are_paired():
    rng = np.random.default_rng(3)
    machine = np.array([-400.0, 0.0, 400.0])
    fast, slow = point(rng, 2000, 3, drift=2 * machine), point(rng, 1000, 3, drift=machine)
    shuffled = {key + 10: series for key, series in fast.items()}
    paired, unpaired = ratio(fast, slow), ratio(shuffled, slow)
    assert paired.value == pytest.approx(unpaired.value)
    assert (paired.hi - paired.lo) * 2 < unpaired.hi - unpaired.lo


def test_it_takes_longer_blocks_where_seconds_resemble_each_other():
    rng = np.random.default_rng(4)
    calm, sticky = point(rng, seconds=120, correlation=0.0), point(rng, seconds=120, correlation=0.8)
    assert lag_correlation(calm) < 0.3 < lag_correlation(sticky)
    assert block_length(calm) < block_length(sticky) <= 30


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=40), st.integers(1, 10))
def test_it_counts_every_second_equally_often_in_circular_blocks(series, length):
    means = circular_means(np.array(series), min(length, len(series)))
    assert means.size == len(series)
    assert means.mean() == pytest.approx(np.mean(series), abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.integers(1, 5), st.lists(st.floats(0, 1e6), min_size=1, max_size=30), min_size=1, max_size=4))
def test_it_never_fails_and_the_interval_holds_its_value(repeats):
    estimate = mean_tps(sample(repeats))
    assert estimate is not None
    if estimate.lo is not None:
        assert 0 <= estimate.lo <= estimate.value * (1 + 1e-9) + 1e-9
        assert estimate.hi >= estimate.value * (1 - 1e-9) - 1e-9
