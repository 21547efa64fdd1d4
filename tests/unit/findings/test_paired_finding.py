"""The first sentence about two experiments: a difference that it tells is visible in its interval."""

import math

import pytest

from dashboard.findings.compare.crashes import CrashPairs
from dashboard.findings.compare.finding import paired_finding
from dashboard.findings.compare.pairs import PairedExperiments, PointPair
from dashboard.findings.lines import VariantPlace
from dashboard.findings.point import ThroughputRatio
from tests.unit.findings.points import point
from workers.analysis.statistics import Estimate

ALIKE = ThroughputRatio(1.0, 0.9, 1.1, 1.0, "no difference shown")


def told(*ratios, overall=None):
    place = VariantPlace("1/1", 1, "1/1", 0, 0)
    pairs = tuple(PointPair(place, "w", 8, point(), point(), ratio) for ratio in ratios)
    found = paired_finding(PairedExperiments(pairs, overall, (), (), (0, 0), ()), CrashPairs((), (), ()))
    return found.sentence.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("overall", "value", "ends"),
    [
        ((1.02, 1.01, 1.04), "102 %", "101 % to 104 %"),
        ((1.02, 1.0004, 1.04), "102.00 %", "100.04 % to 104.00 %"),
        ((0.98, 0.95, 0.9996), "98.00 %", "95.00 % to 99.96 %"),
        ((0.99996, 0.99992, 0.99997), "99.996 %", "99.992 % to 99.997 %"),
    ],
)
def test_the_interval_of_a_difference_over_all_points_does_not_begin_or_end_at_100_percent(overall, value, ends):
    said = told(*[ALIKE] * 3, overall=Estimate(*overall))
    assert f"over all 3 points together B has {value} of the throughput of A" in said
    assert f"95 % confidence interval {ends}" in said


@pytest.mark.parametrize("overall", [(1.02, 0.9996, 1.04), (1.02, 1.0, 1.04), (0.98, 0.95, 1.0004)])
def test_an_interval_that_holds_100_percent_shows_no_difference(overall):
    said = told(*[ALIKE] * 3, overall=Estimate(*overall))
    assert said.startswith("No difference in throughput was shown at 3 of 3 points")


@pytest.mark.parametrize(
    ("ratio", "value", "ends"),
    [
        ((1.02, 1.01, 1.04), "1.02 times", "1.01 to 1.04"),
        ((1.02, 1.0004, 1.04), "1.0200 times", "1.0004 to 1.0400"),
        ((0.5, 0.4, 0.6), "50 % of", "40 % to 60 %"),
        ((0.97, 0.94, 0.996), "97.0 % of", "94.0 % to 99.6 %"),
    ],
)
def test_the_interval_of_the_largest_difference_does_not_begin_or_end_at_1(ratio, value, ends):
    said = told(ThroughputRatio(*ratio, 0.01, "differs"))
    assert f"where B has {value}" in said and f"95 % confidence interval {ends}" in said


@pytest.mark.parametrize(("end", "towards"), [(1.0, 2.0), (1.0, 0.0)])
def test_an_end_as_close_to_1_as_a_number_can_be_is_told(end, towards):
    near = math.nextafter(end, towards)
    assert "No point shows a difference by itself" in told(*[ALIKE] * 3, overall=Estimate(near, near, near))
