"""Compressed and wrapped transactions of the binary log."""

import struct
import tracemalloc
import zlib
from contextlib import nullcontext

import pytest
import zstandard

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, Binlog, row_of, rows_of
from workers.crash.binlog import BinlogUnknown, ReadBounds, read
from workers.crash.binlog import payload as payload_events
from workers.crash.binlog.rows import Malformed
from workers.crash.binlog.rows import packed as packed_length


def header(kind: int, length: int) -> bytes:
    return struct.pack("<IBIIIH", 0, kind, 7, length, 0, 0)


def packed(data: bytes) -> bytes:
    """As log_bin_compress does it."""
    return b"\x82" + struct.pack(">H", len(data)) + zlib.compress(data)


def test_compressed_events_of_mariadb_are_read(seen):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20)
    rows = b"".join(b"\0" + struct.pack("<iqiq", *row_of(0, 2, part)[1]) for part in range(3))
    log.event(166, (20).to_bytes(6, "little") + b"\1\0\4\x0f" + packed(rows))
    log.event(165, struct.pack("<IIBHH", 1, 0, 0, 0, 0) + b"\0" + packed(b"COMMIT"))
    assert seen(log).seen.whole.tolist() == [2]


def payload(compression: bytes, events: tuple[int, ...] = (), more: bytes = b"") -> Binlog:
    """MySQL's wrapped transaction; `compression`: the method's number as it is stored. `events`: kinds
    of further events in it, which have no bodies; `more`: bytes after them."""
    inner, log = Binlog(mariadb=False, checked=False), Binlog(mariadb=False)
    start = len(inner.data)
    inner.query("BEGIN")
    inner.write_rows(rows_of(0, 3))
    inner.xid()
    for kind in events:
        inner.event(kind)
    log.event(33, b"\1" + bytes(16) + struct.pack("<Q", 9))
    log.event(40, wrapped(bytes(inner.data[start:]) + more, compression))
    return log


def wrapped(events: bytes, compression: bytes = b"\xfc\xff\0", size: int | None = None) -> bytes:
    """`size`: of the events before they were compressed."""
    length = b"\xfe" + struct.pack("<Q", len(events) if size is None else size)
    return b"\2" + bytes([len(compression)]) + compression + b"\3\x09" + length + b"\0" + events


def test_an_unknown_compression_makes_the_binlog_unknown(seen):
    with pytest.raises(BinlogUnknown, match="binlog_transaction_compression"):
        seen(payload(b"\7"))


def zipped(events: bytes, size: int) -> Binlog:
    log = Binlog(mariadb=False)
    log.event(33, b"\1" + bytes(16) + struct.pack("<Q", 9))
    log.event(40, wrapped(events, b"\0", size))
    return log


@pytest.mark.parametrize("cut", [0, 50], ids=["at once", "in two parts"])
def test_a_compressed_transaction_of_mysql_is_read(seen, cut):
    inner = Binlog(mariadb=False, checked=False)
    start = len(inner.data)
    inner.query("BEGIN")
    inner.write_rows(rows_of(0, 3))
    inner.xid()
    events = bytes(inner.data[start:])
    parts = zstandard.compress(events[:cut]) + zstandard.compress(events[cut:])
    assert seen(zipped(parts, len(events))).seen.whole.tolist() == [3]


@pytest.mark.parametrize(("kept", "whole"), [(19, True), (40, True), (39, False), (25, False), (18, False)])
def test_a_payload_that_names_no_size_ends_with_a_whole_event(kept, whole):
    event = bytes(19) + b"\2\3\xfc\xff\0\0" + (header(3, 19) + header(4, 21) + b"ab")[:kept]
    with nullcontext() if whole else pytest.raises(Malformed, match="is cut off"):
        assert [one[4] for one in payload_events.events(event)] == [3, 4][: kept // 20 + 1]


@pytest.mark.parametrize(
    "damaged",
    [b"no zstd at all", zstandard.compress(header(3, 19) * 50)[:-9], zstandard.compress(header(3, 1 << 31))],
    ids=["something else", "cut off", "an event without end"],
)
def test_a_packed_payload_that_is_damaged_is_not_understood(seen, damaged):
    with pytest.raises(BinlogUnknown, match="payload"):
        seen(zipped(damaged, 50 * 19))


def test_a_payload_of_a_million_times_its_size_is_read_in_little_memory(seen):
    """Zeros pack well: each event in it is read and dropped before the next one."""
    event = header(3, 1 << 20) + bytes((1 << 20) - 19)
    bomb = zstandard.compress(event * 64)
    tracemalloc.start()
    try:
        assert seen(zipped(bomb, 64 << 20)).seen.whole.size == 0
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_payload_that_names_a_size_without_end_is_given_up(seen, monkeypatch):
    monkeypatch.setattr(payload_events, "MOST_BYTES", 8 << 20)
    bomb = zstandard.compress((header(3, 1 << 20) + bytes((1 << 20) - 19)) * 64)
    with pytest.raises(BinlogUnknown, match="cannot be there"):
        seen(zipped(bomb, 1 << 50))


@pytest.mark.parametrize("most_s", [0.0, 0.05])
def test_a_payload_of_millions_of_events_is_given_up_in_time(tmp_path, most_s):
    """Without a limit they would take minutes."""
    file = tmp_path / "log.000001"
    events = header(3, 19) * (1 << 24)
    file.write_bytes(zipped(zstandard.compress(events), len(events)).data)
    with pytest.raises(BinlogUnknown, match="too long"):
        read([file], SCHEMA, SECRET, bounds=ReadBounds(seconds=most_s))


def bomb_in(kind: int, head: bytes, *, table: str = "one") -> Binlog:
    """100 kB that unpack to 100 MB."""
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20, schema=SCHEMA if table == "one" else table)
    log.event(kind, head + b"\x84" + struct.pack(">I", 100 << 20) + zlib.compress(bytes(100 << 20)))
    log.xid()
    return log


ROWS_HEAD = (20).to_bytes(6, "little") + b"\1\0\4\x0f"
QUERY_HEAD = struct.pack("<IIBHH", 1, 0, 0, 0, 0) + b"\0"


@pytest.mark.parametrize(
    ("bomb", "refused"),
    [
        ((166, ROWS_HEAD, "one"), True),
        ((166, ROWS_HEAD, "elsewhere"), False),
        ((165, QUERY_HEAD, "elsewhere"), False),
    ],
    ids=["rows of the witness", "rows of another table", "a statement"],
)
def test_compressed_zeros_are_not_unpacked_to_their_end(seen, bomb, refused):
    kind, head, table = bomb
    log = bomb_in(kind, head, table=table)
    tracemalloc.start()
    try:
        with pytest.raises(BinlogUnknown, match="far too large") if refused else nullcontext():
            assert seen(log).others.count == 1
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("kind", "head"), [(166, ROWS_HEAD), (165, QUERY_HEAD)], ids=["rows", "a statement"])
def test_a_compressed_event_that_is_cut_off_is_unknown(seen, kind, head):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20)
    log.event(kind, head + packed(bytes(range(100)))[:-9])
    with pytest.raises(BinlogUnknown, match="cut off"):
        seen(log)


def test_a_transaction_that_is_wrapped_but_not_compressed_is_read(seen):
    found = seen(payload(b"\xfc\xff\0"))
    assert (found.seen.whole.tolist(), list(found.gtids.values())) == ([3], [3])


@pytest.mark.parametrize(
    "odd",
    [
        header(3, 18),
        header(3, 20),
        header(40, 19 + len(wrapped(header(3, 19)))) + wrapped(header(3, 19)),
    ],
    ids=["shorter than its header", "longer than what is there", "wrapped once more"],
)
def test_a_payload_whose_events_are_not_whole_is_not_understood(seen, odd):
    with pytest.raises(BinlogUnknown, match="payload"):
        seen(payload(b"\xfc\xff\0", more=odd))


def test_a_length_that_is_cut_off_is_malformed():
    assert [packed_length(data, 0) for data in (b"\x05", b"\xfc\1\2", b"\xfd\1\2\3", b"\xfe" + bytes(7) + b"\1")] == [
        (5, 1), (513, 3), (0x030201, 4), (1 << 56, 9),
    ]  # fmt: skip
    for cut in (b"\xfc\1", b"\xfd\1\2", b"\xfe\1\2", b"\xfb", b"\xff"):
        with pytest.raises(Malformed, match="no length"):
            packed_length(cut, 0)


def test_a_payload_may_hold_an_event_without_a_body(seen):
    log = payload(b"\xfc\xff\0", events=(3,))
    assert seen(log).seen.whole.tolist() == [3]


def test_compressed_rows_of_a_wide_table_are_read_over(seen):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20, types=bytes(10), schema="elsewhere")
    log.event(166, (20).to_bytes(6, "little") + b"\1\0\x0a\xff\0" + packed(bytes(90)))
    log.xid()
    assert seen(log).others.count == 1
