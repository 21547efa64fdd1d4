"""Means, ratios and their intervals."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import tried
from tests.unit.analysis.noise import point
from workers.analysis import student
from workers.analysis.blocks import block_length, lag_correlation, sample
from workers.analysis.statistics import MIN_REPEATS, Estimate, compared, mean_tps, overall, ratio


def repeats(*means, first=0):
    """Repeats of three seconds whose means are these."""
    return {first + n: np.array([mean - 1, mean, mean + 1]) for n, mean in enumerate(means)}


def test_the_interval_of_a_mean_is_students_t_on_the_repeats():
    found = mean_tps(repeats(100, 110, 90))
    lo, hi = scipy.stats.t.interval(0.95, 2, loc=100, scale=10 / np.sqrt(3))
    assert (found.value, found.lo, found.hi) == pytest.approx((100, lo, hi))


def test_an_interval_does_not_reach_below_zero():
    assert mean_tps(repeats(100, 10, 190)).lo == 0


@pytest.mark.parametrize("few", range(1, MIN_REPEATS))
def test_fewer_than_three_repeats_have_no_interval_however_long_they_are(few):
    rng = np.random.default_rng(1)
    slow, fast = point(rng, 1000, few, seconds=600), point(rng, 2000, few, seconds=600)
    assert (mean_tps(slow).lo, mean_tps(slow).hi) == (None, None)
    assert mean_tps(slow).value == pytest.approx(1000, rel=0.05)
    assert compared(fast, slow).p is None
    assert ratio(fast, slow) == Estimate(ratio(fast, slow).value)
    assert ratio(fast, slow).value == pytest.approx(2, rel=0.05)


def test_points_without_measurements_have_neither_mean_nor_ratio():
    assert mean_tps(sample({1: [float("nan")]})) is None
    some, none = repeats(100, 100, 100), sample({1: [0.0] * 10})
    assert ratio(some, none) is None
    assert ratio(none, some) is None
    assert ratio(some, {}) is None


def test_a_paired_ratio_is_students_t_on_the_log_ratios_of_the_blocks():
    found = compared(repeats(200, 210, 230), repeats(100, 101, 120))
    logs = np.log([200 / 100, 210 / 101, 230 / 120])
    lo, hi = np.exp(scipy.stats.t.interval(0.95, 2, loc=logs.mean(), scale=scipy.stats.sem(logs)))
    assert vars(found.estimate) == pytest.approx({"value": np.exp(logs.mean()), "lo": lo, "hi": hi})
    assert found.p == pytest.approx(scipy.stats.ttest_1samp(logs, 0).pvalue)


def test_a_ratio_of_other_blocks_is_welchs_t():
    of, to = (200, 210, 230, 250), (100, 101, 120)
    found = compared(repeats(*of, first=10), repeats(*to))
    expected = scipy.stats.ttest_ind(np.log(of), np.log(to), equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.estimate.lo, found.estimate.hi) == pytest.approx(tuple(np.exp(expected.confidence_interval())))


def test_a_repeat_that_only_one_point_has_is_left_out_where_enough_are_left():
    of = repeats(200, 210, 230, 900)
    assert compared(of, repeats(100, 101, 120)) == compared(repeats(200, 210, 230), repeats(100, 101, 120))


def test_a_shared_drift_cancels_out_only_if_repeats_are_paired():
    rng = np.random.default_rng(3)
    machine = np.array([-400.0, 0.0, 400.0])
    fast, slow = point(rng, 2000, 3, drift=2 * machine), point(rng, 1000, 3, drift=machine)
    shuffled = {key + 10: series for key, series in fast.items()}
    paired, unpaired = ratio(fast, slow), ratio(shuffled, slow)
    assert paired.value == pytest.approx(unpaired.value)
    assert (paired.hi - paired.lo) * 2 < unpaired.hi - unpaired.lo


def test_repeats_that_are_all_alike_differ_from_others_that_are():
    assert compared(repeats(100, 100, 100, first=9), repeats(100, 100, 100)).p == 1
    assert compared(repeats(200, 200, 200, first=9), repeats(100, 100, 100)).p == 0


def test_blocks_are_longer_where_seconds_resemble_each_other():
    rng = np.random.default_rng(4)
    calm, sticky = point(rng, seconds=120, correlation=0.0), point(rng, seconds=120, correlation=0.8)
    assert lag_correlation(calm) < 0.3 < lag_correlation(sticky)
    assert block_length(calm) < block_length(sticky) <= 30


@settings(max_examples=tried(50), deadline=None)
@given(st.dictionaries(st.integers(1, 5), st.lists(st.floats(0, 1e6), min_size=1, max_size=30), min_size=1, max_size=4))
def test_every_mean_lies_in_its_interval(repeats):
    estimate = mean_tps(sample(repeats))
    assert estimate is not None
    assert (estimate.lo is None) == (len(repeats) < MIN_REPEATS)
    if estimate.lo is not None:
        assert 0 <= estimate.lo <= estimate.value * (1 + 1e-9) + 1e-9
        assert estimate.hi >= estimate.value * (1 - 1e-9) - 1e-9


@pytest.mark.parametrize(("one", "other"), [(3, 5), (5, 3)])
def test_samples_without_any_spread_have_the_freedom_of_the_smaller(one, other):
    assert student.of_difference(np.full(one, 2.0), np.full(other, 1.0)).freedom == 2


def twelve_pairs(true=1.0, points=0.03, block=0.0, repeat=0.0, repeats=4, seed=3):
    """Two experiments of three blocks a repeat, each of four points. `points`, `block` and `repeat`: the noise of each
    mean, of all means of a block, and of all means of a repeat."""
    rng = np.random.default_rng(seed)

    def side(level):
        shared = rng.normal(scale=repeat, size=repeats) + rng.normal(scale=block, size=(3, repeats))
        return [
            {n: np.full(3, level * np.exp(shared[which, n] + rng.normal(scale=points))) for n in range(repeats)}
            for which in (0, 1, 2)
            for _ in range(4)
        ]

    return list(zip(side(1000 * true), side(1000), strict=True))


def by_block(pairs):
    """The four pairs of each block as one pair, and the blocks as if they were repeats."""
    return [
        tuple({(which, n): pairs[4 * which + nth][side][n] for which in (0, 1, 2) for n in range(4)} for side in (0, 1))
        for nth in range(4)
    ]


def test_many_pairs_together_show_a_difference_that_none_shows_by_itself():
    pairs = twelve_pairs(true=0.97, points=0.04, seed=2)
    assert not any(found.estimate.hi < 1 for of, to in pairs if (found := compared(shifted(of), to)))
    found = overall(pairs)
    assert found.estimate.lo < 0.97 < found.estimate.hi < 1 and found.p < 0.05
    means = [np.mean([np.log(one[n].mean()) for n in one]) for pair in pairs for one in pair]
    assert found.estimate.value == pytest.approx(np.exp(np.mean(means[::2]) - np.mean(means[1::2])))


def shifted(one):
    """As repeats of another experiment."""
    return {100 + repeat: series for repeat, series in one.items()}


def test_many_pairs_that_are_equal_show_no_difference():
    found = overall(twelve_pairs())
    assert found.estimate.lo < 1 < found.estimate.hi and found.p > 0.05


def test_a_state_of_the_machine_that_all_points_of_a_repeat_share_is_no_difference():
    """All twelve ratios lie below 1: a sign test over the pairs would give p = 0.0005."""
    pairs = twelve_pairs(points=0.001, repeat=0.05, seed=5)
    assert all(ratio(shifted(of), to).value < 1 for of, to in pairs)
    found = overall(pairs)
    assert found.estimate.lo < 1 < found.estimate.hi


def test_a_single_pair_is_a_ratio_of_repeats_that_are_not_paired():
    of, to = (200, 210, 230), (100, 101, 120)
    expected = scipy.stats.ttest_ind(np.log(of), np.log(to), equal_var=False)
    assert overall([(repeats(*of), repeats(*to))]).p == pytest.approx(expected.pvalue)


def test_a_difference_overall_is_false_in_one_of_twenty_cases():
    false = sum(overall(twelve_pairs(block=0.03, repeat=0.03, seed=seed)).p < 0.05 for seed in range(600))
    assert 10 <= false <= 45, false


def test_blocks_as_independent_units_would_be_wrong_more_often():
    many = [twelve_pairs(block=0.01, repeat=0.03, seed=seed) for seed in range(300)]
    units, repeats = (sum(overall(pairs).p < 0.05 for pairs in one) for one in (map(by_block, many), many))
    assert repeats <= 23 and units > 45, (repeats, units)


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        twelve_pairs(repeats=2),
        [*twelve_pairs()[:11], (repeats(0, 0, 0, 0), repeats(9, 9, 9, 9))],
        [*twelve_pairs()[:11], (repeats(9, 9, first=2), repeats(9, 9, 9, 9))],
    ],
)
def test_of_too_few_repeats_or_without_throughput_nothing_is_said_of_all_pairs(pairs):
    assert overall(pairs) is None
