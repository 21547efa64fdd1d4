"""Bytes of the MySQL protocol, as a server sends them. Layout: "Client/Server Protocol", MariaDB knowledge base."""

import struct
from collections.abc import Iterable, Sequence
from zlib import crc32

MOST = 0xFFFFFF  # of a packet: a longer body goes on in the next one
NUMBERS = 256  # of packets: one byte
TEXT, DECIMAL, NUMBER, DOUBLE, TIME = 253, 246, 8, 5, 12
OK, END = b"\x00\x00\x00\x02\x00\x00\x00", b"\xfe\x00\x00\x02\x00"
MORE_FOLLOWS = b"\xfe\x00\x00\x0a\x00"
CAPABILITIES = 0x1 | 0x2 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x10000 | 0x20000 | 0x80000
ROTATE, FORMAT, QUERY, HEARTBEAT = 4, 15, 2, 27
ARTIFICIAL = 0x20
Field = bytes | None
VERSION = "10.11.19-MariaDB-log"


def packet(body: bytes, number: int) -> bytes:
    sent = b""
    while True:
        part, body = body[:MOST], body[MOST:]
        sent += len(part).to_bytes(3, "little") + bytes([number & 255]) + part
        number += 1
        if len(part) < MOST:
            return sent


def text(value: bytes) -> bytes:
    """With its length before it."""
    if len(value) < 251:
        return bytes([len(value)]) + value
    if len(value) < 1 << 16:
        return b"\xfc" + struct.pack("<H", len(value)) + value
    return b"\xfd" + len(value).to_bytes(3, "little") + value


def column(name: bytes = b"a", kind: int = TEXT) -> bytes:
    about = struct.pack("<HIBHB", 45, 1000, kind, 0, 0)
    return b"\x03def\0\0\0" + text(name) + text(name) + b"\x0c" + about + b"\0\0"


def row(*fields: Field) -> bytes:
    return b"".join(b"\xfb" if one is None else text(one) for one in fields)


def columns(kinds: Sequence[tuple[bytes, int]]) -> list[bytes]:
    return [bytes([len(kinds)]), *(column(name, kind) for name, kind in kinds), END]


def packets(bodies: Iterable[bytes], first: int = 1) -> bytes:
    return b"".join(packet(body, number) for number, body in enumerate(bodies, first))


def answer(kinds: Sequence[tuple[bytes, int]], *rows: Sequence[Field]) -> bytes:
    return packets([*columns(kinds), *(row(*fields) for fields in rows), END])


def error(number: int, says: bytes) -> bytes:
    return packet(b"\xff" + struct.pack("<H", number) + b"#HY000" + says, 1)


def greeting(version: bytes = b"5.5.5-" + VERSION.encode(), plugin: bytes = b"mysql_native_password") -> bytes:
    low, high = CAPABILITIES & 0xFFFF, CAPABILITIES >> 16
    first = b"\x0a" + version + b"\0" + struct.pack("<I", 7) + b"A" * 8 + b"\0"
    return first + struct.pack("<HBHHB", low, 45, 2, high, 21) + bytes(10) + b"B" * 12 + b"\0" + plugin + b"\0"


def event(kind: int, body: bytes, at: int, flags: int = 0, end: int | None = None) -> bytes:
    """Of a binary log, with its checksum. `at`: where it begins."""
    size = 19 + len(body) + 4
    head = struct.pack("<IBIIIH", 0, kind, 5, size, (at + size if end is None else end) & 0xFFFFFFFF, flags)
    return head + body + struct.pack("<I", crc32(head + body))


def rotation(name: bytes) -> bytes:
    """The name of the file whose events follow."""
    return event(ROTATE, struct.pack("<Q", 4) + name, 4, ARTIFICIAL, end=0)


def description() -> bytes:
    """The first event of a file."""
    body = (
        struct.pack("<H", 4) + VERSION.encode().ljust(50, b"\0") + bytes(4) + bytes([19]) + bytes([56] * 40) + b"\x01"
    )
    return event(FORMAT, body, 4)
