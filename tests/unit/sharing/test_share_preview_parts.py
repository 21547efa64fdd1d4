"""Parts of a preview's picture: scales, ticks, words, colours."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.home import PROJECT
from dashboard.sharing.preview.scales import apart, from_zero, logarithmic, ticks
from dashboard.sharing.preview.tokens import SERIES, colours, series_colour
from dashboard.sharing.preview.words import cut, drawable, wrapped

VALUES = st.lists(st.floats(min_value=1e-6, max_value=1e12), min_size=1, max_size=20)


@given(VALUES)
def test_values_lie_between_the_ends_in_their_order(values):
    for scale in (from_zero(values, 0, 100), logarithmic(values, 0, 100)):
        places = [scale.at(value) for value in sorted(values)]
        assert all(-1e-6 <= place <= 100 + 1e-6 for place in places)
        assert places == sorted(places)


@given(VALUES)
def test_ticks_are_few_and_on_the_axis(values):
    for scale in (from_zero(values, 0, 100), logarithmic(values, 0, 100)):
        found = ticks(scale)
        assert len(found) <= 20 and found == sorted(found)
        assert all(scale.low <= tick <= scale.high * (1 + 1e-9) for tick in found)
    assert ticks(from_zero(values, 0, 100))[0] == 0


def test_ticks_are_round():
    assert ticks(from_zero([100.0], 0, 1)) == [0, 50, 100]
    assert ticks(logarithmic([2, 90], 0, 1)) == [2, 5, 10, 20, 50, 100]
    assert ticks(logarithmic([1, 1e6], 0, 1)) == [10.0**power for power in range(7)]


@given(st.lists(st.floats(min_value=0, max_value=500), max_size=15))
def test_names_are_apart_and_inside_while_there_is_room(wanted):
    places = sorted(apart(wanted, 24, 0, 500))
    assert all(after - before >= 24 - 1e-6 for before, after in pairwise(places))
    assert all(-1e-6 <= place <= 500 + 1e-6 for place in places)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("6.1 µs × 2 – 3", "6.1 us x 2 - 3"), ("Größe", "Grosse"), ("a\u00a0b\n c", "a b c"), ("数", "?"), ("…", "…")],  # noqa: RUF001
)
def test_letters_that_the_font_lacks_are_said_otherwise(text, shown):
    assert drawable(text) == shown


@given(st.text(max_size=200), st.integers(1, 5))
def test_lines_fit_and_lose_no_word_that_fits(text, lines):
    words = drawable(text)
    found = wrapped(words, 30, lines, len)
    assert len(found) <= lines and all(len(line) <= 31 for line in found)
    if len(found) < lines and all(len(word) <= 30 for word in words.split()):
        assert " ".join(found).split() == words.split()


def test_what_is_too_long_is_cut():
    assert cut("abcdef", 4, len) == "abc…"
    assert cut("abcd", 4, len) == "abcd"


def test_colours_are_those_of_the_pages():
    css = (PROJECT / "static/css/tokens.css").read_text()
    for name in ("surface", "ink", "ink-soft", "line", "line-strong", "accent", "sunken"):
        assert re.fullmatch("#[0-9a-f]{6}", colours()[name]) and f"--{name}: light-dark({colours()[name]}," in css
    assert len({series_colour(n) for n in range(SERIES)}) == SERIES
    assert series_colour(SERIES) == series_colour(0)
