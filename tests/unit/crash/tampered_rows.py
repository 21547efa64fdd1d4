"""Kinds of tampering with rows, of the engine or of a replica."""

from collections.abc import Callable

from tests.unit.crash.binlog_bytes import digest_of
from workers.crash.transactions import MOST_CLIENTS, MOST_NUMBERS

EACH = 15  # transactions of a client; client 1's and 2's take turns
Row = tuple[str, int, int, int, int]  # table, part, client, n, digest


Change = Callable[[list[Row]], list[Row]]


def without(client: int, n: int, *, rows: slice = slice(None)) -> Change:
    def change(some: list[Row]) -> list[Row]:
        gone = [one for one in some if one[2:4] == (client, n)][rows]
        return [one for one in some if one not in gone]

    return change


def instead(client: int, n: int, of_row: Callable[[Row], Row], *, nth: int = 0) -> Change:
    def change(some: list[Row]) -> list[Row]:
        (old, *_) = [one for one in some if one[2:4] == (client, n)][nth:]
        return [of_row(one) if one == old else one for one in some]

    return change


def along_with(*more: Row) -> Change:
    return lambda some: [*some, *more]


def exchanged_digests(some: list[Row]) -> list[Row]:
    (first,), (second,) = ([one for one in some if one[2:4] == (1, n)] for n in (5, 6))
    return [(*one[:4], second[4]) if one == first else (*one[:4], first[4]) if one == second else one for one in some]


ROWS: dict[str, Change] = {
    "a row of the last transaction is deleted": without(2, EACH),
    "a row in the middle is deleted": without(1, 5),
    "one of three rows is deleted": without(1, 2, rows=slice(1)),
    "one half is deleted": without(1, 4, rows=slice(1)),
    "the part of a single row is changed": instead(1, 5, lambda one: (one[0], 1, *one[2:])),
    "the part of one of three rows is changed": instead(1, 2, lambda one: (one[0], 3, *one[2:]), nth=2),
    "a row is moved from one to left_half": instead(1, 5, lambda one: ("left_half", *one[1:])),
    "a row is moved from left_half to right_half": instead(1, 4, lambda one: ("right_half", *one[1:])),
    "one bit of a digest is changed": instead(1, 5, lambda one: (*one[:4], one[4] ^ 1)),
    "the digests of two rows are exchanged": exchanged_digests,
    "a number is changed to one that was never sent": instead(1, 5, lambda one: (*one[:3], 900, one[4])),
    "a number is changed to one that was sent": instead(1, 5, lambda one: (*one[:3], 6, one[4])),
    "a client is changed": instead(1, 5, lambda one: (*one[:2], 7, *one[3:])),
    "a client is changed to one beyond all bounds": instead(1, 5, lambda one: (*one[:2], MOST_CLIENTS << 3, *one[3:])),
    "a client is changed to a negative one": instead(1, 5, lambda one: (*one[:2], -1, *one[3:])),
    "a number is changed to one beyond all bounds": instead(1, 5, lambda one: (*one[:3], MOST_NUMBERS + 5, one[4])),
    "a number is changed to a negative one": instead(1, 5, lambda one: (*one[:3], -5, one[4])),
    "a row is there twice": along_with(("one", 0, 1, 5, digest_of(1, 5, 0))),
    "a row that nobody sent is added": along_with(("one", 0, 1, 900, 0)),
    "a row that nobody sent is added with another row's digest": along_with(("one", 0, 1, 900, digest_of(1, 5, 0))),
    "a row of a client that writes after the crash is added": along_with(("one", 0, 1000, 10, 0)),
    "a row is added to a transaction of one row": along_with(("one", 1, 1, 5, digest_of(1, 5, 1))),
}
