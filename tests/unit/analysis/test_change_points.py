"""The detector against values whose truth is known: nothing, a step, a regression that was fixed, a drift."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import tried
from workers.analysis import change_points as cp
from workers.analysis import lasting
from workers.analysis.change_points import FEWEST, LEAST, LEVEL, change_points, confirms

SEEDS = st.integers(0, 2**32 - 1)
SERIES = 400  # a binomial 99.9 % bound below, and seconds of work


def normal(seed, size, spread=1.0):
    return np.random.default_rng(seed).normal(1000, 30 * spread, size)


NOISE = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.lognormal(sigma=1.5, size=n),
    "counts, mostly none": lambda rng, n: rng.poisson(0.3, size=n).astype(float),
    "outliers": lambda rng, n: rng.standard_t(2, size=n),
}


@pytest.mark.parametrize("kind", NOISE)
def test_in_noise_no_more_is_flagged_than_the_level_says(kind):
    """The negative control. 400 series at 1 %: more than 11 would come once in a thousand times."""
    rng = np.random.default_rng(20)
    flagged = sum(bool(change_points(NOISE[kind](rng, 24), seed=n)) for n in range(SERIES))
    assert flagged <= 11


def test_the_level_is_used_up():
    """The control of the control: a detector that never flags would pass the test above."""
    rng = np.random.default_rng(21)
    flagged = sum(bool(change_points(rng.normal(size=24), level=0.2, lasting_level=1, seed=n)) for n in range(100))
    assert 8 <= flagged <= 35


def test_noise_that_lasts_is_no_change():
    """Nights that correlate by 0.6. tests/bench/change_points.py tells how rarely any is flagged."""
    series = lasting.alike(np.random.default_rng(22), 20, 40)
    assert not any(change_points(one) for one in series)
    assert sum(bool(change_points(one, lasting_level=1)) for one in series) >= 5, "the control: taken as independent"


@pytest.mark.parametrize("size", [12, 60])
def test_the_level_of_noise_that_lasts_is_used_up(size):
    """The control of the control: p below 0.05 comes in 5 of 100 such series."""
    series = lasting.alike(np.random.default_rng(23), 1000, size)
    assert 30 <= sum(lasting.p_value(one) <= 0.05 for one in series) <= 70


def test_a_step_is_found_in_noise_that_lasts():
    for series in lasting.alike(np.random.default_rng(24), 10, 40):
        series[30:] += 8
        assert any(abs(one.at - 30) <= 1 for one in change_points(series))


def test_values_that_are_all_the_same_have_no_step():
    assert lasting.p_value(np.full(10, 0.1)) == 1


@settings(max_examples=tried(25), deadline=None, derandomize=True)
@given(seed=SEEDS, before=st.integers(12, 40), after=st.integers(6, 40), sign=st.sampled_from([-1, 1]))
def test_a_step_is_found_at_its_place(seed, before, after, sign):
    values = normal(seed, before + after)
    values[before:] += sign * 30 * 8
    found = change_points(values)
    assert any(abs(one.at - before) <= 1 for one in found)
    assert all(one.p <= LEVEL for one in found)


@settings(max_examples=tried(10), deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_a_regression_that_was_repaired_is_two_changes(seed):
    values = normal(seed, 60)
    values[20:40] -= 300
    places = [one.at for one in change_points(values)]
    assert all(any(abs(place - true) <= 1 for place in places) for true in (20, 40))


@settings(max_examples=tried(10), deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_only_the_order_counts_not_the_unit(seed):
    values = normal(seed, 40)
    values[25:] += 150
    assert change_points(values) == change_points(values * 1024)


def test_the_same_values_give_the_same_answer():
    values = normal(5, 50)
    values[30:] -= 60
    assert change_points(values) == change_points(values)


def test_a_single_odd_night_is_no_change():
    values = normal(7, 40)
    values[20] = 100.0
    assert change_points(values) == []


def test_a_drift_is_found_as_a_step_or_more():
    values = normal(8, 60) + np.linspace(0, 600, 60)
    assert len(change_points(values)) >= 1


def test_two_nights_are_enough_after_many_and_not_after_few():
    many, few = normal(9, 32), normal(9, 10)
    many[30:] -= 300
    few[8:] -= 300
    assert [one.at for one in change_points(many)] == [30]
    assert change_points(few) == []


@pytest.mark.parametrize("size", range(2 * LEAST, FEWEST))
def test_below_the_fewest_even_a_fall_to_a_hundredth_is_not_found(size):
    for before in range(LEAST, size - LEAST + 1):
        assert change_points([1000.0] * before + [10.0] * (size - before)) == []
        assert change_points([*normal(1, before), *(normal(2, size - before) / 100)]) == []


def test_at_the_fewest_it_is():
    assert FEWEST == 10
    assert [one.at for one in change_points([1000.0] * 5 + [10.0] * 5)] == [5]
    assert [one.at for one in change_points([*normal(1, 5), *(normal(2, 5) / 100)])] == [5]


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * (2 * LEAST - 1), [0.0] * 30])
def test_where_nothing_can_be_known_nothing_is_found(values):
    assert change_points(values) == []


@pytest.mark.parametrize("hole", [float("nan"), float("inf")])
def test_a_hole_is_no_value(hole):
    with pytest.raises(ValueError, match="leave the night out"):
        change_points([1.0, 2.0, hole, 3.0])


def brute(values, place):
    """The formula of the paper, word for word."""
    x, y = values[:place], values[place:]
    n, m = len(x), len(y)
    within = [np.mean([abs(a - b) for i, a in enumerate(one) for b in one[i + 1 :]]) for one in (x, y)]
    across = np.mean([abs(a - b) for a in x for b in y])
    return n * m / (n + m) * (2 * across - sum(within))


@settings(max_examples=tried(30), deadline=None, derandomize=True)
@given(st.lists(st.floats(-1000, 1000, allow_nan=False), min_size=2 * LEAST, max_size=20))
def test_q_is_that_of_the_paper(values):
    apart = np.abs(np.subtract.outer(values, values))
    [q] = cp._energy(apart[None])
    assert q == pytest.approx([brute(values, place) for place in range(LEAST, len(values) - LEAST + 1)], abs=1e-6)


def test_another_measurement_of_a_true_change_says_so_too():
    values = normal(11, 34)
    values[30:] -= 300
    assert confirms(values, 30)


def test_another_measurement_that_is_as_before_ends_the_suspicion():
    values = normal(12, 34)
    values[30:33] -= 300
    assert not confirms(values, 30)


def test_noise_that_was_suspected_is_hardly_ever_confirmed():
    """Of series that were flagged although nothing changed, a fresh measurement confirms few."""
    rng = np.random.default_rng(13)
    flagged, confirmed = 0, 0
    while flagged < 12:
        values = rng.normal(size=24)
        for one in change_points(values, level=0.05, lasting_level=1)[-1:]:
            flagged += 1
            confirmed += confirms([*values, rng.normal()], one.at)
    assert confirmed <= 3


def test_a_change_may_move_by_a_night_or_two():
    values = normal(14, 40)
    values[30:] -= 300
    assert confirms(values, 32)
    assert not confirms(values, 33)


def test_a_place_is_judged_by_all_values_between_its_neighbours(monkeypatch):
    values, judged = normal(15, 60), []
    values[20:] -= 300
    values[40:] -= 300
    monkeypatch.setattr(lasting, "p_value", lambda part: judged.append(part.tolist()) or 0.0)
    assert [one.at for one in change_points(values)] == [20, 40]
    assert judged == [values[:40].tolist(), values[20:].tolist()]


def test_a_clear_step_is_as_rare_as_can_be_told():
    step = np.tile([999.0, 1000.0, 1001.0, 1000.0], 10)
    step[20:] -= 500
    assert change_points(step) == [cp.ChangePoint(20, 1 / 1000)]
    assert lasting.p_value(step) == 1 / 20_001


def test_where_every_order_is_as_large_nothing_is_found():
    assert change_points([0.0] * 30, lasting_level=1) == []


def test_two_values_on_each_side_can_be_split():
    assert [one.at for one in change_points([1, 1, 9, 9], level=1, lasting_level=1)] == [2]


def test_the_level_itself_is_rare_enough(monkeypatch):
    monkeypatch.setattr(lasting, "p_value", lambda part: cp.LASTING_LEVEL)
    assert change_points([1000.0] * 20 + [10.0] * 20) == [cp.ChangePoint(20, cp.LASTING_LEVEL)]


@pytest.mark.parametrize(
    ("since", "again", "held"),
    [
        ([900] * 4, 949, True),
        ([900] * 4, 950, False),  # as near to before as to since
        ([700] * 8, 1000, False),
        ([900, 880] * 3 + [900], 949, True),  # the median of all nights since is 900
    ],
)
def test_another_measurement_is_held_against_all_nights_before_and_since(since, again, held):
    assert confirms([*np.tile([999.0, 1000.0, 1001.0], 10), *since, again], 30) is held


def test_noise_that_lasts_has_the_variance_1_and_its_correlation():
    series = lasting.alike(np.random.default_rng(26), 20_000, 5)
    assert series.std(axis=0) == pytest.approx(np.ones(5), abs=0.03)
    assert np.corrcoef(series.T)[0] == pytest.approx(lasting.CORRELATION ** np.arange(5), abs=0.03)


def largest(values):
    """Of any place: the difference of both means over its standard error, in plain words."""
    size, found = len(values), []
    for n in range(LEAST, size - LEAST + 1):
        x, y = values[:n], values[n:]
        spread = (sum((x - x.mean()) ** 2) + sum((y - y.mean()) ** 2)) / (size - 2)
        weights = [-1 / n] * n + [1 / (size - n)] * (size - n)
        alike = [
            a * b * lasting.CORRELATION ** abs(i - j) for i, a in enumerate(weights) for j, b in enumerate(weights)
        ]
        found.append(abs(y.mean() - x.mean()) / np.sqrt(spread * sum(alike)))
    return max(found)


@pytest.mark.parametrize("size", [4, 5, 17])
def test_the_largest_difference_is_in_units_of_its_error(size):
    values = normal(27, size)
    assert lasting._largest(values[None, :])[0] == pytest.approx(largest(values))


def test_long_series_are_held_against_shorter_ones_in_steps_of_a_tenth():
    sizes = {39: 39, 40: 40, 41: 40, 44: 44, 60: 58, 400: 393, 1000: 393}
    assert {size: lasting._simulated_size(size) for size in sizes} == sizes


def test_the_level_of_a_confirmed_change_is_rare_enough(monkeypatch):
    monkeypatch.setattr(cp, "change_points", lambda values: [cp.ChangePoint(2, cp.CONFIRMED_LEVEL)])
    assert confirms([1000.0, 1000.0, 10.0, 10.0], 2)
