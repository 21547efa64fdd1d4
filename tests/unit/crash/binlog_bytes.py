"""Binlog files built byte by byte, in both vendors' words."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from workers.crash import transactions
from workers.crash.digest import digests

SCHEMA = "durascope_crash"
SECRET = b"known to tests.."
TABLES = {"one": b"\x03\x08\x03\x08", "left_half": b"\x03\x08\x08", "right_half": b"\x03\x08\x08"}
CODES = {1: "b", 2: "h", 3: "i", 8: "q"}
UUID = bytes(range(16))


def rows_of(client: int, n: int) -> list[tuple[str, tuple[int, ...]]]:
    """(table, values) of every row that the witness's transaction writes."""
    return [row_of(client, n, place) for place in transactions.shape(n).places]


def row_of(client: int, n: int, place: int) -> tuple[str, tuple[int, ...]]:
    table, part = transactions.PLACES[place]
    digest = digest_of(client, n, place)
    return table, (client, n, part, digest) if table == "one" else (client, n, digest)


def digest_of(client: int, n: int, place: int) -> int:
    return int(digests(SECRET, np.array([transactions.key(client, n)]), np.array([place]))[0])


@dataclass
class Binlog:
    """`data` grows event by event; `borders`: the end of every event, `commits`: key -> end of its transaction."""

    mariadb: bool = True
    checked: bool = True
    v2: bool = False
    version: bytes = b""  # of the server; "": MariaDB 10.11 or MySQL 8.0
    server: int = 7  # its server_id
    without_ends: bool = False  # events within a transaction do not say where they end
    data: bytearray = field(default_factory=lambda: bytearray(b"\xfebin"))
    borders: list[int] = field(default_factory=list)
    commits: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = 171 if self.mariadb else 42
        version = (self.version or (b"10.11.1-MariaDB" if self.mariadb else b"8.0.33")).ljust(50, b"\0")
        body = struct.pack("<H50sIB", 4, version, 0, 19) + bytes(kinds) + bytes([self.checked])
        self.event(15, body, always_checked=True)

    def event(self, kind: int, body: bytes = b"", *, always_checked: bool = False) -> None:
        """The format description's checksum is made before it is marked as in use."""
        checked = self.checked or always_checked
        length = 19 + len(body) + 4 * checked
        end = 0 if self.without_ends and kind in (19, 23) else len(self.data) + length
        made = struct.pack("<IBIIIH", 1_700_000_000, kind, self.server, length, end, 0) + body
        crc = struct.pack("<I", zlib.crc32(made)) if checked else b""
        made = made[:17] + b"\1" + made[18:] if kind == 15 else made
        self.data += made + crc
        self.borders.append(len(self.data))

    def gtid(self, number: int, *, standalone: bool = False) -> None:
        if self.mariadb:
            self.event(162, struct.pack("<QIB", number, 0, standalone) + bytes(6))
            return
        self.event(33, b"\1" + UUID + struct.pack("<Q", number) + bytes(18))
        if not standalone:
            self.query("BEGIN")

    def query(self, text: str, schema: str = SCHEMA) -> None:
        status = b"\0\0\0\0\0"
        head = struct.pack("<IIBHH", 1, 0, len(schema), 0, len(status))
        self.event(2, head + status + schema.encode() + b"\0" + text.encode())

    def table_map(self, table: str, number: int, types: bytes = b"", schema: str = SCHEMA) -> None:
        types = types or TABLES[table]
        named = b"".join(bytes([len(name)]) + name.encode() + b"\0" for name in (schema, table))
        self.event(19, number.to_bytes(6, "little") + b"\1\0" + named + bytes([len(types)]) + types + b"\0\0")

    def write(self, number: int, rows: Sequence[tuple[int | None, ...]], types: bytes, *, ends: bool = True) -> None:
        """`ends`: it is its statement's last row event."""
        width = len(types)
        head = number.to_bytes(6, "little") + bytes([ends, 0]) + (b"\2\0" if self.v2 else b"")
        body = bytes([width]) + ((1 << width) - 1).to_bytes((width + 7) // 8, "little")
        self.event(30 if self.v2 else 23, head + body + b"".join(stored(row, types) for row in rows))

    def xid(self) -> None:
        self.event(16, bytes(8))

    def commit(self, client: int, n: int, number: int, *, end: str = "XID", only: slice = slice(None)) -> None:
        """The witness's transaction under GTID `number`. `end`: XID or a statement; `only`: some of its rows."""
        self.gtid(number)
        self.write_rows(rows_of(client, n)[only])
        if end == "XID":
            self.xid()
        else:
            self.query(end)
        self.commits[transactions.key(client, n)] = len(self.data)

    def write_rows(self, rows: Iterable[tuple[str, tuple[int, ...]]]) -> None:
        for table in dict.fromkeys(table for table, _ in rows):
            number = 20 + list(TABLES).index(table)
            self.table_map(table, number)
            self.write(number, [values for name, values in rows if name == table], TABLES[table])


def stored(row: Sequence[int | None], types: bytes) -> bytes:
    nulls = sum((value is None) << place for place, value in enumerate(row))
    values = (
        struct.pack(f"<{CODES[kind]}", value) for kind, value in zip(types, row, strict=True) if value is not None
    )
    return nulls.to_bytes((len(types) + 7) // 8, "little") + b"".join(values)
