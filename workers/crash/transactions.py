"""The witness's transactions. The rows of a transaction follow from its number and the trial's secret, so the checks
know every byte of them.

A transaction is (client, n): client 0.., n from 1. Its key is one integer, `client << 40 | n`, so that a million of
them are a numpy array. Tables (schema.sql): `one` holds (client, n, part, digest); `left_half` and `right_half` hold
(client, n, digest) each, one row of both in the same transaction. A row's place is its table and part: PLACES.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workers.crash.digest import digests

Keys = npt.NDArray[np.int64]
CLIENT_SHIFT = 40
MOST_NUMBERS = 1 << CLIENT_SHIFT
MOST_CLIENTS = 1 << 20  # a digest holds no larger one
SEVERAL = 3  # rows of a transaction that has several
PLACES = (*(("one", part) for part in range(SEVERAL)), ("left_half", 0), ("right_half", 0))  # table and part
NO_PLACE = -1
NOBODY = -1  # key of a row whose client or number is out of bounds


@dataclass(frozen=True)
class TransactionShape:
    """The rows of a transaction: their `places`, in order; and how it is sent."""

    places: tuple[int, ...]
    explicit: bool  # BEGIN, a statement for each row, COMMIT; else one autocommitted statement


SHAPES = (
    TransactionShape((0,), False),
    TransactionShape((0,), True),
    TransactionShape((0, 1, 2), False),
    TransactionShape((0, 1, 2), True),
    TransactionShape((3, 4), True),
)
TURN = 10  # the last digit of n decides its shape


def shape(n: int) -> TransactionShape:
    """The shape of every client's nth transaction: all shapes in turn, the plain one more often."""
    return SHAPES[n % TURN] if n % TURN < len(SHAPES) else SHAPES[0]


PLACES_BY_TURN = np.full((TURN, SEVERAL), NO_PLACE, dtype=np.int64)
for _turn in range(TURN):
    PLACES_BY_TURN[_turn, : len(shape(_turn).places)] = shape(_turn).places
ROWS_BY_TURN = (PLACES_BY_TURN != NO_PLACE).sum(axis=1)


def key(client: int, n: int) -> int:
    return client << CLIENT_SHIFT | n


def keys_found(clients: Keys, numbers: Keys) -> Keys:
    """The keys of found rows; NOBODY for impossible ones."""
    possible = (clients >= 0) & (clients < MOST_CLIENTS) & (numbers > 0) & (numbers < MOST_NUMBERS)
    return np.where(possible, clients << CLIENT_SHIFT | numbers, NOBODY)


def client_of(keys: Keys) -> npt.NDArray[np.int64]:
    return keys >> CLIENT_SHIFT


def number_of(keys: Keys) -> npt.NDArray[np.int64]:
    return keys & (MOST_NUMBERS - 1)


def pairs(keys: Keys) -> tuple[tuple[int, int], ...]:
    """As (client, n)."""
    return tuple(zip(client_of(keys).tolist(), number_of(keys).tolist(), strict=True))


def rows_expected(keys: Keys) -> npt.NDArray[np.int64]:
    """Rows that each transaction writes, over all tables."""
    expected: npt.NDArray[np.int64] = ROWS_BY_TURN[number_of(keys) % TURN]
    return expected


def place_of(keys: Keys, nth: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The place of each transaction's nth row, counted from 0; NO_PLACE where it has fewer."""
    inside = (nth >= 0) & (nth < SEVERAL)
    return np.where(inside, PLACES_BY_TURN[number_of(keys) % TURN, np.where(inside, nth, 0)], NO_PLACE)


def is_written(secret: bytes, keys: Keys, places: Keys, found: Keys) -> npt.NDArray[np.bool_]:
    """Whether the witness writes a row of this transaction in this place with the digest that was found."""
    written: npt.NDArray[np.bool_] = belongs(keys, places) & (digests(secret, keys, places) == found)
    return written


def belongs(keys: Keys, places: Keys) -> npt.NDArray[np.bool_]:
    """Whether the witness writes a row of this transaction in this place."""
    known: npt.NDArray[np.bool_] = (PLACES_BY_TURN[number_of(keys) % TURN] == places[:, None]).any(axis=1)
    return known & (places >= 0) & (keys >= 0)


# secret, client and numbers -> the SQL of each transaction, statement by statement
Write = Callable[[bytes, int, Sequence[int]], list[tuple[bytes, ...]]]


def statements(secret: bytes, client: int, numbers: Sequence[int]) -> list[tuple[bytes, ...]]:
    """The SQL of each transaction, statement by statement. An explicit one inserts its rows one by one."""
    n = np.array(numbers, dtype=np.int64)
    places = PLACES_BY_TURN[n % TURN].ravel()
    of_rows = digests(secret, np.repeat(n + key(client, 0), SEVERAL), places).reshape(-1, SEVERAL)
    return [_sql(client, number, row) for number, row in zip(n.tolist(), of_rows.tolist(), strict=True)]


def _sql(client: int, n: int, of_rows: list[int]) -> tuple[bytes, ...]:
    what = shape(n)
    rows = [_values(place, client, n, digest) for place, digest in zip(what.places, of_rows, strict=False)]
    if not what.explicit:
        return (b"INSERT INTO one VALUES " + b",".join(rows),)
    inserts = (
        b"INSERT INTO %s VALUES %s" % (TABLE_NAMES[place], row) for place, row in zip(what.places, rows, strict=True)
    )
    return (b"BEGIN", *inserts, b"COMMIT")


TABLE_NAMES = tuple(table.encode() for table, _ in PLACES)


def _values(place: int, client: int, n: int, digest: int) -> bytes:
    if place < SEVERAL:
        return b"(%d,%d,%d,%d)" % (client, n, place, digest)
    return b"(%d,%d,%d)" % (client, n, digest)
