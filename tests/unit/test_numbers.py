"""Numbers on pages."""

import pytest

from dashboard.text import numbers as figures

DASH = figures.UNKNOWN


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1234.5, 3, "1,230"), (0.012345, 3, "0.0123"), (6.12, 2, "6.1"), (0, 3, "0"), (9.996, 3, "10.0"),
        (-1234567, 2, "\N{MINUS SIGN}1,200,000"), (None, 3, DASH),
        (float("nan"), 3, DASH), ("x", 3, DASH),
    ],
)  # fmt: skip
def test_numbers_are_rounded_to_significant_digits(value, digits, text):
    assert figures.sig(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"), [(12345.6, "12,346"), (1.23456, "1.235"), (0.0001542, "0.00015"), (0, "0"), (None, DASH)]
)
def test_whole_numbers_of_tables_are_kept(value, text):
    assert figures.number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (0.0000123, "12.3 µs"), (0.00123, "1.23 ms"), (0.9999, "1.00 s"), (1.5, "1.50 s"), (3, "3.0 s"),
        (12.3, "12 s"), (59.99, "1 min"), (75, "1 min 15 s"), (3599.7, "1 h"), (3700, "1 h 2 min"),
        (90000, "1 d 1 h"), (None, DASH),
    ],
)  # fmt: skip
def test_durations_are_told_as_people_do(seconds, text):
    assert figures.duration(seconds) == text


def test_units_percentages_and_sizes_are_written_out():
    assert figures.unit(12345.6, "/s") == "12,346/s"
    assert figures.unit(3, "calls") == "3\N{NO-BREAK SPACE}calls"
    assert figures.percent(0.0123) == "1.2\N{NO-BREAK SPACE}%"
    assert figures.size(1536) == "1.50 KiB"
    assert figures.times(6.123) == "6.12\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}"
    assert figures.ms(1650) == "1.65 s"
