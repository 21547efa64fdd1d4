"""MySQL's payload events, which hold the events of a transaction."""

from collections.abc import Iterator

from workers.crash.binlog.events import HEADER, HEADER_BYTES, BinlogUnknown, EventType
from workers.crash.binlog.rows import Malformed, packed

COMPRESSION = 2  # a field
UNCOMPRESSED = 255


def unwrapped(event: bytes) -> Iterator[bytes]:
    """The events inside, which have no checksums. BinlogUnknown when they are compressed."""
    fields, at = _fields(event)
    if fields.get(COMPRESSION) != UNCOMPRESSED:
        raise BinlogUnknown(
            "The binlog holds compressed transactions.", "Set binlog_transaction_compression=OFF for crash trials."
        )
    while at < len(event):
        kind, length, _ = HEADER.unpack_from(event, at)
        if length < HEADER_BYTES or at + length > len(event) or kind == EventType.TRANSACTION_PAYLOAD:
            raise Malformed("An event in a transaction's payload is cut off.")
        yield event[at : at + length]
        at += length


def _fields(event: bytes) -> tuple[dict[int, int], int]:
    """Fields are type, length and value, up to type 0; and where they end."""
    at, fields = HEADER_BYTES, {}
    while (field := packed(event, at))[0]:
        length, at = packed(event, field[1])
        fields[field[0]], at = packed(event, at)[0], at + length
    return fields, field[1]
