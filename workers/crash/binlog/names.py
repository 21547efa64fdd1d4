"""GTIDs of transactions: who numbered them, and the number."""

from dataclasses import dataclass
from struct import Struct
from uuid import UUID

from workers.crash.binlog.rows import Malformed
from workers.crash.binlog.tagged import tagged_gtid

MARIADB_GTID = Struct("<5xI10xQIB")  # server id, sequence number, domain, flags
STANDALONE = 0x01
MYSQL_GTID = Struct("<20x16sQ")  # source, number
MOST = (1 << 63) - 1
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
