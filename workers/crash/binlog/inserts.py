"""The witness's INSERT statements, in a binlog of statements (binlog_format=STATEMENT or MIXED).

The witness writes each in one way (workers.crash.transactions), so its rows follow from the text: they become the bytes
that a row event of the same statement holds. Any other INSERT is not understood.
"""

import re
from struct import Struct, error

from workers.crash.binlog.rows import TABLES

INSERT = re.compile(rb"INSERT INTO (one|left_half|right_half) VALUES (\([-0-9,]{1,100}\)(?:,\([-0-9,]{1,100}\))*)")
NO_NULLS = b"\0"
HALF = Struct("<iqq")  # client, n, digest
STRUCTS = (Struct("<iqiq"), HALF, HALF)  # of `one`: client, n, part, digest
NUMBER = re.compile(rb"-?\d{1,19}")


def rows_of(text: bytes) -> tuple[int, bytes] | None:
    """The table, and the bytes of its rows; None: the witness writes no such statement."""
    found = INSERT.fullmatch(text)
    if found is None:
        return None
    table = TABLES[found[1]]
    try:
        return table, b"".join(_row(STRUCTS[table], values) for values in found[2][1:-1].split(b"),("))
    except error:  # no number, another number of columns, or a number that the column cannot hold
        return None


def _row(layout: Struct, values: bytes) -> bytes:
    numbers = values.split(b",")
    if not all(NUMBER.fullmatch(one) for one in numbers):
        raise error
    return NO_NULLS + layout.pack(*map(int, numbers))
