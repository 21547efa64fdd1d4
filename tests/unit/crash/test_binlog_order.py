"""Order and place in the binary log: GTIDs, table maps, the end of a file, the copy from the crash."""

import struct
import zlib

import pytest

from tests.unit.crash.binlog_bytes import TABLES, Binlog, row_of, rows_of
from workers.crash.binlog import reader, rewritten
from workers.crash.binlog.how import How
from workers.crash.binlog.sequence import ENDINGS

GTID_SOURCE = "00010203-0405-0607-0809-0a0b0c0d0e0f:"


def test_each_way_in_which_a_transaction_ends_has_words():
    assert set(ENDINGS) == set(How) and len(set(ENDINGS.values())) == len(How)


def test_rows_go_to_the_table_that_their_own_map_names(seen):
    """Both maps come first, as in a statement that writes to both tables."""
    log = Binlog()
    log.gtid(1)
    (left, first), (right, second) = rows_of(0, 4)
    log.table_map(left, 21)
    log.table_map(right, 22)
    log.write(21, [first], TABLES[left], ends=False)
    log.write(22, [second], TABLES[right])
    log.xid()
    found = seen(log)
    assert (found.seen.whole.tolist(), found.odd.first, found.scattered.tolist()) == ([4], (), [])


def test_a_map_whose_rows_are_missing_is_odd(seen):
    log = Binlog()
    log.gtid(1)
    (left, first), _ = rows_of(0, 4)
    log.table_map(left, 21)
    log.table_map("right_half", 22)
    log.write(21, [first], TABLES[left])
    log.xid()
    assert "a table map without rows" in seen(log).odd.first[0]


def test_a_group_of_servers_numbers_in_blocks(seen):
    log = Binlog(mariadb=False)
    for number in (1, 1_000_001):
        log.commit(0, number % 7, number)
    assert seen(log).gaps.first == (f"{GTID_SOURCE}1000001 after {GTID_SOURCE}1",)
    log.event(37)
    assert seen(log).gaps.count == 0


def test_numbering_may_begin_anew_after_a_crash(seen):
    first, second = Binlog(), Binlog()
    first.commit(0, 1, 5)
    second.commit(0, 2, 9)
    second.commit(0, 3, 10)
    assert seen(first, second).gaps.count == 0
    first.event(3)
    assert seen(first, second).gaps.first == ("0-7-9 after 0-7-5",)


def test_after_a_failover_another_server_numbers_transactions(seen):
    """Once: the first server may not write again."""
    logs = [Binlog(server=server) for server in (7, 9, 7)]
    for n, log in enumerate(logs, 1):
        log.commit(0, n, n)
    assert seen(*logs[:2]).odd.count == 1
    assert seen(*logs[:2], servers=2).odd.count == 0
    assert "unlike the others" in seen(*logs, servers=2).odd.first[0]


SERVER_AT, FLAGS_AT = 5, 17  # in the header of an event


def with_header(log, event, at, value):
    """The log, with these bytes in the header of its nth event, and its checksum right again."""
    begin, end = ([4, *log.borders][event + n] for n in (0, 1))
    made = bytearray(log.data[begin : end - 4])
    made[at : at + len(value)] = value
    log.data[begin:end] = made + struct.pack("<I", zlib.crc32(made))
    return log


def mysql_log():
    log = Binlog(mariadb=False)
    for number, n in enumerate((1, 5, 6), start=1):
        log.commit(0, n, number)
    return log


def second_transaction():
    """Its events: the GTID, BEGIN, table map, rows, XID."""
    log = mysql_log()
    kinds = [log.data[begin + 4] for begin in [4, *log.borders][:-1]]
    _, second, third = (n for n, kind in enumerate(kinds) if kind == 33)
    assert third - second == 5
    return range(second, third)


def test_an_event_of_another_server_within_a_transaction_is_odd(seen):
    """A replica with that server_id skips it."""
    assert not seen(mysql_log()).odd
    for event in second_transaction():
        found = seen(with_header(mysql_log(), event, SERVER_AT, b"\x09\0\0\0"))
        assert "events of two servers in a transaction of the witness" in found.odd.first[0]
        assert found.seen.whole.tolist() == [1, 5, 6]


def test_a_transaction_of_another_server_is_odd_although_its_gtid_is_not(seen):
    log = mysql_log()
    for event in second_transaction():
        with_header(log, event, SERVER_AT, b"\x09\0\0\0")
    assert seen(log).odd.first == ("server_id 7, 9 by turns",)
    assert seen(log, servers=3).odd.count == 0, "as after two failovers"


def test_an_event_that_replicas_skip_is_odd(seen):
    for event in second_transaction():
        found = seen(with_header(mysql_log(), event, FLAGS_AT, b"\0\x80"))
        assert "an event that replicas skip in a transaction of the witness" in found.odd.first[0]


@pytest.mark.parametrize("block", [reader.BLOCK_BYTES, 128])
def test_a_copy_of_the_binlog_tells_what_was_changed_since(tmp_path, monkeypatch, block):
    monkeypatch.setattr(reader, "BLOCK_BYTES", block)
    log = Binlog()
    log.commit(0, 1, 1)
    end = len(log.data)
    old, new = tmp_path / "log.000001", tmp_path / "now" / "log.000001"
    new.parent.mkdir()
    old.write_bytes(log.data)
    closed = bytearray(log.data)
    closed[4 + 17] &= ~1  # a server that closes the file clears the flag "in use"
    changed, later = bytearray(log.data), bytearray(log.data)
    changed[300] ^= 1
    later[128 + 4 + 17] ^= 1  # no flag there

    def told(data, read_to=end):
        new.write_bytes(data)
        return rewritten([old], [new], {"log.000001": read_to}).first

    assert [told(data) for data in (log.data, closed, log.data + b"more", log.data[:-9])] == [()] * 4
    assert told(changed) == ("log.000001:300",)
    assert told(changed, read_to=300) == ()
    assert told(later) == ("log.000001:149",)
    assert told(b"\0" + log.data[1:], read_to=21) == ("log.000001:0",)
    assert rewritten([old], [new], {}).first == ()
    assert rewritten([old], [], {}).first == ()


def said(found) -> list[str]:
    """What is odd, without where it is."""
    return [one.rpartition(" (")[0] for one in found.odd.first]


def test_a_file_that_the_server_closed_ends_with_a_whole_transaction(seen):
    log = Binlog()
    log.commit(0, 1, 1)
    log.gtid(2)
    assert said(seen(log)) == []
    log.event(3)
    assert said(seen(log)) == ["a transaction without its commit"]


def test_an_event_after_the_last_one_of_a_file_is_reported(seen):
    log = Binlog()
    log.commit(0, 1, 1)
    log.event(3)
    log.commit(0, 2, 2)
    assert said(seen(log)) == ["an event after the last one of the file"]


def test_rows_and_table_maps_have_their_place_in_a_transaction(seen):
    log = Binlog()
    log.table_map("one", 20)
    log.write(20, [row_of(0, 1, 0)[1]], TABLES["one"])
    log.gtid(1)
    log.write(20, [row_of(0, 1, 0)[1]], TABLES["one"])
    log.xid()
    assert said(seen(log)) == [
        "a table map outside a transaction",
        "rows outside a transaction",
        "rows without a table map",
    ]


@pytest.mark.parametrize(("kind", "what"), [(23, "rows of another table"), (24, "changes of another table's rows")])
def test_events_of_other_tables_are_told_apart(seen, kind, what):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20, schema="elsewhere")
    log.event(kind, (20).to_bytes(6, "little") + b"\1\0\4\x0f")
    log.xid()
    found = seen(log)
    assert (found.others.first, found.odd.count) == ((f"{what} (log.000001:{len(log.data)})",), 0)


def test_only_tables_that_are_made_before_the_first_row_are_the_trials_own(seen):
    made = f"CREATE TABLE t (a INT COMMENT '{'long ' * 20}')"
    log = Binlog()
    log.gtid(1, standalone=True)
    log.query(made)
    log.commit(0, 2, 2)
    assert said(seen(log)) == []
    log.gtid(3, standalone=True)
    log.query(made)
    assert said(seen(log)) == [f"the statement {made[:60]!r} in the witness's schema"]


def test_a_transaction_without_a_gtid_is_unlike_anonymous_ones(seen):
    log = Binlog(mariadb=False)
    for n in (1, 2, 3):
        if n < 3:
            log.event(34, bytes(42))
        log.query("BEGIN")
        log.write_rows(rows_of(0, n))
        log.xid()
    found = seen(log)
    assert found.odd.first == ("no GTID event in 1 transactions, unlike the others",)
    assert (found.seen.whole.tolist(), found.gtids, found.reused) == ([1, 2, 3], {}, ())


def test_two_transactions_of_the_witness_in_one_are_scattered(seen):
    log = Binlog()
    log.gtid(1)
    log.write_rows([*rows_of(0, 1), *rows_of(0, 2)])
    log.xid()
    assert seen(log).scattered.tolist() == [1, 2]
