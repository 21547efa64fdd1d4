"""Reading counters at both ends and in between."""

import pytest

from workers.errors import ServerError
from workers.metrics.source import Figure, Window


def window(*readings, figure=lambda before, after: after["n"] - before["n"]):
    feed = iter({"n": n} for n in readings)

    def figures(before, after):
        value = figure(before, after)
        return () if value is None else (Figure("commits", value, "test"),)

    return Window(lambda: next(feed), figures)


def test_a_window_yields_the_difference_of_counters():
    session = window(3, 10)
    session.begin()
    assert session.end().figures[0].value == 7


def test_a_window_keeps_one_rate_per_tick():
    session = window(0, 5, 9, 9)
    session.begin()
    session.tick()
    session.tick()
    series = session.end().per_second["commits"]
    assert len(series) == 2 and all(rate > 0 for rate in series)


def test_a_window_has_no_series_without_ticks():
    session = window(0, 5)
    session.begin()
    assert session.end().per_second == {}


def test_a_window_drops_a_series_with_holes():
    session = window(0, 5, 9, 12, figure=lambda b, a: None if a["n"] == 5 else a["n"] - b["n"])
    session.begin()
    session.tick()
    session.tick()
    reading = session.end()
    assert reading.figures[0].value == 12 and reading.per_second == {}


def test_counters_that_went_back_give_no_figures():
    session = window(10, 3)
    session.begin()
    with pytest.raises(ServerError, match="started again"):
        session.end()
