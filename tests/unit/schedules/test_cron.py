"""When a schedule is due, also where clocks change."""

from datetime import UTC, datetime, time, timedelta
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.records.schedules import cron
from dashboard.records.schedules.window import must_end_at, why_too_long

BERLIN = "Europe/Berlin"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def coming(expression, zone, after, n=3):
    return list(islice(cron.runs(expression, zone, after), n))


def test_half_past_two_runs_once_on_the_day_that_has_none():
    assert coming("30 2 * * *", BERLIN, utc(2026, 3, 28, 12)) == [
        utc(2026, 3, 29, 1, 0),  # 03:00, when the clock has jumped
        utc(2026, 3, 30, 0, 30),
        utc(2026, 3, 31, 0, 30),
    ]


def test_half_past_two_runs_once_on_the_day_that_has_two():
    assert coming("30 2 * * *", BERLIN, utc(2026, 10, 24, 12)) == [
        utc(2026, 10, 25, 0, 30),  # the first of the two
        utc(2026, 10, 26, 1, 30),
        utc(2026, 10, 27, 1, 30),
    ]


def test_within_the_hour_that_comes_twice_nothing_is_due_again():
    assert coming("30 2 * * *", BERLIN, utc(2026, 10, 25, 1, 15), 1) == [utc(2026, 10, 26, 1, 30)]


def test_with_a_star_for_the_hour_it_follows_real_time():
    hours = coming("15 * * * *", BERLIN, utc(2026, 10, 24, 23, 0), 4)
    assert [later - earlier for earlier, later in pairwise(hours)] == [timedelta(hours=1)] * 3


@pytest.mark.parametrize("day", [utc(2026, 3, 29), utc(2026, 10, 25)])
def test_rounds_each_minute_find_each_time_once(day):
    found, looked = [], day - timedelta(hours=3)
    for minute in range(12 * 60):
        now = looked + timedelta(minutes=1) if minute else looked
        found += cron.due("30 2 * * *", BERLIN, looked, now)
        looked = now
    assert len(found) == 1


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("* * * * *", "more often than every 15 minutes"),
        ("0,5 2 * * *", "more often than every 15 minutes"),
        ("0 0 31 4 *", "bad day-of-month"),
        ("61 2 * * *", "bad minute"),
        ("0 2 * *", "4 fields instead of five"),
        ("0 0 2 * * *", "6 fields instead of five"),
        ("@daily", "Write five fields"),
        ("", "Write five fields"),
        ("0 2 * * ²", "bad day-of-week"),
        ("nonsense from the very first word", "instead of five"),
    ],
)
def test_an_invalid_expression_is_refused_with_an_example(expression, says):
    with pytest.raises(cron.NoSchedule, match=says):
        cron.check(expression, "UTC", NOW)


@pytest.mark.parametrize("expression", ["30 2 * * *", "*/30 1-5 * * *", "0 2 * * MON-FRI", "0 3 L * *", "0 0 29 2 *"])
def test_a_valid_expression_is_accepted(expression):
    cron.check(expression, BERLIN, NOW)


def test_a_zone_that_is_none_is_refused():
    with pytest.raises(cron.NoSchedule, match="not a time zone"):
        cron.check("30 2 * * *", "../../etc/passwd", NOW)


def test_a_cron_line_is_put_in_words():
    assert cron.in_words("30 2 * * 1-5") == "At 02:30 on Monday through Friday"


@given(text=st.text(max_size=40), start=st.datetimes(datetime(1999, 1, 1), datetime(2060, 1, 1)))
def test_garbage_is_refused_and_never_breaks(text, start):
    try:
        cron.check(text, BERLIN, start.replace(tzinfo=UTC))
        assert cron.in_words(text)
    except cron.NoSchedule as refused:
        assert str(refused)


@given(
    start=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),
    expression=st.sampled_from(["30 2 * * *", "*/30 1-4 * * *", "15 * * * *", "0 3 1,15 * *", "45 1,2,3 * * 0"]),
    zone=st.sampled_from([BERLIN, "America/New_York", "Australia/Lord_Howe", "UTC", "Africa/Casablanca"]),
)
def test_times_ascend_and_lie_after_the_start(start, expression, zone):
    start = start.replace(tzinfo=UTC)
    times = [start, *coming(expression, zone, start, 6)]
    assert times == sorted(set(times))


@pytest.mark.parametrize(
    ("due", "shows", "ends"),
    [
        (utc(2026, 6, 10, 22, 30), time(6), utc(2026, 6, 11, 4)),  # after midnight in Berlin: the same day
        (utc(2026, 6, 10, 20, 0), time(6), utc(2026, 6, 11, 4)),  # 22:00: the next morning
        (utc(2026, 6, 11, 4, 0), time(6), utc(2026, 6, 12, 4)),  # at the end of the window: the next one
        (utc(2026, 3, 28, 22), time(2, 30), utc(2026, 3, 29, 1)),  # a time that is left out: the jump
        (utc(2026, 10, 24, 22), time(2, 30), utc(2026, 10, 25, 0, 30)),  # the first of two
        (utc(2026, 10, 25, 0, 45), time(2, 30), utc(2026, 10, 25, 1, 30)),  # the second, begun after the first
    ],
)
def test_a_window_ends_when_the_clock_shows_it_next(due, shows, ends):
    assert must_end_at(due, shows, BERLIN) == ends


def test_without_a_window_everything_fits():
    assert must_end_at(NOW, None, BERLIN) is None
    assert why_too_long(NOW, 10**9, None) == ""


def test_a_run_longer_than_the_window_is_refused():
    assert why_too_long(NOW, 60, NOW + timedelta(seconds=60)) == ""
    assert why_too_long(NOW, 61, NOW + timedelta(seconds=60))
