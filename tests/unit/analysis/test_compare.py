"""Each answer of a comparison, on data that earn it."""

import numpy as np
import pytest
import scipy

from tests.unit.analysis.noise import point
from workers.analysis.compare import adjusted, decide
from workers.analysis.statistics import Estimate, compared


def _decision(one, other):
    found = compared(one, other)
    return decide(found.p, found.estimate, min(len(one), len(other)))


def test_a_real_difference_is_found():
    rng = np.random.default_rng(1)
    assert _decision(point(rng, 1300), point(rng, 1000)) == "differs"


@pytest.mark.parametrize("repeats", [3, 5])
def test_equal_points_seldom_differ(repeats):
    """200 comparisons at 5 %: more than 20 would come three times in a thousand seeds; the seed is fixed."""
    rng = np.random.default_rng(2)
    answers = [_decision(point(rng, repeats=repeats), point(rng, repeats=repeats)) for _ in range(200)]
    assert 2 <= answers.count("differs") <= 20
    assert answers.count("differs") + answers.count("no difference shown") == 200


@pytest.mark.parametrize(("repeats", "answer"), [(1, "measured once"), (2, "too few to judge")])
def test_few_repeats_are_not_judged_however_far_they_are_apart(repeats, answer):
    rng = np.random.default_rng(3)
    assert _decision(point(rng, 9000, repeats), point(rng, 1000, repeats)) == answer
    assert _decision(point(rng, 9000, repeats), point(rng, 1000, 5)) == answer


@pytest.mark.parametrize(
    ("p", "lo", "hi", "answer"),
    [
        (0.01, 1.1, 1.3, "differs"),
        (0.2, 0.9, 1.1, "no difference shown"),
        (0.2, 1.1, 1.3, "not decidable"),  # lost to the other comparisons
        (0.01, 0.9, 1.1, "not decidable"),
        (None, 1.1, 1.3, "not decidable"),
        (0.01, None, None, "not decidable"),
        (0.05, 1.1, 1.3, "not decidable"),
        (0.2, 1.0, 1.3, "no difference shown"),
        (0.2, 0.8, 1.0, "no difference shown"),
    ],
)
def test_p_and_interval_must_agree(p, lo, hi, answer):
    assert decide(p, Estimate(1.2, lo, hi), 3) == answer


def test_p_values_are_adjusted_for_many_comparisons():
    assert adjusted([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.04, 0.04], nan_ok=True)
    assert adjusted([]) == []


def test_p_values_are_adjusted_as_scipy_does():
    p_values = [*np.random.default_rng(4).random(50) ** 3, 0.0, 1.0, 0.5, 0.5]
    assert adjusted(p_values) == pytest.approx(list(scipy.stats.false_discovery_control(p_values)))
