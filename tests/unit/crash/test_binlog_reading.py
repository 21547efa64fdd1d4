"""What the reader makes of events: whole and partial transactions, GTIDs, both vendors' words."""

import struct
import zlib

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, TABLES, Binlog, row_of, rows_of
from workers.crash import transactions
from workers.crash.binlog import BinlogUnknown, files_of, kept, read, rewritten
from workers.crash.binlog.rows import Malformed
from workers.crash.binlog.rows import packed as packed_length

GTID_SOURCE = "00010203-0405-0607-0809-0a0b0c0d0e0f:"
KEYS = [transactions.key(client, n) for client in (0, 3) for n in range(1, 13)]
FLAVOURS = [
    pytest.param({"mariadb": True}, id="mariadb"),
    pytest.param({"mariadb": False, "v2": True}, id="mysql"),
    pytest.param({"mariadb": True, "checked": False}, id="mariadb without checksums"),
    pytest.param({"mariadb": False, "v2": True, "checked": False}, id="mysql without checksums"),
]


@pytest.fixture
def seen(tmp_path):
    """`seen(binlog, binlog, ...)`: what the reader says of these files."""

    def reader(*logs: Binlog):
        files = [tmp_path / f"log.{number:06}" for number, _ in enumerate(logs, 1)]
        for file, log in zip(files, logs, strict=True):
            file.write_bytes(log.data)
        return read(files, SCHEMA, SECRET)

    return reader


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_it_finds_every_shape_of_transaction_under_its_gtid(seen, flavour):
    log = Binlog(**flavour)
    for number, key in enumerate(KEYS, 1):
        log.commit(key >> 40, key & 0xFFFFFFFF, number)
    found = seen(log)
    assert found.seen.whole.tolist() == KEYS
    assert (found.seen.parts.size, found.seen.twice.size, found.reused) == (0, 0, ())
    prefix = "0-7-" if log.mariadb else "00010203-0405-0607-0809-0a0b0c0d0e0f:"
    assert found.gtids == {f"{prefix}{number}": key for number, key in enumerate(KEYS, 1)}
    assert (found.end, found.end_at, found.unreadable) == ("open", f"log.000001:{len(log.data)}", "")


def test_it_reads_a_binlog_without_any_gtids(seen):
    """MySQL 5.5: BEGIN begins; no event names anything."""
    log = Binlog(mariadb=False)
    log.query("BEGIN")
    log.write_rows(rows_of(0, 2))
    log.xid()
    found = seen(log)
    assert (found.seen.whole.tolist(), found.gtids) == ([2], {})


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_it_takes_a_commit_statement_for_a_commit_and_a_rollback_for_none(seen, flavour):
    log = Binlog(**flavour)
    log.commit(0, 1, 1, end="COMMIT")
    log.commit(0, 2, 2, end="ROLLBACK")
    log.commit(0, 3, 3)
    found = seen(log)
    assert found.seen.whole.tolist() == [1, 3]
    assert list(found.gtids.values()) == [1, 3]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_it_counts_no_transaction_that_was_left_hanging(seen, flavour):
    first, second = Binlog(**flavour), Binlog(**flavour)
    first.gtid(1)
    first.write_rows(rows_of(0, 1))
    first.gtid(2)
    first.write_rows(rows_of(0, 2))
    second.xid()
    second.commit(0, 3, 3)
    assert seen(first, second).seen.whole.tolist() == [3]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_it_goes_on_after_statements_that_stand_alone(seen, flavour):
    log = Binlog(**flavour)
    log.gtid(1, standalone=True)
    log.query("CREATE TABLE other (a INT)")
    log.commit(0, 2, 2)
    log.gtid(3, standalone=True)
    log.query("DROP TABLE other")
    log.event(3)
    found = seen(log)
    assert (found.seen.whole.tolist(), found.end) == ([2], "clean")


def test_it_leaves_other_schemas_and_tables_alone(seen):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20, schema="elsewhere")
    log.write(20, [(0, 1, 0, 0)], TABLES["one"])
    log.table_map("sbtest1", 21, types=b"\x0f\x0f")
    log.event(23, (21).to_bytes(6, "little") + b"\1\0\2\3\0\0")
    log.xid()
    found = seen(log)
    assert (found.seen.whole.size, found.gtids) == (0, {})
    assert found.others.first == (f"rows of another table (log.000001:{len(log.data)})",)
    assert [one.rpartition(" (")[0] for one in found.odd.first] == ["a table sbtest1 in the witness's schema"]


def test_it_says_which_transactions_are_there_in_part(seen):
    log = Binlog()
    log.commit(0, 2, 1, only=slice(1, None))  # two rows of three
    log.commit(0, 4, 2, only=slice(1))  # one half
    log.commit(0, 5, 3)
    found = seen(log).seen
    assert (found.whole.tolist(), found.parts.tolist(), found.twice.tolist()) == ([5], [2, 4], [])


def test_it_puts_together_what_an_engine_without_transactions_logs_by_statement(seen):
    log = Binlog()
    log.commit(0, 3, 3, only=slice(1), end="COMMIT")
    log.commit(0, 3, 4, only=slice(1, None), end="COMMIT")
    found = seen(log)
    assert (found.seen.whole.tolist(), found.seen.parts.size, found.seen.twice.size) == ([3], 0, 0)
    assert found.gtids == {"0-7-3": 3, "0-7-4": 3} and len(found.gtids) == 2
    assert found.scattered.size == 0


def test_it_is_not_fooled_by_the_same_half_twice(seen):
    log = Binlog()
    log.gtid(1)
    log.write_rows([row_of(0, 4, 3), row_of(0, 4, 3)])
    log.xid()
    assert seen(log).seen.parts.tolist() == [4]


def test_it_says_which_transactions_are_there_twice(seen):
    log = Binlog()
    log.commit(0, 1, 1)
    log.commit(0, 2, 2)
    log.commit(0, 1, 3)
    found = seen(log)
    assert (found.seen.whole.tolist(), found.seen.twice.tolist(), found.reused) == ([1, 2], [1], ())


def test_it_names_a_gtid_that_was_swapped_for_another(seen):
    before, after = Binlog(), Binlog()
    for number, n in enumerate((1, 2, 3), 1):
        before.commit(0, n, number)
    after.commit(0, 4, 3)
    found = seen(before, after)
    assert (found.reused, found.seen.whole.tolist()) == (("0-7-3",), [1, 2, 3, 4])


def test_a_transaction_that_is_there_again_under_its_own_gtid_reuses_none(seen):
    log = Binlog()
    for n in (1, 2, 2):
        log.commit(0, n, n)
    found = seen(log)
    assert (found.reused, found.seen.twice.tolist()) == ((), [2])


def test_it_names_a_gtid_that_a_statement_used_again(seen):
    log = Binlog()
    log.commit(0, 1, 1)
    log.gtid(1, standalone=True)
    log.query("DROP TABLE other")
    assert seen(log).reused == ("0-7-1",)


def test_it_shows_rows_that_no_witness_can_have_written(seen):
    log = Binlog()
    for number, (client, n) in enumerate([(-5, 1), (1, -1), (1 << 30, 1), (1, 1 << 41)], 1):
        log.gtid(number)
        log.write_rows([("one", (client, n, 0, 0))])
        log.xid()
    found = seen(log)
    assert (found.seen.whole.tolist(), found.seen.altered.tolist()) == ([], [-1])
    assert set(found.gtids.values()) == {-1}


@pytest.mark.parametrize("types", [b"\x03\x08\x03", b"\x08\x03\x03\x08", b"\x03\x08\x03\x08\x08"])
def test_it_takes_no_row_from_a_table_with_other_columns(seen, types):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20, types)
    log.write(20, [((5, 1, 0, 0) + (None,) * 9)[: len(types)]], types)
    log.xid()
    found = seen(log)
    assert (found.seen.all().tolist(), found.odd.count) == ([], 1)
    assert "other columns" in found.odd.first[0]


def test_a_row_whose_columns_are_marked_null_is_not_the_witnesss(seen):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20)
    log.event(23, (20).to_bytes(6, "little") + b"\1\0\4\x0f" + b"\1" + struct.pack("<iqiq", *row_of(2, 1, 0)[1]))
    log.xid()
    found = seen(log).seen
    assert (found.whole.tolist(), found.altered.tolist()) == ([], [-1])


def test_it_waits_for_the_commit_of_a_prepared_transaction(seen):
    log = Binlog(mariadb=False)
    for number, n, verb in ((1, 1, "COMMIT"), (3, 2, "ROLLBACK"), (5, 5, "")):
        xid = f"X'6{n}',X'',1"
        log.gtid(number)
        log.query(f"XA START {xid}")
        log.write_rows(rows_of(0, n))
        log.query(f"XA END {xid}")
        log.event(38, struct.pack("<BIII", 0, 1, 1, 0) + bytes([0x60 + n]))
        if verb:
            log.gtid(number + 1, standalone=True)
            log.query(f"XA {verb} {xid}")
    log.gtid(7)
    log.write_rows(rows_of(0, 6))
    log.event(38, struct.pack("<BIII", 1, 1, 1, 0) + b"z")  # XA COMMIT ... ONE PHASE
    found = seen(log)
    assert found.seen.whole.tolist() == [1, 6]
    assert [gtid.rpartition(":")[2] for gtid in found.gtids] == ["2", "7"]


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


@pytest.mark.parametrize(("kind", "says"), [(164, "encrypt"), (42, "tag")])
def test_it_says_unknown_where_it_cannot_read(seen, kind, says):
    log = Binlog()
    log.event(kind, bytes(40))
    with pytest.raises(BinlogUnknown, match=says):
        seen(log)


def test_it_says_unknown_of_an_encrypted_file_and_of_no_file(tmp_path):
    (tmp_path / "log.000001").write_bytes(b"\xfdbin" + bytes(600))
    with pytest.raises(BinlogUnknown, match="encrypted"):
        read([tmp_path / "log.000001"], SCHEMA, SECRET)
    with pytest.raises(BinlogUnknown, match="no binlog file"):
        read([], SCHEMA, SECRET)


def test_it_says_unknown_of_changes_logged_as_statements(seen):
    log = Binlog()
    log.gtid(1)
    log.query("insert INTO one VALUES (0, 1, 0)", schema="sbtest")
    log.xid()
    assert seen(log).seen.whole.size == 0
    log.gtid(2)
    log.query("insert INTO one VALUES (0, 1, 0)")
    with pytest.raises(BinlogUnknown, match="binlog_format=ROW"):
        seen(log)


def test_it_says_unknown_of_an_event_that_is_whole_and_not_understood(seen):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20)
    log.event(23, (20).to_bytes(6, "little") + b"\1\0\4\x0f\0\1")
    with pytest.raises(BinlogUnknown, match="type 23"):
        seen(log)


def test_it_takes_the_files_from_the_index(tmp_path):
    (tmp_path / "binlog.index").write_text(f"./binlog.000001\n{tmp_path}/binlog.000002\n\n")
    names = [str(path) for path in files_of(tmp_path, "binlog")]
    assert names == [f"{tmp_path}/binlog.000001", f"{tmp_path}/binlog.000002"]
    (tmp_path / "binlog.index").write_bytes(b"./binlog.000001\n" + bytes(30))
    with pytest.raises(BinlogUnknown, match="zeros"):
        files_of(tmp_path, "binlog")


@pytest.mark.parametrize("named", ["/etc/passwd", "../secret", "sub/binlog.000001", "..", "."])
def test_an_index_that_names_files_elsewhere_is_not_followed(tmp_path, named):
    """The server writes it: a hostile one would have the worker read what it could not."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "binlog.index").write_text(f"./binlog.000001\n{named}\n")
    with pytest.raises(BinlogUnknown, match="another folder"):
        files_of(tmp_path, "binlog")


@pytest.mark.parametrize("standalone", [True, False])
def test_it_says_unknown_of_an_insert_as_a_statement_wherever_it_is(seen, standalone):
    log = Binlog()
    log.gtid(1, standalone=standalone)
    log.query("INSERT INTO one VALUES (0, 1, 0, 0)")
    with pytest.raises(BinlogUnknown, match="binlog_format=ROW"):
        seen(log)


@pytest.mark.parametrize("mariadb", [True, False])
def test_an_event_that_is_not_understood_cuts_off_a_log_without_checksums(seen, mariadb):
    log = Binlog(mariadb=mariadb, checked=False)
    log.commit(0, 1, 1)
    log.gtid(2)
    log.table_map("one", 20)
    end = len(log.data)
    log.event(23, (20).to_bytes(6, "little") + b"\1\0\4\x0f\0\1")
    log.commit(0, 2, 3)
    found = seen(log)
    assert (found.end, found.end_at, found.seen.whole.tolist()) == ("torn", f"log.000001:{end}", [1])
    assert found.read_to == {"log.000001": end}


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


@pytest.mark.parametrize(("client", "n"), [(0, 0), (0, 1 << 40), (1 << 20, 10)])
def test_numbers_just_beyond_the_bounds_are_nobodys(seen, client, n):
    log = Binlog()
    log.gtid(1)
    log.write_rows([("one", (client, n, 0, 0))])
    log.xid()
    assert seen(log).seen.altered.tolist() == [-1]


def test_a_gtid_beyond_all_numbers_is_not_understood(seen):
    log = Binlog()
    log.gtid((1 << 63) - 1)
    log.xid()
    assert seen(log).gaps.count == 0
    log.gtid(1 << 63)
    with pytest.raises(BinlogUnknown, match="type 162"):
        seen(log)


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
    assert seen(first, second).gaps.count == 0
    first.event(3)
    assert seen(first, second).gaps.first == ("0-7-9 after 0-7-5",)


@pytest.mark.parametrize("block", [kept.BLOCK_BYTES, 128])
def test_a_copy_of_the_binlog_tells_what_was_changed_since(tmp_path, monkeypatch, block):
    monkeypatch.setattr(kept, "BLOCK_BYTES", block)
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


def test_nothing_follows_the_last_event_of_a_file(seen):
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
def test_what_happens_to_other_tables_is_told_apart(seen, kind, what):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20, schema="elsewhere")
    log.event(kind, (20).to_bytes(6, "little") + b"\1\0\4\x0f")
    log.xid()
    found = seen(log)
    assert (found.others.first, found.odd.count) == ((f"{what} (log.000001:{len(log.data)})",), 0)


def test_compressed_rows_of_a_wide_table_are_read_over(seen):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20, types=bytes(10), schema="elsewhere")
    log.event(166, (20).to_bytes(6, "little") + b"\1\0\x0a\xff\3" + packed(bytes(90)))
    log.xid()
    assert seen(log).others.count == 1


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
    assert (found.seen.whole.tolist(), found.gtids) == ([1, 2, 3], {})
