"""Rows of two servers: what one has and the other has not."""

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workers.crash.compare_tables import NOT_THE_WITNESS, difference, seen
from workers.crash.transactions import key, rows_expected, shape

ROW = st.tuples(st.sampled_from(["one", "left_half", "right_half"]), st.integers(0, 2), st.integers(0, 3))


def rows(*some):
    """(table, part, client, n) each."""
    places = {(table, part) for table, part, _, _ in some}
    return {
        place: np.array(sorted(key(c, n) for t, p, c, n in some if (t, p) == place), dtype=np.int64) for place in places
    }


def test_it_finds_nothing_between_equals():
    same = rows(("one", 0, 1, 5), ("left_half", 0, 2, 4))
    assert difference(same, same).rows == 0
    assert difference({}, {}).rows == 0


def test_it_names_what_is_missing_on_either_side():
    found = difference(rows(("one", 0, 1, 5), ("one", 1, 1, 5)), rows(("one", 0, 1, 5), ("left_half", 0, 3, 14)))
    assert (found.only_left, found.only_right) == (1, 1)
    assert (found.first_left, found.first_right) == (((1, 5),), ((3, 14),))


def test_it_tells_tables_and_parts_apart():
    """A row in the wrong table must not stand for the one that is missing."""
    assert difference(rows(("left_half", 0, 1, 4)), rows(("right_half", 0, 1, 4))).rows == 2
    assert difference(rows(("one", 0, 1, 2)), rows(("one", 1, 1, 2))).rows == 2


def test_it_counts_what_a_checksum_would_cancel_out():
    """Two pairs of rows swapped between places: XOR and SUM over all keys stay the same."""
    left = rows(("one", 0, 0, 1), ("one", 0, 1, 2), ("left_half", 0, 0, 2), ("left_half", 0, 1, 1))
    right = rows(("one", 0, 0, 2), ("one", 0, 1, 1), ("left_half", 0, 0, 1), ("left_half", 0, 1, 2))
    assert difference(left, right).rows == 8


@given(st.sets(st.tuples(ROW, st.integers(1, 30))), st.sets(st.tuples(ROW, st.integers(1, 30))))
def test_it_agrees_with_sets(left, right):
    def flat(some):
        return [(*row, n) for row, n in some]

    found = difference(rows(*flat(left)), rows(*flat(right)))
    assert (found.only_left, found.only_right) == (len(left - right), len(right - left))


def test_it_tells_whole_transactions_from_torn_ones():
    whole = [("one", part, 1, 2) for part in range(shape(2).rows)]
    half = [("left_half", 0, 1, 4)]
    found = seen(rows(*whole, *half, ("one", 0, NOT_THE_WITNESS, 10)))
    assert found.whole.tolist() == [key(1, 2)]
    assert found.parts.tolist() == [key(1, 4)]
    assert seen({}).whole.size == 0


def test_it_compares_a_million_transactions_in_seconds():
    keys = np.sort(np.concatenate([np.arange(1, 62_501) + key(client, 0) for client in range(16)]))
    plain = {("one", 0): keys}
    began = time.process_time()
    assert difference(plain, {("one", 0): np.delete(keys, 777)}).only_left == 1
    assert len(seen(plain).whole) == int((rows_expected(keys) == 1).sum())
    assert time.process_time() - began < 3
