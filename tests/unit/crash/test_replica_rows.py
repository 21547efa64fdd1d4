"""Rows of two servers: what one has and the other has not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.crash.binlog_bytes import SECRET, digest_of, row_of
from workers.crash import compare_tables
from workers.crash.compare_tables import WRITES_AFTER, WRITES_ON, Placed, difference, seen
from workers.crash.transactions import MOST_CLIENTS, MOST_NUMBERS, NOBODY, PLACES, key, shape

ROW = st.tuples(st.sampled_from(["one", "left_half", "right_half"]), st.integers(0, 2), st.integers(0, 3))


def rows(*some):
    """(table, part, client, n) each, and a digest where it is to be another than 0."""
    places = {row[:2] for row in some}
    return {place: placed([row for row in some if row[:2] == place]) for place in places}


def placed(some):
    pairs = sorted((key(row[2], row[3]), (*row, 0)[4]) for row in some)
    return Placed(*(np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True)))


def written(client, n, *places):
    """Those rows of a transaction as the witness writes them."""
    return [(*PLACES[place], client, n, digest_of(client, n, place)) for place in places or shape(n).places]


def test_equal_rows_have_no_difference():
    same = rows(("one", 0, 1, 5), ("left_half", 0, 2, 4))
    assert difference(same, same).rows == 0
    assert difference({}, {}).rows == 0


def test_rows_that_either_side_lacks_are_named():
    found = difference(rows(("one", 0, 1, 5), ("one", 1, 1, 5)), rows(("one", 0, 1, 5), ("left_half", 0, 3, 14)))
    assert (found.only_left, found.only_right) == (1, 1)
    assert (found.first_left, found.first_right) == (((1, 5),), ((3, 14),))


def test_tables_and_parts_are_told_apart():
    """A row in the wrong table must not stand for the one that is missing."""
    assert difference(rows(("left_half", 0, 1, 4)), rows(("right_half", 0, 1, 4))).rows == 2
    assert difference(rows(("one", 0, 1, 2)), rows(("one", 1, 1, 2))).rows == 2


def test_swapped_rows_that_a_checksum_would_miss_are_counted():
    """Two pairs of rows swapped between places: XOR and SUM over all keys stay the same."""
    left = rows(("one", 0, 0, 1), ("one", 0, 1, 2), ("left_half", 0, 0, 2), ("left_half", 0, 1, 1))
    right = rows(("one", 0, 0, 2), ("one", 0, 1, 1), ("left_half", 0, 0, 1), ("left_half", 0, 1, 2))
    assert difference(left, right).rows == 8


@given(st.sets(st.tuples(ROW, st.integers(1, 30))), st.sets(st.tuples(ROW, st.integers(1, 30))))
def test_the_difference_agrees_with_sets(left, right):
    def flat(some):
        return [(*row, n) for row, n in some]

    found = difference(rows(*flat(left)), rows(*flat(right)))
    assert (found.only_left, found.only_right) == (len(left - right), len(right - left))


def test_a_row_with_another_digest_is_one_that_differs_on_either_side():
    found = difference(rows(("one", 0, 1, 5, 7), ("one", 0, 1, 6, 7)), rows(("one", 0, 1, 5, 8), ("one", 0, 1, 6, 7)))
    assert (found.first_left, found.first_right, found.rows) == (((1, 5),), ((1, 5),), 2)


def test_ten_rows_of_a_difference_are_named():
    found = difference(rows(*(("one", 0, 1, n) for n in range(1, 20))), {})
    assert (found.only_left, len(found.first_left)) == (19, 10)


def test_whole_transactions_are_told_from_torn_ones():
    found = seen(rows(*written(1, 2), *written(1, 4, 3)), SECRET)
    assert (found.whole.tolist(), found.parts.tolist(), found.altered.size) == ([key(1, 2)], [key(1, 4)], 0)
    assert seen({}, SECRET).whole.size == 0


def test_rows_that_the_witness_did_not_write_are_found():
    """A wrong digest, a part that the transaction does not have, a table that is not its own, nobody's client."""
    good = written(1, 2)
    (moved,) = written(1, 15)
    strange = [(*good[0][:4], good[0][4] + 1), ("one", 1, 1, 5, 0), ("left_half", *moved[1:]), ("one", 0, 1000, 10, 0)]
    found = seen(rows(*good[1:], *strange), SECRET)
    assert found.whole.tolist() == []
    assert found.altered.tolist() == [key(1, 2), key(1, 5), key(1, 15), key(1000, 10)]
    assert found.parts.tolist() == []


def test_a_transaction_with_an_altered_row_is_there_in_part_if_another_row_is_missing():
    first, second, third = written(1, 2)
    wrong = (*first[:4], first[4] + 1)
    for left, parts in (((second, third), []), ((third,), [key(1, 2)]), ((), [key(1, 2)])):
        found = seen(rows(wrong, *left), SECRET)
        assert (found.whole.tolist(), found.altered.tolist()) == ([], [key(1, 2)])
        assert found.parts.tolist() == parts
        assert found.there().tolist() == ([] if parts else [key(1, 2)]), "altered and not whole: it is missing, too"


def test_a_row_where_the_witness_never_writes_does_not_hide_a_loss():
    elsewhere = next(place for place in range(len(PLACES)) if place not in shape(1).places)
    found = seen(rows(*written(1, 1, elsewhere)), SECRET)
    assert (found.altered.tolist(), found.there().tolist()) == ([key(1, 1)], [])


def test_a_row_that_is_there_twice_is_altered():
    found = seen(rows(*written(1, 15), *written(1, 15)), SECRET)
    assert (found.whole.tolist(), found.altered.tolist()) == ([key(1, 15)], [key(1, 15)])


def test_clients_that_write_after_the_crash_are_none_of_the_witnesss():
    assert 256 <= WRITES_AFTER != WRITES_ON >= 256


def test_the_server_is_allowed_texts_as_long_as_its_groups_can_be():
    """It would cut a longer one off without an error."""
    longest = 16384 * len("-9223372036854775808,-9223372036854775808,")
    assert longest <= compare_tables.GROUP_BYTES == 1024 * 1024
    assert "DIV 16384" in compare_tables.READ


def test_a_row_of_the_witness_has_as_many_columns_as_its_table():
    assert [len(row_of(1, 4, place)[1]) for place in range(5)] == [4, 4, 4, 3, 3]


BEYOND = [(MOST_CLIENTS << 3, 5), (1 << 40, 5), (1 << 70, 5), (-1, 5), (1, MOST_NUMBERS + 5), (1, -5)]


def read_from(monkeypatch, client, n):
    """As the server joins rows: a good one, and two of this client and number."""
    return read(monkeypatch, (0, 1, f"6,{digest_of(1, 6, 0)}"), (0, client, f"{n},7,{n},8".encode()))


def read(monkeypatch, *groups):
    """Texts of the table `one`, which the server cuts off where it was not told how long they may be."""
    allowed = [1024]

    def asked(_, sql, args=(), most_bytes=0):
        if sql.startswith("SET SESSION group_concat_max_len"):
            allowed[:] = args
        answers = {"SET": [], "SELECT table_name": [("one",)]}
        cut = [(part, of, text[: allowed[0]]) for part, of, text in groups]
        return next((rows for begin, rows in answers.items() if sql.startswith(begin)), cut)

    monkeypatch.setattr(compare_tables.ask, "rows", asked)
    return compare_tables.read_rows(None, "s")


def test_the_rows_of_a_long_text_are_read_in_any_order(monkeypatch):
    numbers = [*range(400, 0, -1)]
    rows_of = ",".join(f"{n},{(n * 7919) % 1009}" for n in numbers)
    found = read(monkeypatch, (0, 0, rows_of))
    assert found["one", 0].keys.tolist() == [key(0, n) for n in sorted(numbers)]
    assert difference(found, rows(*(("one", 0, 0, n, (n * 7919) % 1009) for n in numbers))).rows == 0


@pytest.mark.parametrize(("client", "n"), BEYOND)
def test_a_row_beyond_all_bounds_is_read_as_an_altered_one(monkeypatch, client, n):
    found = read_from(monkeypatch, client, n)
    assert seen(found, SECRET).altered.tolist() == [NOBODY]
    assert seen(found, SECRET).whole.tolist() == [key(1, 6)]
    assert difference(found, read_from(monkeypatch, client, n)).rows == 0, "the same on both sides"
    assert difference(found, rows(*written(1, 6))).rows == 2
