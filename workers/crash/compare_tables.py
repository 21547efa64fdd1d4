"""The witness's tables of two servers, row by row.

Rows are compared, never checksums: BIT_XOR(CRC32()) cancels out, and a sum cannot name the row. Every column is a
number, so a row is two numpy integers, key and digest, listed by table and part. The server joins 16384 rows into one
text, because a driver needs five times as long for single rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from workers.crash.evidence import Seen, joined, nothing, seen_in, together
from workers.crash.transactions import MOST_CLIENTS, NO_PLACE, NOBODY, PLACES, Keys, keys_found, pairs, statements
from workers.servers import ask
from workers.servers.limited import Connection

WRITES_AFTER = 1000  # the client that writes after the recovery, to see new GTIDs; the witness has at most 256
WRITES_ON = 1002  # the client of replica.write_past
FIRST = 10  # keys named of a difference

TABLES = {"one": "part", "left_half": "0", "right_half": "0"}  # and the part of a row, as SQL
READ = (
    "SELECT {part} AS p, client AS c, GROUP_CONCAT(n, ',', digest) FROM `{schema}`.`{table}` GROUP BY p, c, n DIV 16384"
)
GROUP_BYTES = 1 << 20  # 16384 pairs of at most 20 digits; the server truncates longer texts without an error


@dataclass(frozen=True)
class Placed:
    """Rows of one place: their keys, ascending, and the digest of each."""

    keys: Keys
    digests: Keys


Rows = Mapping[tuple[str, int], Placed]  # of each table and part
NO_ROWS = Placed(nothing(), nothing())


@dataclass(frozen=True)
class Difference:
    """Rows that only one side has: their number, and the first ones as (client, n). A row with different digests counts
    on both sides."""

    only_left: int
    only_right: int
    first_left: tuple[tuple[int, int], ...] = ()
    first_right: tuple[tuple[int, int], ...] = ()

    @property
    def rows(self) -> int:
        return self.only_left + self.only_right


def read_rows(connection: Connection, schema: str) -> Rows:
    """All rows of the witness's tables; a table that is not there has none. Raises ServerError."""
    ask.rows(connection, "SET SESSION group_concat_max_len = %s", [GROUP_BYTES])
    present = ask.rows(connection, "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", [schema])
    found: dict[tuple[str, int], list[Keys]] = {}
    for table in TABLES.keys() & {ask.as_text(name) for (name,) in present}:
        sql = READ.format(part=TABLES[table], schema=schema, table=table)
        for part, client, numbers in ask.rows(connection, sql, most_bytes=ask.TABLE_BYTES):
            n, digests = np.fromstring(ask.as_text(numbers), dtype=np.int64, sep=",").reshape(-1, 2).T
            keys = keys_found(np.full(len(n), _bounded(ask.integer(client)), dtype=np.int64), n)
            found.setdefault((table, ask.integer(part)), []).append(np.column_stack((keys, digests)))
    return {place: _placed(np.concatenate(pairs)) for place, pairs in found.items()}


def write(connection: Connection, schema: str, secret: bytes, client: int, count: int, after: int = 0) -> None:
    """Commit so many transactions of this client, with numbers above `after`, a multiple of 10. Raises ServerError."""
    connection.select_db(schema)
    numbers = range(after + 10, after + 10 * (count + 1), 10)  # every tenth is one row, committed by itself
    for statement in chain.from_iterable(statements(secret, client, numbers)):
        ask.rows(connection, statement.decode())


def difference(left: Rows, right: Rows) -> Difference:
    """Both directions, over all tables."""
    only_left, only_right = _only(left, right), _only(right, left)
    return Difference(len(only_left), len(only_right), _first(only_left), _first(only_right))


def seen(rows: Rows, secret: bytes) -> Seen:
    """The transactions of these rows. A duplicate row counts as altered, because the primary key forbids it."""
    places = joined(np.full(len(placed.keys), _number(place), dtype=np.int64) for place, placed in rows.items())
    keys = joined(placed.keys for placed in rows.values())
    found = seen_in(secret, keys, places, joined(placed.digests for placed in rows.values()))
    return replace(found, altered=together((found.altered, found.twice)))


def _number(place: tuple[str, int]) -> int:
    return PLACES.index(place) if place in PLACES else NO_PLACE


def _bounded(client: int) -> int:
    """A column of another type may hold numbers beyond int64."""
    return client if 0 <= client < MOST_CLIENTS else NOBODY


def _placed(pairs: Keys) -> Placed:
    order = np.argsort(pairs[:, 0], kind="stable")
    return Placed(pairs[order, 0], pairs[order, 1])


def _only(some: Rows, others: Rows) -> Keys:
    """Keys of the rows that only `some` has; a transaction with two such rows counts twice."""
    return np.sort(joined(_gone(placed, others.get(place, NO_ROWS)) for place, placed in some.items()))


def _gone(some: Placed, others: Placed) -> Keys:
    if not len(others.keys):
        return some.keys
    at = np.minimum(np.searchsorted(others.keys, some.keys), len(others.keys) - 1)
    gone = (others.keys[at] != some.keys) | (others.digests[at] != some.digests)
    nobodys = others.digests[others.keys == NOBODY]  # many rows may share this key
    only: Keys = some.keys[gone & ~((some.keys == NOBODY) & np.isin(some.digests, nobodys))]
    return only


def _first(keys: Keys) -> tuple[tuple[int, int], ...]:
    return pairs(together([keys])[:FIRST])
