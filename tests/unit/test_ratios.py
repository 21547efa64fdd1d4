"""A ratio and its interval, as sentences and tables round them."""

import pytest

from dashboard.text.numbers import percent
from dashboard.text.ratios import rounded, times_as_fast


@pytest.mark.parametrize(
    ("ratio", "says"),
    [
        ((6.123, 5.71, 6.58), ("6.1", "5.7 to 6.6")),
        ((1.0432, 0.9811, 1.1032), ("1.04", "0.981 to 1.10")),
        ((1.43, 0.512, 3.61), ("1.4", "0.51 to 3.6")),  # wide
        ((1.02, 1.0004, 1.04), ("1.0200", "1.0004 to 1.0400")),  # it excludes 1
        ((1.43, None, None), ("1.43", "")),
    ],
)
def test_a_ratio_is_rounded_by_its_size_and_interval(ratio, says):
    assert rounded(*ratio) == says


def test_a_ratio_as_percent_shows_that_its_interval_excludes_all():
    value, interval = rounded(1.02, 1.004, 1.04, percent, 2)
    assert (value, interval) == ("102.0\N{NO-BREAK SPACE}%", interval) and interval.startswith(
        "100.4\N{NO-BREAK SPACE}%"
    )


def test_a_wide_interval_makes_it_about():
    assert times_as_fast(3.7, 1.2, 11) == "about 3.7 times as fast"
    assert times_as_fast(3.7, 3.2, 4.1) == "3.7 times as fast"
