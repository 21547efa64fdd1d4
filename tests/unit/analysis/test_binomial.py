"""The exact interval of a share, and how many trials without a loss are enough."""

import pytest
import scipy

from workers.analysis.binomial import interval, shows_rare


def test_the_interval_of_no_loss_ends_where_no_loss_is_as_rare_as_1_in_40():
    """By hand: (1 - p) ** 30 = 0.025."""
    assert interval(0, 30) == pytest.approx((0, 1 - 0.025 ** (1 / 30)))


@pytest.mark.parametrize("n", [1, 2, 36, 999])
def test_the_interval_is_the_one_of_scipy(n):
    for k in {0, 1, n // 3, n - 1, n}:
        found = scipy.stats.binomtest(k, n).proportion_ci(0.95, "exact")
        assert interval(k, n) == pytest.approx((found.low, found.high), rel=1e-9)


def test_36_trials_without_a_loss_are_enough_and_35_are_not():
    assert shows_rare(interval(0, 36)[1]) and not shows_rare(interval(0, 35)[1])
    assert shows_rare(0.1) and not shows_rare(None), "10 % is low enough; without trials nothing is known"
