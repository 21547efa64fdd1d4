"""MySQL's GTIDs with a tag (since 8.3): the event is a serialised message, field by field.

Numbers are of variable length: as many ones as there are bytes to follow, from the lowest bit of the first byte on, a
zero, then the value. Layout: "mysql::serialization" in MySQL's source documentation.
"""

from uuid import UUID

from workers.crash.binlog.events import HEADER_BYTES, BinlogUnknown

FLAGS, SOURCE, NUMBER, TAG = range(4)  # fields, in this order
UUID_BYTES = 16
SERIALISATION = 1


def tagged_gtid(event: bytes) -> str:
    """source:tag:number. Raises IndexError or ValueError on a damaged event."""
    version, at = _number(event, HEADER_BYTES)
    if version != SERIALISATION:
        raise BinlogUnknown(f"The binlog holds GTIDs with a tag in a layout that is not known here ({version}).")
    _, at = _number(event, at)  # size of the message
    _, at = _number(event, at)  # the last field that a reader must know
    found, place = {}, -1
    while place < TAG:
        place, at = _number(event, at)
        found[place], at = _field(event, at, place)
    return f"{found[SOURCE]}:{found[TAG]}:{found[NUMBER]}"


def _field(event: bytes, at: int, place: int) -> tuple[str, int]:
    if place == SOURCE:
        source, at = _bytes(event, at)
        return str(UUID(bytes=source)), at
    if place == TAG:
        size, at = _number(event, at)
        return _slice(event, at, size).decode("ascii"), at + size
    value, at = _number(event, at)
    return str(value >> 1 if place == NUMBER else value), at  # the lowest bit of a signed one is its sign


def _bytes(event: bytes, at: int) -> tuple[bytes, int]:
    """The source's, each a number by itself."""
    values = []
    for _ in range(UUID_BYTES):
        value, at = _number(event, at)
        values.append(value)
    return bytes(values), at


def _number(event: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    more = (~event[at] & event[at] + 1).bit_length() - 1  # trailing ones of the first byte
    return int.from_bytes(_slice(event, at, more + 1), "little") >> min(more + 1, 8), at + more + 1


def _slice(event: bytes, at: int, size: int) -> bytes:
    if at + size > len(event):
        raise IndexError(f"{size} bytes at {at} are cut off")
    return event[at : at + size]
