"""Figures of a device to the digit: a fitted line with known ends."""

import pytest

from tests.unit.analysis.made_up import MadeUp
from workers.analysis.fsync_model import FsyncModel, Residual
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.flush import NO_LEAST, TOO_SHORT, FlushFigure
from workers.analysis.statistics import Estimate

PER_SECOND, MANY = "flushes per second", "time of 100 KB over one byte"


def measured(figure, k=(5.0, 4.0, 6.0), slope=(1e-5, 8e-6, 1.25e-5), residuals=()):
    model = FsyncModel(Estimate(*k), Estimate(*slope), residuals, "yes", 5)
    return FlushFigure("on", figure).measure(MadeUp(model=model))


def test_flushes_per_second_of_a_page():
    """4096 bytes take 5 + 0.04096 ms; K and R together allow 4 + 4.096/125 to 6 + 4.096/80 ms."""
    found = measured(PER_SECOND)
    assert found.unit == "per second"
    assert found.value == pytest.approx(1000 / 5.04096)
    assert (found.lo, found.hi) == pytest.approx((1000 / (6 + 4.096 / 80), 1000 / (4 + 4.096 / 125)))


def test_a_hundred_kilobytes_over_one_byte():
    found = measured(MANY)
    one, many = 5 + 1e-5, 5 + 1.0
    assert found.value == pytest.approx(many / one)
    lo, hi = (4 + 0.8) / (6 + 1 / 80_000), (6 + 1.25) / (4 + 1 / 125_000)
    assert (found.lo, found.hi) == pytest.approx((lo, hi))


@pytest.mark.parametrize("figure", [PER_SECOND, MANY])
@pytest.mark.parametrize(
    "ends",
    [
        {"k": (5.0, None, 6.0)},
        {"k": (5.0, 4.0, None)},
        {"slope": (1e-5, None, 1.25e-5)},
        {"slope": (1e-5, 8e-6, None)},
        {"k": (5.0,), "slope": (1e-5,)},
    ],
)
def test_a_line_of_too_few_rounds_has_a_figure_and_no_interval(figure, ends):
    found = measured(figure, **ends)
    assert found.value > 0
    assert (found.lo, found.hi, found.why) == (None, None, TOO_SHORT)


@pytest.mark.parametrize("figure", [PER_SECOND, MANY])
def test_an_interval_that_reaches_to_no_time_at_all_is_none(figure):
    found = measured(figure, k=(5.0, 0.0, 6.0), slope=(1e-5, 0.0, 1.25e-5))
    assert found.value > 0
    assert (found.lo, found.hi, found.why) == (None, None, NO_LEAST)


def test_the_largest_deviation_is_of_the_size_that_is_farthest_off():
    ends = [(0.1, -0.05, 0.2), (-0.3, -0.4, -0.2), (0.02, 0.01, 0.03)]
    residuals = tuple(Residual(512 << n, 1.0, 1.0, Estimate(*one)) for n, one in enumerate(ends))
    assert measured("largest deviation from the line", residuals=residuals) == Effect("deviation", 0.3, 0.2, 0.4)


def test_a_figure_with_its_interval_needs_no_reason():
    found = measured(PER_SECOND)
    assert (found.why, found.counts) == ("", "")


def test_a_flush_may_take_less_than_a_millisecond():
    found = measured(PER_SECOND, k=(0.5, 0.4, 0.6), slope=(1e-5, 0.0, 1.25e-5))
    assert found.hi == pytest.approx(1000 / 0.4)


DEVIATION = "largest deviation from the line"


def deviating(*shares):
    return measured(DEVIATION, residuals=tuple(Residual(512, 1.0, 1.0, Estimate(*one)) for one in shares))


@pytest.mark.parametrize("ends", [(None, None), (None, 0.2), (0.0, None)])
def test_a_size_without_an_interval_leaves_none_for_the_largest_deviation(ends):
    assert deviating((0.1, 0.0, 0.2), (0.1, *ends)) == Effect("deviation", 0.1, why=TOO_SHORT)


def test_a_size_that_may_lie_on_the_line_may_deviate_by_nothing():
    assert deviating((0.1, -0.05, 0.2), (-0.1, -0.3, 0.0), (0.1, 0.0, 0.2)) == Effect("deviation", 0.1, 0.0, 0.3)
