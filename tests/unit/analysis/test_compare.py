"""Differs, no difference shown, not decidable: each answer on data that earn it."""

import numpy as np
import pytest

from tests.unit.analysis.noise import point
from workers.analysis.blocks import sample
from workers.analysis.compare import adjusted, decide, p_value
from workers.analysis.statistics import Estimate, ratio


def _decision(one, other):
    return decide(p_value(one, other), ratio(one, other))


def test_it_finds_a_real_difference():
    rng = np.random.default_rng(1)
    assert _decision(point(rng, 1300), point(rng, 1000)) == "differs"


def test_it_finds_no_difference_where_there_is_none():
    rng = np.random.default_rng(2)
    answers = [_decision(point(rng), point(rng)) for _ in range(200)]
    assert answers.count("differs") <= 0.08 * len(answers)
    assert answers.count("no difference shown") >= 0.85 * len(answers)


def test_it_does_not_decide_on_too_little():
    one, other = sample({1: [900, 910, 905]}), sample({1: [100, 110, 105]})
    assert p_value(one, other) is None
    assert _decision(one, other) == "not decidable"
    assert _decision(one, {}) == "not decidable"


@pytest.mark.parametrize(("p", "lo", "hi"), [(0.01, 0.9, 1.1), (0.2, 1.1, 1.3)])
def test_it_does_not_decide_when_test_and_interval_disagree(p, lo, hi):
    assert decide(p, Estimate(1.2, lo, hi)) == "not decidable"


def test_it_adjusts_for_many_comparisons():
    assert adjusted([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.04, 0.04], nan_ok=True)
    assert adjusted([]) == []
