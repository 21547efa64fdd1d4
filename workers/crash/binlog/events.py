"""The events of one binlog file, up to the first that is damaged.

Layout: "Binlog Event" in the MySQL internals manual, "Replication Protocol" in the MariaDB knowledge base. An event
is a header of 19 bytes, a body, and, where the format description says so, a CRC32 of both. The format description
itself has a CRC32 from every server that knows checksums, counted without its flag "in use", which is cleared in
place when the server closes the file.
"""

import itertools
import os
import re
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from struct import Struct
from typing import BinaryIO
from zlib import crc32

from workers.crash.evidence import OddityNotes
from workers.errors import DurascopeError
from workers.sandbox import untrusted

MAGIC = b"\xfebin"
HEADER_BYTES = 19
KIND_AT = 4  # of an event
CRC_BYTES = 4
BLOCK_BYTES = 4 << 20
MOST_BYTES = 8 << 30  # a server begins another file after 1 GiB at the latest, when the transaction ends
MOST_EVENT_BYTES = 1 << 30  # a replica stops at a larger one (slave_max_allowed_packet)
FORMAT_BYTES_WITHOUT_CRC = 103  # at most: the format description of a server that knows no checksums
IN_USE = 0x01
HEADER = Struct("<4xB4xII")  # kind, length, position of the next event
U32 = Struct("<I")


class EventType(IntEnum):
    """Events that the reader knows. Numbers from 160 are MariaDB's."""

    QUERY = 2
    STOP = 3
    ROTATE = 4
    INTVAR = 5
    APPEND_BLOCK = 9
    DELETE_FILE = 11
    RAND = 13
    USER_VAR = 14
    FORMAT = 15
    XID = 16
    BEGIN_LOAD_QUERY = 17
    EXECUTE_LOAD_QUERY = 18
    TABLE_MAP = 19
    WRITE_ROWS_V1 = 23
    UPDATE_ROWS_V1 = 24
    DELETE_ROWS_V1 = 25
    INCIDENT = 26
    HEARTBEAT = 27
    IGNORABLE = 28
    ROWS_QUERY = 29
    WRITE_ROWS_V2 = 30
    UPDATE_ROWS_V2 = 31
    DELETE_ROWS_V2 = 32
    GTID = 33
    ANONYMOUS_GTID = 34
    PREVIOUS_GTIDS = 35
    TRANSACTION_CONTEXT = 36
    VIEW_CHANGE = 37
    XA_PREPARE = 38
    PARTIAL_UPDATE_ROWS = 39
    TRANSACTION_PAYLOAD = 40
    HEARTBEAT_V2 = 41
    GTID_TAGGED = 42
    ANNOTATE_ROWS = 160
    BINLOG_CHECKPOINT = 161
    MARIADB_GTID = 162
    GTID_LIST = 163
    START_ENCRYPTION = 164
    QUERY_COMPRESSED = 165
    WRITE_ROWS_COMPRESSED_V1 = 166
    UPDATE_ROWS_COMPRESSED_V1 = 167
    DELETE_ROWS_COMPRESSED_V1 = 168
    WRITE_ROWS_COMPRESSED_V2 = 169
    UPDATE_ROWS_COMPRESSED_V2 = 170
    DELETE_ROWS_COMPRESSED_V2 = 171


T = EventType
NOTES_OF_SERVERS = (  # information that changes no data
    T.STOP, T.ROTATE, T.FORMAT, T.HEARTBEAT, T.IGNORABLE, T.ROWS_QUERY, T.PREVIOUS_GTIDS, T.HEARTBEAT_V2,
    T.ANNOTATE_ROWS, T.BINLOG_CHECKPOINT, T.GTID_LIST,
)  # fmt: skip
OTHER_CHANGES = (
    T.UPDATE_ROWS_V1, T.DELETE_ROWS_V1, T.UPDATE_ROWS_V2, T.DELETE_ROWS_V2, T.PARTIAL_UPDATE_ROWS,
    T.UPDATE_ROWS_COMPRESSED_V1, T.DELETE_ROWS_COMPRESSED_V1, T.UPDATE_ROWS_COMPRESSED_V2, T.DELETE_ROWS_COMPRESSED_V2,
)  # fmt: skip
PARTS_OF_STATEMENTS = (
    T.INTVAR, T.APPEND_BLOCK, T.DELETE_FILE, T.RAND, T.USER_VAR, T.BEGIN_LOAD_QUERY, T.EXECUTE_LOAD_QUERY,
)  # fmt: skip
SERVER_AT = HEADER_BYTES + 2  # of a file's description: the server's version, as text
WRITTEN_BY = re.compile(rb"(\d+)\.(\d+)\.\d+-MariaDB")
LAST = frozenset(map(int, (EventType.STOP, EventType.ROTATE)))
BORDERS = frozenset((int(EventType.FORMAT), *LAST))


def end_of(event: bytes) -> int:
    """Its end in the file, from its header."""
    end: int = HEADER.unpack_from(event)[2]
    return end


def leaves_out_ends(description: bytes) -> bool:
    """MariaDB since 11.4, unless binlog_legacy_event_pos=ON: events within a transaction say 0 instead of their end.
    Their checksums still prove them."""
    written_by = WRITTEN_BY.match(description, SERVER_AT)
    return written_by is not None and tuple(map(int, written_by.groups())) >= (11, 4)


class BinlogUnknown(DurascopeError):
    """The binlog holds something that this reader does not understand, so its commits are unknown."""


class EventLog:
    """One file. `batches` yields lists of good events: header and body of each, without its checksum.

    Afterwards `end` is "clean", "open", "torn", "zeros" or "bad checksum", `end_position` the byte after the last
    good event, `checked` whether events have checksums, `odd` where good events are not where they should be. Raises
    OSError as the file does; never for what is in it, except BinlogUnknown where the whole file is encrypted.
    """

    def __init__(self, path: Path, most_event_bytes: int = MOST_EVENT_BYTES) -> None:
        self.path = path
        self._most = most_event_bytes
        self.end = "open"
        self.end_position = 0
        self.checked = False
        self.odd = OddityNotes()
        self._size = 0
        self._last = 0  # the kind of the last border, or of the event after it
        self._may_leave_out_ends = False  # of events within a transaction

    def batches(self) -> Iterator[list[bytes]]:
        with untrusted.opened(self.path) as file:
            self._size = os.fstat(file.fileno()).st_size
            if self._size > MOST_BYTES:
                raise BinlogUnknown(f"{self.path.name} has {self._size:,} bytes: it is not read.")
            self._open(file.read(len(MAGIC)))
            yield from self._walk(file)
            self._close(file)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """(kind, event) of every good event."""
        return ((event[KIND_AT], event) for batch in self.batches() for event in batch)

    def stop_at(self, event: bytes, batch: list[bytes]) -> None:
        """The reader found that this event of the last batch is not what it seems: it counts as cut off. For a log
        without checksums, whose events are in the batch as they are in the file."""
        self.end = "torn"
        after = itertools.dropwhile(lambda other: other is not event, batch)
        self.end_position -= sum(map(len, after))

    def _open(self, magic: bytes) -> None:
        if magic == b"\xfdbin":
            raise BinlogUnknown(f"{self.path.name} is encrypted.", "Switch binlog_encryption off for crash trials.")
        if magic == MAGIC:
            self.end_position = len(MAGIC)
        else:
            self.end = "torn"

    def _walk(self, file: BinaryIO) -> Iterator[list[bytes]]:
        """Block by block, each beginning at an event's border; a block grows while it is smaller than its event."""
        wanted = BLOCK_BYTES
        while self.end == "open" and self.end_position < self._size:
            before = self.end_position
            file.seek(before)
            block = file.read(min(wanted, self._size - before))
            yield self._events(block)
            if self.end_position == before and self.end == "open":
                self.end = "torn" if wanted >= self._most else "open"
                wanted *= 2

    def _events(self, block: bytes) -> list[bytes]:
        """Good events of a block. This loop and Groups.take are where the time goes: a million rounds a second."""
        at, size, base = 0, len(block), self.end_position
        header, u32, checked, form = HEADER.unpack_from, U32.unpack_from, self.checked, int(EventType.FORMAT)
        at_border, found = self._last in BORDERS, []
        while at + HEADER_BYTES <= size:
            kind, length, follows = header(block, at)
            after = at + length
            end = (base + after) & 0xFFFFFFFF
            if after > size or length < HEADER_BYTES:
                self.end = "open" if HEADER_BYTES <= length <= self._size - base - at else "torn"
                break
            if kind == form and not self._last:
                good, event = self._format(block[at:after], follows == end)
                checked = self.checked
            elif checked:
                event = block[at : after - CRC_BYTES]
                good = crc32(event) == u32(block, after - CRC_BYTES)[0]
            else:  # the position is all there is to go by
                event = block[at:after]
                good = (follows == end or (not follows and self._may_leave_out_ends)) and self._last != 0
            if not good:
                self.end = "bad checksum" if checked else "torn"
                break
            at = after
            if at_border or kind in BORDERS or (follows != end and (follows or not self._may_leave_out_ends)):
                self._look_at(kind, follows, base + after)
                at_border, self._last = kind in BORDERS, kind
            found.append(event)
        self.end_position = base + at
        return found

    def _look_at(self, kind: int, follows: int, end: int) -> None:
        """A server writes each event's end into it, begins a file with its description, and ends it with one event."""
        place = f"({self.path.name}:{end})"
        if follows != end & 0xFFFFFFFF:
            self.odd.add(f"an event that says that it ends at {follows} {place}")
        if self._last in LAST:
            self.odd.add(f"an event after the last one of the file {place}")
        if (kind == EventType.FORMAT) == bool(self._last):
            self.odd.add(f"a description of the file that is not its first event {place}")

    def _format(self, event: bytes, placed: bool) -> tuple[bool, bytes]:
        """Learn whether events are checksummed from now on. Returns whether this one is good, and the event. `placed`:
        its length and the position that it names agree; a short one has nothing else to prove itself by."""
        if len(event) <= FORMAT_BYTES_WITHOUT_CRC:
            return placed, event
        body, crc = event[:-CRC_BYTES], U32.unpack(event[-CRC_BYTES:])[0]
        good = crc32(body[:17] + bytes([body[17] & ~IN_USE]) + body[18:]) == crc
        self.checked = not good or body[-1] == 1
        self._may_leave_out_ends = leaves_out_ends(body)
        return good, body

    def _close(self, file: BinaryIO) -> None:
        """Name the end: what looks torn or wrong and has zeros up to the last byte is a tail that never came."""
        if self.end == "open":
            self.end = "clean" if self._last in LAST else "open"
        elif self._size:
            file.seek(max(self.end_position, self._size - HEADER_BYTES))
            if not any(file.read()):
                self.end = "zeros"
