"""Compressed and wrapped transactions of the binary log."""

import struct
import zlib

import pytest

from tests.unit.crash.binlog_bytes import Binlog, row_of, rows_of
from workers.crash.binlog import BinlogUnknown
from workers.crash.binlog.rows import Malformed
from workers.crash.binlog.rows import packed as packed_length


def packed(data: bytes) -> bytes:
    """As log_bin_compress does it."""
    return b"\x82" + struct.pack(">H", len(data)) + zlib.compress(data)


def test_it_reads_mariadbs_compressed_events(seen):
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


def wrapped(events: bytes, compression: bytes = b"\xfc\xff\0") -> bytes:
    length = b"\xfc" + struct.pack("<H", len(events))
    return b"\2" + bytes([len(compression)]) + compression + b"\1\3" + length + b"\0" + events


def test_it_says_unknown_where_it_cannot_unpack(seen):
    with pytest.raises(BinlogUnknown, match="binlog_transaction_compression"):
        seen(payload(b"\0"))


def test_it_reads_a_transaction_that_is_wrapped_but_not_packed(seen):
    found = seen(payload(b"\xfc\xff\0"))
    assert (found.seen.whole.tolist(), list(found.gtids.values())) == ([3], [3])


def header(kind: int, length: int) -> bytes:
    return struct.pack("<IBIIIH", 0, kind, 7, length, 0, 0)


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
    with pytest.raises(BinlogUnknown, match="payload is cut off"):
        seen(payload(b"\xfc\xff\0", more=odd))


def test_a_length_that_is_cut_off_is_malformed():
    assert [packed_length(data, 0) for data in (b"\x05", b"\xfc\1\2", b"\xfe" + bytes(7) + b"\1")] == [
        (5, 1), (513, 3), (1 << 56, 9),
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
