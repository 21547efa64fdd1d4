"""The witness's rows in row events, decoded by what the table map says of the columns."""

from dataclasses import dataclass, field
from struct import Struct

from workers.crash.binlog.events import HEADER_BYTES, BinlogUnknown

WITNESS_TABLES = {b"one": 0, b"left_half": 1, b"right_half": 2}
INTEGERS = {1: "b", 2: "h", 3: "i", 8: "q"}  # TINYINT, SMALLINT, INT, BIGINT: all that the witness's columns may be
TABLE_ID_BYTES = 6
SLOT_SHIFT = 32
V1_BODY_AT = HEADER_BYTES + TABLE_ID_BYTES + 2

Layout = tuple[Struct, int, int, int]  # of one row; where in it client, n and part are, -1: missing


class Malformed(ValueError):
    """The event is not what its header says."""


@dataclass
class Table:
    """One of the witness's tables as a table map describes it."""

    which: int  # of WITNESS_TABLES
    types: bytes
    layouts: dict[tuple[bytes, bytes], Layout] = field(default_factory=dict)

    def layout(self, present: bytes, nulls: bytes) -> Layout:
        """How a row lies in the event that carries these columns, of which these are NULL."""
        known = self.layouts.get((present, nulls))
        if known is None:
            known = self.layouts[present, nulls] = self._layout(present, nulls)
        return known

    def _layout(self, present: bytes, nulls: bytes) -> Layout:
        sent = [column for column in range(len(self.types)) if bit(present, column)]
        stored = [column for place, column in enumerate(sent) if not bit(nulls, place)]
        if odd := [self.types[column] for column in stored if self.types[column] not in INTEGERS]:
            raise BinlogUnknown(f"A table of the witness has a column of type {odd[0]} in the binlog.")
        codes = "".join(INTEGERS[self.types[column]] for column in stored)
        client, n, part = (stored.index(column) if column in stored else -1 for column in range(3))
        return Struct(f"<{codes}"), client, n, part


def bit(bitmap: bytes, place: int) -> bool:
    return bool(bitmap[place >> 3] >> (place & 7) & 1)


def table_id(event: bytes) -> bytes:
    """The number that ties row events to their table map, as it stands there."""
    return event[HEADER_BYTES : HEADER_BYTES + TABLE_ID_BYTES]


def table_of(event: bytes, schema: bytes) -> Table | None:
    """The table that a table map describes, None when it is not the witness's."""
    name, at = _counted(event, V1_BODY_AT)
    table, at = _counted(event, at + 1)
    if name != schema or table not in WITNESS_TABLES:
        return None
    width, at = packed(event, at + 1)
    types = event[at : at + width]
    if len(types) != width:
        raise Malformed("The table map is shorter than its columns.")
    return Table(WITNESS_TABLES[table], types)


def inserted(table: Table, event: bytes, at: int) -> list[int]:
    """Rows of a write event whose column count begins at `at`: client, n and slot of each, one after the other. The
    slot tells table and part. Rows without client or n cannot be named: left out."""
    width, at = packed(event, at)
    present = event[at : at + (width + 7) // 8]
    at += len(present)
    null_bytes = (int.from_bytes(present, "little").bit_count() + 7) // 8
    slot, found, end = table.which << SLOT_SHIFT, [], len(event)
    if width != len(table.types) or (at < end and not null_bytes):
        raise Malformed("The row event does not fit its table map.")
    while at < end:
        layout, client, n, part = table.layout(present, event[at : at + null_bytes])
        values = layout.unpack_from(event, at + null_bytes)
        if client >= 0 and n >= 0:
            found += (values[client], values[n], slot + (values[part] if part >= 0 else 0))
        at += null_bytes + layout.size
    return found


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
