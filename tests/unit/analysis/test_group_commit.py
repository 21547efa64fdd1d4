"""Real shapes of LAB.md: 5.5 must come out as not working, 5.6 and later as working."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.analysis.group_commit import Shared, _verdict, judge


def points(per_commit, tps=None, seconds=6, busy=None):
    """`per_commit`: threads -> fsyncs per commit."""
    tps = tps or dict.fromkeys(per_commit, 180)
    return [
        Shared(threads, tps[threads] * seconds, value * tps[threads] * seconds, busy)
        for threads, value in per_commit.items()
    ]


@pytest.mark.parametrize("tps", [{1: 62, 16: 184, 64: 180}, {1: 62, 16: 187, 64: 184}])
@pytest.mark.parametrize("busy", [None, 0.99])
def test_5_5_does_not_work(tps, busy):
    found = judge(points({1: 1.0, 16: 1.0, 64: 1.0}, tps, busy=busy))
    assert found.verdict == "does not work"
    assert (found.alone, found.together, found.high_threads) == (pytest.approx(1), pytest.approx(1), 64)
    assert found.works_from is None


@pytest.mark.parametrize(
    ("tps", "at_64"),
    [
        ({1: 91, 16: 944, 64: 3303}, 0.054),
        ({1: 73, 16: 813, 64: 2117}, 0.043),
        ({1: 88, 16: 944, 64: 2335}, 0.050),
        ({1: 91, 16: 889, 64: 2971}, 0.058),
        ({1: 89, 16: 965, 64: 2664}, 0.059),
    ],
)
def test_5_6_and_later_work(tps, at_64):
    found = judge(points({1: 1.0, 16: 0.2, 64: at_64}, tps, busy=0.9))
    assert found.verdict == "works"
    assert found.works_from == 16
    assert found.drop.lo < at_64 < found.drop.hi


def test_measurements_of_one_thread_only_give_unknown():
    assert judge(points({1: 1.0})).verdict == "unknown"
    assert judge(points({1: 1.0, 2: 1.0, 4: 1.0})).verdict == "unknown"


def test_many_threads_without_a_lone_one_tell_by_their_trend():
    assert judge(points({16: 0.2, 64: 0.05})).verdict == "works"
    assert judge(points({16: 1.0, 64: 1.0})).verdict == "does not work"
    assert judge(points({16: 0.2, 32: 0.1})).verdict == "unknown"  # too close together


@pytest.mark.parametrize("per_commit", [{1: 0.0, 64: 0.0}, {1: 0.01, 64: 0.01}, {1: 0.3, 64: 0.0004}])
def test_no_fsyncs_no_need(per_commit):
    assert judge(points(per_commit)).verdict == "no need"


def test_fsyncs_too_fast_to_meet_are_no_failure_of_group_commit():
    """On a device that flushes in microseconds commits do not meet: the same counts as 5.5 at 5 ms."""
    shape = {1: 1.0, 16: 1.0, 64: 0.98}
    assert judge(points(shape, busy=0.1)).verdict == "no need"
    assert judge(points(shape, busy=0.9)).verdict == "does not work"


def test_between_is_unknown():
    assert judge(points({1: 1.0, 64: 0.6}, dict.fromkeys((1, 64), 1000), busy=0.9)).verdict == "unknown"


def test_too_few_commits_are_unknown():
    assert judge(points({1: 1.0, 64: 1.0}, {1: 5, 64: 5})).verdict == "unknown"
    assert judge([]).verdict == "unknown"


def test_redo_of_5_5_with_two_fsyncs_alone():
    assert judge(points({1: 2.0, 16: 1.1, 64: 1.02}, dict.fromkeys((1, 16, 64), 1000))).verdict == "unknown"
    assert judge(points({1: 2.0, 64: 0.1})).verdict == "works"


@given(st.dictionaries(st.integers(1, 1024), st.floats(0, 3), min_size=1), st.integers(100, 10**7))
def test_the_judgement_always_has_an_answer_and_a_reason(per_commit, commits):
    found = judge([Shared(threads, commits, value * commits) for threads, value in per_commit.items()])
    assert found.why
    assert found.verdict != "does not work" or found.together >= 0.75 * found.alone
    assert found.verdict != "works" or found.together <= 0.5 * found.alone


def test_the_interval_of_the_drop_is_that_of_two_poisson_rates():
    """A lone commit makes two fsyncs here; at 64 threads 100 commits share one."""
    found = judge([Shared(1, 1000, 2000), Shared(64, 10_000, 100)])
    spread = 1.959964 * (1 / 2000 + 1 / 100) ** 0.5
    assert found.drop.value == pytest.approx(0.01 / 2)
    assert (found.drop.lo, found.drop.hi) == pytest.approx((0.005 * math.exp(-spread), 0.005 * math.exp(spread)))


def test_a_log_that_was_no_longer_flushed_has_an_upper_end():
    found = judge([Shared(1, 1000, 2000), Shared(64, 10_000, 0)])
    assert found.drop.value == found.drop.lo == 0
    assert found.drop.hi == pytest.approx(0.5 / 10_000 / 2 * math.exp(1.959964 * (1 / 2000 + 2) ** 0.5))


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(1, 8, "works"), (1, 7, "unknown"), (4, 16, "works"), (4, 15, "unknown")]
)
def test_eight_threads_and_four_times_the_fewest_are_needed(low, high, verdict):
    found = judge([Shared(low, 10_000, 10_000), Shared(high, 10_000, 1000)])
    assert found.verdict == verdict
    assert verdict == "works" or f"{max(8, 4 * low)} are needed" in found.why


@pytest.mark.parametrize(
    ("drop", "lo", "hi", "verdict"),
    [
        (0.4, 0.3, 0.5, "works"),
        (0.4, 0.3, 0.501, "unknown"),
        (0.8, 0.75, 0.9, "does not work"),
        (0.8, 0.749, 0.9, "unknown"),
    ],
)
def test_half_is_enough_and_three_quarters_are_too_many(drop, lo, hi, verdict):
    assert _verdict(drop, lo, hi, Shared(64, 1000, 800))[0] == verdict


@pytest.mark.parametrize(("at_8", "works_from"), [(500, 8), (501, 16)])
def test_group_commit_works_from_where_half_of_the_fsyncs_are_left(at_8, works_from):
    shared = [Shared(1, 1000, 1000), Shared(4, 1000, 900), Shared(8, 1000, at_8)]
    found = judge([*shared, Shared(16, 1000, 200), Shared(64, 1000, 100)])
    assert (found.verdict, found.works_from) == ("works", works_from)


def test_one_fsync_of_several_threads_gives_a_verdict():
    assert judge([Shared(2, 100, 1), Shared(8, 100, 1)]).drop.value == 1
    assert judge([Shared(2, 100, 0), Shared(8, 100, 1)]).why == "This log was not flushed."


def test_half_an_fsync_per_lone_commit_is_a_need():
    assert judge([Shared(1, 10_000, 5000), Shared(64, 10_000, 100)]).verdict == "works"
    assert judge([Shared(1, 10_000, 4999), Shared(64, 10_000, 100)]).verdict == "no need"


@pytest.mark.parametrize(("busy", "verdict"), [(0.5, "does not work"), (0.49, "no need")])
def test_commits_meet_where_half_of_the_time_goes_into_fsyncs(busy, verdict):
    assert judge([Shared(1, 10_000, 10_000), Shared(64, 10_000, 10_000, busy)]).verdict == verdict
