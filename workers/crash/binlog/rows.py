"""The witness's rows in row events: the table of an event, and the numbers in its bytes.

The witness's tables are made by schema.sql, so their columns in a table map are known: INT and BIGINT, none of them
NULL. A row is a byte of NULL flags and these numbers. The bytes of all events are gathered and decoded at once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np
import numpy.typing as npt

from workers.crash.binlog.events import HEADER_BYTES
from workers.crash.transactions import NO_PLACE, NOBODY, SEVERAL, Keys, keys_found

TABLE_ID = slice(HEADER_BYTES, HEADER_BYTES + 6)  # the number that ties row events to their table map
BODY_AT = TABLE_ID.stop + 2  # of a row event of version 1 and of a table map
V2_EXTRA = Struct("<27xH")  # length of the extra data of a row event, its own two bytes included
COLUMNS_BYTES = 2  # of a row event: how many columns the table has, and the bitmap of those that are there
NULLS = 0x0F  # flags of the columns; servers set the unused ones as they like


class Malformed(ValueError):
    """The event does not fit its header."""


@dataclass(frozen=True)
class RowLayout:
    """A table of the witness. Offsets are those in a row's bytes; `part` is None where the table has no such column."""

    types: bytes
    row_bytes: int
    client: int
    n: int
    part: int | None
    digest: int

    @property
    def present(self) -> int:
        """The bitmap of the columns in a row event: all of them."""
        return (1 << len(self.types)) - 1


INT, BIGINT = b"\x03", b"\x08"
HALF = RowLayout(INT + BIGINT + BIGINT, 21, 1, 5, None, 13)
LAYOUTS = (RowLayout(INT + BIGINT + INT + BIGINT, 25, 1, 5, 13, 17), HALF, HALF)
SIZES = tuple((len(layout.types), layout.present, layout.row_bytes) for layout in LAYOUTS)
TABLES = {b"one": 0, b"left_half": 1, b"right_half": 2}
OTHER = -1  # a table that is not the witness's
OWN = -2  # a table of a person's own transaction


@dataclass(frozen=True)
class Rows:
    """Rows in the binlog's order. `events`: of each, which row event it came in."""

    keys: Keys
    places: npt.NDArray[np.int64]
    digests: npt.NDArray[np.int64]
    events: npt.NDArray[np.int64]


def table_of(event: bytes, schema: bytes, own_tables: Collection[bytes]) -> tuple[int, str]:
    """The table that a table map describes, OTHER or OWN when it is not the witness's; and what is wrong with the
    map."""
    name, at = _counted(event, BODY_AT)
    table, at = _counted(event, at + 1)
    if name != schema:
        return OTHER, ""
    if table in own_tables:
        return OWN, ""
    if table not in TABLES:
        return OTHER, f"a table {table.decode(errors='replace')} in the witness's schema"
    width, at = packed(event, at + 1)
    if event[at : at + width] != LAYOUTS[TABLES[table]].types:
        return OTHER, f"a table map of {table.decode()} with other columns than the table was made with"
    return TABLES[table], ""


def v2_body_at(event: bytes) -> int:
    extra_bytes: int = V2_EXTRA.unpack_from(event)[0]
    return BODY_AT + extra_bytes


def body(table: int, event: bytes, at: int) -> bytes:
    """The rows of an event whose column count begins at `at`."""
    columns, present, row_bytes = SIZES[table]
    if event[at] != columns or event[at + 1] & present != present:
        raise Malformed("The row event does not fit its table map.")
    found = event[at + COLUMNS_BYTES :]
    if len(found) % row_bytes:
        raise Malformed("The row event ends within a row.")
    return found


def decoded(raw: bytes, tables: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Rows:
    """All rows from the bytes of all row events, of which these are the tables and the numbers of bytes."""
    data = np.frombuffer(raw, dtype=np.uint8)
    widths = np.array([layout.row_bytes for layout in LAYOUTS])[tables]
    counts = sizes // widths
    events = np.repeat(np.arange(len(sizes)), counts)
    nth = np.arange(len(events)) - np.repeat(np.cumsum(counts) - counts, counts)
    begins = np.repeat(np.cumsum(sizes) - sizes, counts) + nth * widths[events]
    keys, places, digests = (np.empty(len(events), dtype=np.int64) for _ in range(3))
    for table, layout in enumerate(LAYOUTS):
        of = tables[events] == table
        keys[of], places[of], digests[of] = _numbers(data, begins[of], table, layout)
    return Rows(keys, places, digests, events)


def _numbers(data: npt.NDArray[np.uint8], begins: Keys, table: int, layout: RowLayout) -> Sequence[Keys]:
    def column(at: int, size: int) -> Keys:
        picked = data[begins[:, None] + np.arange(at, at + size)]
        return np.ascontiguousarray(picked).view(f"<i{size}").ravel().astype(np.int64)

    client, n = column(layout.client, 4), column(layout.n, 8)
    filled = (data[begins] & NULLS & layout.present) == 0
    if layout.part is None:
        places = np.full(len(begins), SEVERAL - 1 + table)
    else:
        part = column(layout.part, 4)
        places = np.where((part >= 0) & (part < SEVERAL), part, NO_PLACE)
    return np.where(filled, keys_found(client, n), NOBODY), places, column(layout.digest, 8)


def packed(data: bytes, at: int) -> tuple[int, int]:
    """A length-encoded integer, and where it ends."""
    first = data[at]
    if first < 251:
        return first, at + 1
    size = {252: 2, 253: 3, 254: 8}.get(first)
    if size is None or at + 1 + size > len(data):
        raise Malformed("This is no length.")
    return int.from_bytes(data[at + 1 : at + 1 + size], "little"), at + 1 + size


def _counted(data: bytes, at: int) -> tuple[bytes, int]:
    """A name with its length before it, and where it ends."""
    end = at + 1 + data[at]
    return data[at + 1 : end], end
