"""The witness's tables of two servers, row by row.

Rows are compared, never checksums of them: BIT_XOR(CRC32()) cancels out, and a sum cannot name the row. Every column
is a number, so a row is a numpy integer in a list of its own per table and part. The server joins 16384 numbers into
one text, because a driver needs five times as long for rows one by one (10^6 rows: 0.6 s against 3 s).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from workers.crash.evidence import Seen, nothing
from workers.crash.transactions import Keys, client_of, key, number_of, rows_expected
from workers.servers import ask

Rows = Mapping[tuple[str, int], Keys]  # (table, part) -> keys of its rows, ascending

NOT_THE_WITNESS = 1000  # clients from here on are ours: the witness has at most 256
AFTERWARDS = 1001  # stands for the client in the table that has none
WRITES_ON = 1002  # the client of replica.write_past
FIRST = 10  # keys named of a difference

# part and client of every witness table, as SQL
TABLES = {
    "one": ("part", "client"),
    "left_half": ("0", "client"),
    "right_half": ("0", "client"),
    "afterwards": ("0", str(AFTERWARDS)),
}
READ = "SELECT {part} AS p, {client} AS c, GROUP_CONCAT(n) FROM `{schema}`.`{table}` GROUP BY p, c, n DIV 16384"
GROUP_BYTES = 1 << 20  # 16384 numbers of at most 20 digits; the server cuts longer texts off without an error


@dataclass(frozen=True)
class Difference:
    """Rows that one side has and the other has not: how many, and the first ones as (client, n)."""

    only_left: int
    only_right: int
    first_left: tuple[tuple[int, int], ...] = ()
    first_right: tuple[tuple[int, int], ...] = ()

    @property
    def rows(self) -> int:
        return self.only_left + self.only_right


def read_rows(connection: Any, schema: str) -> Rows:
    """All rows of the witness's tables; a table that is not there has none. Raises ServerError."""
    ask.rows(connection, "SET SESSION group_concat_max_len = %s", [GROUP_BYTES])
    present = ask.rows(connection, "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", [schema])
    found: dict[tuple[str, int], list[Keys]] = {}
    for table in TABLES.keys() & {name for (name,) in present}:
        part, client = TABLES[table]
        for of, who, numbers in ask.rows(connection, READ.format(part=part, client=client, schema=schema, table=table)):
            found.setdefault((table, int(of)), []).append(_numbers(numbers) + key(int(who), 0))
    return {place: np.sort(np.concatenate(keys)) for place, keys in found.items()}


def difference(left: Rows, right: Rows) -> Difference:
    """Both directions, over all tables."""
    only_left, only_right = _only(left, right), _only(right, left)
    return Difference(len(only_left), len(only_right), _first(only_left), _first(only_right))


def compare(left: Any, right: Any, schema: str) -> Difference:
    """The same of two open connections."""
    return difference(read_rows(left, schema), read_rows(right, schema))


def seen(rows: Rows) -> Seen:
    """The witness's transactions among these rows: which are whole, and which are there in part."""
    keys, counts = np.unique(np.concatenate([*rows.values(), nothing()]), return_counts=True)
    mine = client_of(keys) < NOT_THE_WITNESS
    keys, counts = keys[mine], counts[mine]
    whole = counts == rows_expected(keys)
    return Seen(whole=keys[whole], parts=keys[~whole])


def _only(some: Rows, others: Rows) -> Keys:
    """Keys of the rows in `some` that `others` has not; a transaction with two such rows counts twice."""
    gone = [np.setdiff1d(keys, others.get(place, nothing()), assume_unique=True) for place, keys in some.items()]
    return np.sort(np.concatenate([*gone, nothing()]))


def _first(keys: Keys) -> tuple[tuple[int, int], ...]:
    first = np.unique(keys)[:FIRST]
    return tuple(zip(client_of(first).tolist(), number_of(first).tolist(), strict=True))


def _numbers(text: str | bytes) -> Keys:
    return np.fromstring(text if isinstance(text, str) else text.decode(), dtype=np.int64, sep=",")
