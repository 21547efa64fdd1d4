"""The witness's transactions: which rows a numbered transaction writes is a function of its number, so that the
checker knows it without being told.

A transaction is (client, n): client 0.., n from 1. Its key is one integer, `client << 40 | n`, so that a million of
them are a numpy array. Tables (schema.sql): `one` holds (client, n, part); `left_half` and `right_half` hold
(client, n) each, one row of both in the same transaction.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.int64]
CLIENT_SHIFT = 40
SEVERAL = 3  # rows of a transaction that has several


@dataclass(frozen=True)
class Shape:
    """What a transaction writes: `rows` rows of table `one`, or one row in each half; and how it is sent."""

    rows: int
    two_tables: bool
    explicit: bool  # BEGIN ... COMMIT, rather than one autocommitted statement


SHAPES = (
    Shape(1, False, False),
    Shape(1, False, True),
    Shape(SEVERAL, False, False),
    Shape(SEVERAL, False, True),
    Shape(0, True, True),
)


def shape(n: int) -> Shape:
    """The shape of every client's nth transaction: all kinds in turn, the plain one more often than the others."""
    return SHAPES[n % 10] if n % 10 < len(SHAPES) else SHAPES[0]


def key(client: int, n: int) -> int:
    return client << CLIENT_SHIFT | n


def client_of(keys: Keys) -> npt.NDArray[np.int64]:
    return keys >> CLIENT_SHIFT


def number_of(keys: Keys) -> npt.NDArray[np.int64]:
    return keys & ((1 << CLIENT_SHIFT) - 1)


def rows_expected(keys: Keys) -> npt.NDArray[np.int64]:
    """Rows that each transaction writes, over all tables."""
    per_n = np.array([(shape(n).rows or 2) for n in range(10)], dtype=np.int64)
    return per_n[number_of(keys) % 10]


def statements(client: int, n: int) -> tuple[bytes, ...]:
    """The SQL of one transaction, statement by statement. An explicit one inserts its rows one by one."""
    what = shape(n)
    if what.two_tables:
        inserts = [b"INSERT INTO %s VALUES (%d,%d)" % (half, client, n) for half in (b"left_half", b"right_half")]
    else:
        rows = [b"(%d,%d,%d)" % (client, n, part) for part in range(what.rows)]
        inserts = [b"INSERT INTO one VALUES " + some for some in (rows if what.explicit else [b",".join(rows)])]
    return (b"BEGIN", *inserts, b"COMMIT") if what.explicit else tuple(inserts)
