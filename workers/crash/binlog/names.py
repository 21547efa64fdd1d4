"""GTIDs of transactions: who numbered them, and the number.

MySQL's GTIDs with a tag (since 8.3) are a serialised message, field by field. Its numbers are of variable length: as
many ones as there are bytes to follow, from the lowest bit of the first byte on, a zero, then the value. Layout:
"mysql::serialization" in MySQL's source documentation.
"""

from dataclasses import dataclass
from struct import Struct
from uuid import UUID

from workers.crash.binlog.events import HEADER_BYTES, BinlogUnknown
from workers.crash.binlog.rows import Malformed

MARIADB_GTID = Struct("<5xI10xQIB")  # server id, sequence number, domain, flags
STANDALONE = 0x01
MYSQL_GTID = Struct("<20x16sQ")  # source, number
MOST = (1 << 63) - 1
FLAGS, SOURCE, NUMBER, TAG = range(4)  # fields, in this order
UUID_BYTES = 16
SERIALISATION = 1
NO_GTID, ANONYMOUS = 0, 1  # sources of transactions without a GTID

Name = tuple[int, int]  # which source, number


@dataclass(frozen=True)
class GtidSource:
    """`prefix`: a GTID's text before the number. `line`: numbers of one line follow each other, MariaDB's in a domain
    and MySQL's of a source (with its tag)."""

    prefix: str
    line: str


class GtidReader:
    """Reads GTID events. Each source is kept once, in `sources`."""

    def __init__(self) -> None:
        self.sources: list[GtidSource] = [GtidSource("", ""), GtidSource("", "")]
        self._known: dict[object, int] = {}

    def mariadb(self, event: bytes) -> tuple[Name, int]:
        """And whether it names a statement that stands alone."""
        server, number, domain, flags = MARIADB_GTID.unpack_from(event)
        source = self._known.get((domain, server))
        if source is None:
            source = self._new((domain, server), GtidSource(f"{domain}-{server}-", str(domain)))
        return (source, _possible(number)), flags & STANDALONE

    def mysql(self, event: bytes) -> Name:
        uuid, number = MYSQL_GTID.unpack_from(event)
        source = self._known.get(uuid)
        if source is None:
            prefix = f"{UUID(bytes=uuid)}:"
            source = self._new(uuid, GtidSource(prefix, prefix))
        return source, _possible(number)

    def tagged(self, event: bytes) -> Name:
        prefix, _, number = tagged_gtid(event).rpartition(":")
        source = self._known.get(prefix)
        if source is None:
            source = self._new(prefix, GtidSource(f"{prefix}:", f"{prefix}:"))
        return source, _possible(int(number))

    def _new(self, key: object, source: GtidSource) -> int:
        self._known[key] = len(self.sources)
        self.sources.append(source)
        return self._known[key]


def _possible(number: int) -> int:
    if number > MOST:
        raise Malformed("This is no number of a GTID.")
    return number


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
    return str(value >> 1), at  # the lowest bit of a signed one, the GTID's number, is its sign; nobody asks for flags


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
