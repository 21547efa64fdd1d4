"""Events of one file: their numbers, and what of a file is read."""

import struct
import zlib
from contextlib import nullcontext

import pytest

from tests.unit.crash.binlog_bytes import Binlog
from workers.crash.binlog import events
from workers.crash.binlog.events import BinlogUnknown, EventLog, EventType

# In the order of mysql/binlog/event/binlog_event.h, from 0, and of MariaDB's log_event.h, from 160.
MYSQL = """
UNKNOWN START_V3 QUERY STOP ROTATE INTVAR LOAD SLAVE CREATE_FILE APPEND_BLOCK EXEC_LOAD DELETE_FILE NEW_LOAD
RAND USER_VAR FORMAT XID BEGIN_LOAD_QUERY EXECUTE_LOAD_QUERY TABLE_MAP PRE_GA_WRITE PRE_GA_UPDATE PRE_GA_DELETE
WRITE_ROWS_V1 UPDATE_ROWS_V1 DELETE_ROWS_V1 INCIDENT HEARTBEAT IGNORABLE ROWS_QUERY WRITE_ROWS_V2 UPDATE_ROWS_V2
DELETE_ROWS_V2 GTID ANONYMOUS_GTID PREVIOUS_GTIDS TRANSACTION_CONTEXT VIEW_CHANGE XA_PREPARE PARTIAL_UPDATE_ROWS
TRANSACTION_PAYLOAD HEARTBEAT_V2 GTID_TAGGED
"""
MARIADB = """
ANNOTATE_ROWS BINLOG_CHECKPOINT MARIADB_GTID GTID_LIST START_ENCRYPTION QUERY_COMPRESSED
WRITE_ROWS_COMPRESSED_V1 UPDATE_ROWS_COMPRESSED_V1 DELETE_ROWS_COMPRESSED_V1 WRITE_ROWS_COMPRESSED_V2
UPDATE_ROWS_COMPRESSED_V2 DELETE_ROWS_COMPRESSED_V2
"""


def test_events_have_the_numbers_of_the_servers_sources():
    numbered = {name: n for n, name in enumerate(MYSQL.split())}
    numbered |= {name: n for n, name in enumerate(MARIADB.split(), 160)}
    assert {name: int(kind) for name, kind in EventType.__members__.items()} == {
        name: number for name, number in numbered.items() if name in EventType.__members__
    }
    assert EventType.__members__.keys() <= numbered.keys()


def test_events_appended_while_the_file_is_read_are_ignored(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "BLOCK_BYTES", 300)
    log, file = Binlog(), tmp_path / "binlog.000001"
    for n in range(1, 6):
        log.commit(0, n, n)
    file.write_bytes(log.data)
    reader = EventLog(file)
    batches = reader.batches()
    read = next(batches)
    size = len(log.data)
    log.commit(0, 6, 6)
    file.write_bytes(log.data)
    for batch in batches:
        read += batch
    assert (len(read), reader.end_position) == (log.borders.index(size) + 1, size)


@pytest.mark.parametrize(("checked", "end"), [(True, "bad checksum"), (False, "torn")])
def test_only_where_there_are_checksums_one_can_be_wrong(tmp_path, checked, end):
    log, file = Binlog(checked=checked), tmp_path / "binlog.000001"
    log.commit(0, 1, 1)
    whole = len(log.data)
    log.xid()
    log.data[whole + 13] ^= 1  # where the last event says that it ends
    file.write_bytes(log.data)
    reader = EventLog(file)
    for _ in reader:
        pass
    assert (reader.end, reader.end_position) == (end, whole)


@pytest.mark.parametrize("most", [-1, 0])
def test_a_file_larger_than_any_binlog_is_not_read(tmp_path, monkeypatch, most):
    log, file = Binlog(), tmp_path / "binlog.000001"
    file.write_bytes(log.data)
    monkeypatch.setattr(events, "MOST_BYTES", len(log.data) + most)
    with pytest.raises(BinlogUnknown, match="not read") if most else nullcontext():
        assert [kind for kind, _ in EventLog(file)] == [EventType.FORMAT]


@pytest.mark.parametrize(("most", "end"), [(4 << 20, "torn"), (16 << 20, "open")])
def test_an_event_that_is_larger_than_allowed_is_not_held_in_memory(tmp_path, most, end):
    log, file = Binlog(), tmp_path / "binlog.000001"
    log.query("x" * (5 << 20))
    file.write_bytes(log.data)
    reader = EventLog(file, most)
    kinds = [kind for kind, _ in reader]
    assert (len(kinds), reader.end) == ((1, end) if end == "torn" else (2, end))


def test_a_file_that_does_not_begin_with_its_description_is_torn(tmp_path):
    log, file = Binlog(), tmp_path / "binlog.000001"
    log.data[4:] = b""
    log.xid()
    file.write_bytes(log.data)
    reader = EventLog(file)
    assert (list(reader), reader.end, reader.end_position) == ([], "torn", 4)


@pytest.mark.parametrize("more", [False, True], ids=["", "an event without its end follows"])
def test_a_server_that_knows_no_checksums_describes_its_file_without_one(tmp_path, more):
    """MySQL 5.5."""
    log, file = Binlog(mariadb=False, checked=False), tmp_path / "binlog.000001"
    log.data[4:] = b""
    log.event(15, struct.pack("<H50sIB", 4, b"5.5.62", 0, 19) + bytes(27))
    log.query("BEGIN")
    log.xid()
    whole, log.without_ends = len(log.data), True
    if more:
        log.table_map("one", 20)
    file.write_bytes(log.data)
    reader = EventLog(file)
    assert [kind for kind, _ in reader] == [EventType.FORMAT, EventType.QUERY, EventType.XID]
    assert (reader.end, reader.checked, reader.end_position) == ("torn" if more else "open", False, whole)


def test_without_checksums_an_event_that_names_another_end_is_torn(tmp_path):
    """Also where the server may leave its end out."""
    log = Binlog(version=b"11.8.3-MariaDB-log", checked=False, without_ends=True)
    log.commit(0, 10, 1)
    at = next(border for border in log.borders if log.data[border + 4] == 19)
    log.data[at + 13 : at + 17] = struct.pack("<I", 12345)
    (tmp_path / "binlog.000001").write_bytes(log.data)
    reader = EventLog(tmp_path / "binlog.000001")
    assert EventType.XID not in [kind for kind, _ in reader]
    assert (reader.end, reader.end_position) == ("torn", at)


@pytest.mark.parametrize(
    ("version", "mariadb", "odd"),
    [
        (b"11.8.3-MariaDB-log", True, 0),
        (b"11.4.2-MariaDB", True, 0),
        (b"11.3.2-MariaDB", True, 2),
        (b"10.11.1-MariaDB", True, 2),
        (b"9.7.4", False, 2),
    ],
)
def test_mariadb_since_11_4_leaves_out_where_events_within_a_transaction_end(tmp_path, version, mariadb, odd):
    log, file = Binlog(mariadb=mariadb, version=version, without_ends=True), tmp_path / "binlog.000001"
    log.commit(0, 10, 1)
    file.write_bytes(log.data)
    reader = EventLog(file)
    assert len(list(reader)) == len(log.borders)
    assert (reader.end, reader.end_position, reader.odd.all().count) == ("open", len(log.data), odd)


@pytest.mark.parametrize("apart", [False, True], ids=["in one block", "in a block of its own"])
@pytest.mark.parametrize(
    ("last", "more", "odd"),
    [
        (3, 16, "an event after the last one of the file"),
        (16, 15, "a description of the file that is not its first event"),
    ],
)
def test_the_first_and_the_last_event_of_a_file_have_their_place(tmp_path, monkeypatch, apart, last, more, odd):
    log, file = Binlog(), tmp_path / "binlog.000001"
    log.event(last)
    if apart:
        monkeypatch.setattr(events, "BLOCK_BYTES", len(log.data) - 4)
    log.event(more, bytes(100))
    log.data[log.borders[-2] + 17] = 0  # its checksum fits only a description that is not in use
    file.write_bytes(log.data)
    reader = EventLog(file)
    assert [kind for kind, _ in reader] == [EventType.FORMAT, last, more]
    assert (reader.end, reader.odd.all().first) == ("open", (f"{odd} (binlog.000001:{len(log.data)})",))


def test_of_the_flags_of_a_description_only_the_one_in_use_is_not_in_its_checksum(tmp_path):
    log, file = Binlog(), tmp_path / "binlog.000001"
    log.data[4 + 17] = 0x20
    log.data[-4:] = struct.pack("<I", zlib.crc32(log.data[4:-4]))
    log.data[4 + 17] |= 1
    file.write_bytes(log.data)
    assert [kind for kind, _ in EventLog(file)] == [EventType.FORMAT]


def test_a_description_with_a_wrong_checksum_is_not_taken_for_a_torn_one(tmp_path):
    log, file = Binlog(), tmp_path / "binlog.000001"
    log.data[60] ^= 1
    file.write_bytes(log.data)
    reader = EventLog(file)
    assert (list(reader), reader.end, reader.end_position) == ([], "bad checksum", 4)
