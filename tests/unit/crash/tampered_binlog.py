"""A binlog taken apart into its events, changed, and put together again with right lengths, places and checksums."""

import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count

from workers.crash.binlog.events import HEADER_BYTES, MAGIC, EventType

HEADER = struct.Struct("<IBIIIH")  # time, kind, server, length, next position, flags
GTIDS = (EventType.GTID, EventType.MARIADB_GTID)
WRITES = (EventType.WRITE_ROWS_V1, EventType.WRITE_ROWS_V2)
NUMBER_AT = {EventType.MARIADB_GTID: 0, EventType.GTID: 17}  # of a GTID, in the event's body


@dataclass(frozen=True)
class Event:
    kind: int
    body: bytes  # without header and checksum
    time: int = 0
    server: int = 1
    flags: int = 0
    misplaced: int = 0  # its next position is wrong by as much

    def at(self, position: int) -> bytes:
        length = HEADER_BYTES + len(self.body) + 4
        follows = position + length + self.misplaced
        made = HEADER.pack(self.time, self.kind, self.server, length, follows, self.flags) + self.body
        return made + struct.pack("<I", zlib.crc32(made))

    @property
    def number(self) -> int:
        at = NUMBER_AT[EventType(self.kind)]
        return int.from_bytes(self.body[at : at + 8], "little")

    def numbered(self, number: int) -> "Event":
        at = NUMBER_AT[EventType(self.kind)]
        return replace(self, body=self.body[:at] + number.to_bytes(8, "little") + self.body[at + 8 :])


Events = list[Event]


def taken_apart(data: bytes) -> Events:
    found, at = [], len(MAGIC)
    while at < len(data):
        time, kind, server, length, _, flags = HEADER.unpack_from(data, at)
        found.append(Event(kind, data[at + HEADER_BYTES : at + length - 4], time, server, flags))
        at += length
    return found


def put_together(events: Iterable[Event]) -> bytes:
    data = MAGIC
    for event in events:
        data += event.at(len(data))
    return data


def groups(events: Events) -> list[slice]:
    """Of each transaction, from its GTID to its XID."""
    begins = [at for at, event in enumerate(events) if event.kind in GTIDS]
    return [slice(begin, 1 + next(at for at in count(begin) if events[at].kind == EventType.XID)) for begin in begins]


def found(events: Events, kinds: Iterable[int], nth: int = 20) -> int:
    return [at for at, event in enumerate(events) if event.kind in kinds][nth]


def changed(at: int, change: Callable[[Event], Event]) -> Callable[[Events], Events]:
    return lambda events: [*events[:at], change(events[at]), *events[at + 1 :]]


def last_row(event: Event, at: int, column: bytes) -> Event:
    """The event with other bytes that far before its end."""
    end = len(event.body) - at
    return replace(event, body=event.body[:end] + column + event.body[end + len(column) :])
