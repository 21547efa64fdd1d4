"""The crash points of recorded loads in words: they are counted for the load, with no share of independent crashes."""

import pytest

from dashboard.findings.crash import recorded
from dashboard.findings.crash.recorded import points_in_full, points_of_loads
from tests.unit.findings.tried import tried
from workers.crash.points.story import PointCounts


def counted(tried, failed, lost, uncounted=0):
    return PointCounts(tried=tried, failed=failed, lost=lost, uncounted=uncounted)


@pytest.mark.parametrize(
    ("counts", "loads", "says"),
    [
        ((1, 0, 0), 1, "lost nothing at the 1 crash point of this load"),
        ((2, 0, 0), 1, "lost nothing at any of the 2 crash points of this load"),
        ((1636, 0, 0), 3, "lost nothing at any of the 1,636 crash points of 3 loads"),
        ((40, 5, 0), 2, "lost no commit at any of the 40 crash points of 2 loads, "
                        "but failed in another way at 5 of them"),
        ((40, 5, 5), 2, "lost acknowledged commits at 5 of the 40 crash points of 2 loads "
                        "(at the worst one 1,200)"),
        ((40, 5, 4), 2, "lost acknowledged commits at 4 of the 40 crash points of 2 loads "
                        "(at the worst one 1,200); failed in another way at 1"),
        ((40, 6, 4, 2), 2, "lost acknowledged commits at 4 of the 40 crash points of 2 loads; "
                           "failed in another way at 2; "
                           "at 2 the tables could not be read, and losses are not known"),
        ((40, 0, 0, 2), 2, "lost no commit at 38 of the 40 crash points of 2 loads; "
                           "at 2 the tables could not be read, and losses are not known"),
    ],
)  # fmt: skip
def test_a_setting_is_told_by_the_crash_points_of_its_loads(counts, loads, says):
    assert recorded.says(counted(*counts), loads, 1200) == says


@pytest.mark.parametrize(
    ("tried_", "failed", "says"),
    [
        (1, 0, "recovered right at the 1 crash point of 1 round"),
        (2, 0, "recovered right at all 2 crash points of 1 round"),
        (2000, 1000, "recovered wrong at 1,000 of the 2,000 crash points of 1 round"),
    ],
)
def test_of_small_histories_it_is_told_whether_they_recovered_right(tried_, failed, says):
    assert recorded.says(counted(tried_, failed, 0), 1, None, "1 round") == says


def test_states_of_small_histories_that_could_not_be_read_are_not_told_as_right():
    assert recorded.says(counted(992, 0, 0, 2), 1, None, "14 histories") == (
        "recovered right at 990 of the 992 crash points of 14 histories; at 2 it is not known what the server held"
    )


def test_small_histories_that_lost_answered_statements_are_told_like_a_load():
    says = recorded.says(counted(992, 921, 900), 1, 7, "14 histories")
    assert says == (
        "lost acknowledged commits at 900 of the 992 crash points of 14 histories (at the worst one 7); "
        "failed in another way at 21"
    )


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("every-crash-point", "24 crash points"),
        ("replica-crash-points", "24 crash points of a replica"),
        ("small-histories", "24 crash points of small histories"),
        ("kill-points", "24 kill points"),
    ],
)
def test_points_are_named_as_in_the_heading_of_the_matrix(kind, says):
    assert recorded.points_of_kind(24, kind) == says


def test_kill_points_have_their_own_noun():
    says = recorded.says(counted(3, 0, 0), 1, 0, noun=recorded.noun_of("kill-points"))
    assert says == "lost nothing at any of the 3 kill points of this load"
    assert recorded.noun_of("every-crash-point") == "crash point"
    assert points_of_loads(1, 2) == "1 crash point of 2 loads"


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ((1, "every-crash-point", 1), "1 crash point (of 1 load)"),
        ((24, "every-crash-point", 1), "24 crash points (of 1 load)"),
        ((636, "every-crash-point", 3), "636 crash points (212 in each of 3 loads)"),
        ((3, "every-crash-point", 3), "3 crash points (1 in each of 3 loads)"),
        ((72, "every-crash-point", 3, 9020), "72 crash points (of 9,020 found; 24 in each of 3 loads)"),
        ((72, "every-crash-point", 3, 72), "72 crash points (24 in each of 3 loads)"),
        ((637, "every-crash-point", 3), "637 crash points (of 3 loads)"),
        ((6, "kill-points", 3), "6 kill points (2 in each of 3 loads)"),
        ((1, "small-histories", 1), "1 crash point of 1 round of small histories"),
        ((345, "small-histories", 2), "345 crash points of 2 rounds of small histories"),
    ],
)
def test_the_first_sentence_says_what_a_crash_point_is(known, says):
    assert points_in_full(*known) == says


def test_the_points_of_all_loads_are_added_up():
    each = [counted(3, 2, 1, 1), counted(4, 1, 1, 0), counted(0, 0, 0), None]
    loads = [tried("every-crash-point", points=one) for one in each]
    assert recorded.total(loads) == counted(7, 3, 2, 1)
    assert recorded.total(loads[2:]) is None, "no point was tried"
