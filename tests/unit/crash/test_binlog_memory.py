"""What of a binary log is kept in memory, and when it is given up."""

import bisect
import struct
import tracemalloc
import zlib
from contextlib import nullcontext

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, TABLES, Binlog, row_of
from workers.crash.binlog import BinlogUnknown, ReadBounds, read
from workers.crash.binlog.bounds import BoundsWatch
from workers.crash.binlog.groups import Groups

NAME, NUMBER, ROW = 500, 8, 25  # bytes
EMPTY = 2 * NAME  # the two sources of transactions without a GTID
COMMITTED = NAME + 5 * NUMBER  # a new source, and the end of a transaction
MAP = NAME + 37  # of table `one`


def rows_that_unpack() -> Binlog:
    """A row event of 1 kB for each MiB of rows."""
    log, zeros = Binlog(), bytes(25 * 40_000)
    log.gtid(1)
    log.table_map("one", 20, schema=SCHEMA)
    packed_rows = b"\x83" + len(zeros).to_bytes(3, "big") + zlib.compress(zeros)
    for _ in range(20):
        log.event(166, (20).to_bytes(6, "little") + b"\0\0\4\x0f" + packed_rows)
    log.xid()
    return log


def many_sources() -> Binlog:
    log = Binlog()
    for log.server in range(20_000):
        log.gtid(1, standalone=True)
    return log


def many_tables() -> Binlog:
    log = Binlog()
    log.gtid(1)
    for number in range(20_000):
        log.table_map("other", number, b"\3", schema="elsewhere")
    return log


def prepared_for_ever() -> Binlog:
    log = Binlog()
    for number in range(20_000):
        log.gtid(number)
        log.event(38, struct.pack("<BIII", 0, 1, 8, 0) + b"%08d" % number)
    return log


@pytest.mark.parametrize("made", [rows_that_unpack, many_sources, many_tables, prepared_for_ever])
@pytest.mark.parametrize("most", [4 << 20, 64 << 20])
def test_a_transaction_above_the_memory_limit_is_refused(tmp_path, made, most):
    file = tmp_path / "log.000001"
    file.write_bytes(made().data)
    with pytest.raises(BinlogUnknown, match="fit into 4 MiB of memory") if most == 4 << 20 else nullcontext():
        read([file], SCHEMA, SECRET, bounds=ReadBounds(kept_bytes=most))


def test_rows_that_unpack_are_given_up_before_they_fill_the_memory(tmp_path):
    file = tmp_path / "log.000001"
    file.write_bytes(rows_that_unpack().data)
    tracemalloc.start()
    try:
        with pytest.raises(BinlogUnknown):
            read([file], SCHEMA, SECRET, bounds=ReadBounds(kept_bytes=2 << 20))
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()


def test_a_table_is_kept_once_however_often_it_is_named(tmp_path):
    log, file = Binlog(), tmp_path / "log.000001"
    for number in range(10_000):
        log.gtid(number)
        log.table_map("other", 20, b"\3", schema="elsewhere")
        log.write(20, [(1,)], b"\3")
        log.xid()
    file.write_bytes(log.data)
    assert read([file], SCHEMA, SECRET, bounds=ReadBounds(kept_bytes=4 << 20)).end == "open"


def test_a_gibibyte_may_be_kept():
    watch = BoundsWatch(ReadBounds())
    watch.check(1 << 30)
    with pytest.raises(BinlogUnknown, match="fit into 1,024 MiB"):
        watch.check((1 << 30) + 1)


def with_map(log: Binlog) -> None:
    log.gtid(1)
    log.table_map("one", 20)


def two_events(log: Binlog) -> None:
    with_map(log)
    for ends in (False, True):
        log.write(20, [row_of(0, 5, 0)[1]], TABLES["one"], ends=ends)
    log.xid()


def prepared(log: Binlog) -> None:
    with_map(log)
    log.write(20, [row_of(0, 5, 0)[1]], TABLES["one"])
    log.event(38, struct.pack("<BIII", 0, 1, 1, 0) + b"a")


def rows_without_a_map(log: Binlog) -> None:
    log.gtid(1)
    for number in (20, 21):
        log.write(number, [(1,)], b"\3", ends=False)


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        (lambda log: None, 0),
        (lambda log: log.commit(0, 5, 1), COMMITTED + MAP + ROW + NUMBER),
        (two_events, COMMITTED + MAP + 2 * (ROW + NUMBER)),
        (with_map, NAME + MAP + NAME),
        (rows_without_a_map, NAME + 2 * NAME),
        (prepared, COMMITTED + MAP + ROW + NUMBER + NAME),
    ],
    ids=["nothing", "a commit", "two row events", "a map in use", "tables in use", "a prepared transaction"],
)
def test_all_that_is_kept_counts(tmp_path, made, kept):
    log, file = Binlog(), tmp_path / "log.000001"
    made(log)
    file.write_bytes(log.data)

    def fits(most: int) -> bool:
        try:
            return read([file], SCHEMA, SECRET, bounds=ReadBounds(kept_bytes=most)).end == "open"
        except BinlogUnknown:
            return False

    assert bisect.bisect_left(range(8192), True, key=fits) == EMPTY + kept


def test_nothing_more_is_read_when_the_memory_is_full():
    groups = Groups(SCHEMA, bounds=ReadBounds(kept_bytes=EMPTY - 1))
    with pytest.raises(BinlogUnknown, match="memory"):
        groups.take([b"an event that nobody looks at"])


def test_nothing_more_is_unpacked_when_the_memory_is_full():
    inner = Binlog(mariadb=False, checked=False)
    start = len(inner.data)
    inner.table_map("one", 20)
    inner.event(120)  # not known
    packed = bytes(4) + b"\x28" + bytes(14) + b"\2\3\xfc\xff\0\0" + inner.data[start:]
    groups = Groups(SCHEMA, bounds=ReadBounds(kept_bytes=EMPTY))
    with pytest.raises(BinlogUnknown, match="memory"):
        groups.take([packed])
