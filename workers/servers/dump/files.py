"""Files of a binary log, made from the events that a server sends.

Each event lies where the server's own file has it. Three kinds are sent that no file holds: heartbeats, the name of the
next file (an artificial ROTATE), and MariaDB's artificial list of GTIDs. A server sends what it encrypted in clear
text. Where a server leaves events out, and where MariaDB says that encryption begins, the file gets heartbeats of the
same length: the parser passes over them.
"""

import os
import struct
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from workers.servers.dump.packets import Event, NoDump

MAGIC = b"\xfebin"
HEADER = struct.Struct("<4xB4xIIH")  # kind, length, end in the file, flags
HEADER_BYTES, CRC_BYTES, END_AT, NAME_AT = 19, 4, 13, 27
ROTATE, FORMAT, HEARTBEAT, HEARTBEAT_V2, GTID_LIST, START_ENCRYPTION = 4, 15, 27, 41, 163, 164
SELDOM = frozenset((ROTATE, FORMAT, HEARTBEAT, HEARTBEAT_V2, GTID_LIST, START_ENCRYPTION))
ARTIFICIAL = 0x20  # a flag
MOST_FILLED = 1 << 20  # bytes of one heartbeat in a gap


class CopiedFiles:
    """`name` and `position`: of the file that is being written; "" before the first. `begun`: all that were.
    `most_bytes`: of all files together. `until_s`: the monotonic clock when writing is given up."""

    def __init__(self, folder: Path, names: Sequence[str], most_bytes: int, until_s: float) -> None:
        self._folder, self._names, self._most_bytes, self._until_s = folder, frozenset(names), most_bytes, until_s
        self._file: BinaryIO | None = None
        self._checked = True  # events end with a checksum
        self.name, self.position, self.size_bytes = "", 0, 0
        self.begun: set[str] = set()

    def take(self, events: Iterable[Event]) -> None:
        """Raises NoDump on what no server sends."""
        parts: list[Event] = []
        for event in events:
            if len(event) < HEADER_BYTES:
                raise NoDump("an event is shorter than its header")
            kind, _, end, flags = HEADER.unpack_from(event)
            position = self.position + len(event)
            if kind in SELDOM or (end and end != position & 0xFFFFFFFF):
                if kind == ROTATE and flags & ARTIFICIAL and not end:
                    self._write(parts)
                    self._begin(event)
                    continue
                if self._is_sent_only(kind, flags, event):
                    continue
                if kind == FORMAT:
                    self._checked = event[-CRC_BYTES - 1] == 1
                    event = event if end else placed(event, position)
                if (gap := self._gap(event, end)) > 0:
                    self._write(parts)
                    self._fill(gap)
                position = self.position + len(event)
                if kind == START_ENCRYPTION:
                    event = heartbeat(len(event), position, self._checked)
            parts.append(event)
            self.position = position
        self._write(parts)

    def leave(self) -> str:
        """Its name; the server sends no more of this file."""
        name, self.name = self.name, ""
        return name

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _begin(self, rotate: Event) -> None:
        """The next file; a server names the present one again when a dump begins in it."""
        told = bytes(rotate[NAME_AT:]), bytes(rotate[NAME_AT:-CRC_BYTES])
        name = next((os.fsdecode(name) for name in told if os.fsdecode(name) in self._names), "")
        if name == self.name:
            return
        if name in self.begun:
            raise NoDump(f"it sends the file {name} twice")
        self.close()
        self._file = (self._folder / name).open("xb") if name else None
        self.begun.add(name)
        self.name, self.position = name, len(MAGIC)
        self._write([MAGIC])

    def _is_sent_only(self, kind: int, flags: int, event: Event) -> bool:
        """An event on a damaged disk may look like one of these: then its checksum is wrong, and it is kept."""
        named = kind in (HEARTBEAT, HEARTBEAT_V2) or (kind == GTID_LIST and flags & ARTIFICIAL)
        return bool(named) and (not self._checked or proved(event))

    def _gap(self, event: Event, end: int) -> int:
        """Bytes from the present position to the begin of the event, if its end can be believed."""
        return end - len(event) - self.position if end and (proved(event) or not self._checked) else 0

    def _fill(self, gap: int) -> None:
        """Writes heartbeats one by one: a single small event may name a gap of 4 GiB."""
        if not self._file:
            self.position += gap
            return
        self._must_fit(gap)
        while gap:
            size = gap if gap <= MOST_FILLED else min(MOST_FILLED, gap - HEADER_BYTES - CRC_BYTES)
            if size < HEADER_BYTES + CRC_BYTES:
                raise NoDump("an event begins within another one")
            self.position += size
            gap -= size
            self._write([heartbeat(size, self.position, self._checked)])

    def _must_fit(self, more_bytes: int) -> None:
        if self.size_bytes + more_bytes > self._most_bytes:
            raise NoDump(f"its files have more than {self._most_bytes:,} bytes")
        if time.monotonic() >= self._until_s:
            raise NoDump("its files take too long to write")

    def _write(self, parts: list[Event]) -> None:
        if self._file:
            size = sum(map(len, parts))
            self._must_fit(size)
            self._file.writelines(parts)
            self.size_bytes += size
        elif parts and not self.begun:
            raise NoDump("it sends events before the name of their file")
        parts.clear()


def placed(description: Event, end: int) -> bytes:
    """A server that begins within a file takes the position out of the file's description."""
    body = description[:END_AT] + struct.pack("<I", end) + description[END_AT + 4 : -CRC_BYTES]
    return bytes(body) + struct.pack("<I", crc32(body))


def proved(event: Event) -> bool:
    return crc32(event[:-CRC_BYTES]) == int.from_bytes(event[-CRC_BYTES:], "little")


def heartbeat(size: int, end: int, checked: bool) -> bytes:
    body = struct.pack("<IBIIIH", 0, HEARTBEAT, 0, size, end & 0xFFFFFFFF, 0)
    body += bytes(size - HEADER_BYTES - (CRC_BYTES if checked else 0))
    return body + (struct.pack("<I", crc32(body)) if checked else b"")
