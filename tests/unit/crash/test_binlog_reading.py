"""What the reader makes of events: whole and partial transactions, GTIDs, both vendors' words."""

import struct

import pytest

from tests.unit.crash.binlog_bytes import TABLES, Binlog, row_of, rows_of
from workers.crash import transactions

KEYS = [transactions.key(client, n) for client in (0, 3) for n in range(1, 13)]


FLAVOURS = [
    pytest.param({"mariadb": True}, id="mariadb"),
    pytest.param({"mariadb": False, "v2": True}, id="mysql"),
    pytest.param({"mariadb": True, "checked": False}, id="mariadb without checksums"),
    pytest.param({"mariadb": False, "v2": True, "checked": False}, id="mysql without checksums"),
]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_shape_of_transaction_is_found_under_its_gtid(seen, flavour):
    log = Binlog(**flavour)
    for number, key in enumerate(KEYS, 1):
        log.commit(key >> 40, key & 0xFFFFFFFF, number)
    found = seen(log)
    assert found.seen.whole.tolist() == KEYS
    assert (found.seen.parts.size, found.seen.twice.size, found.reused) == (0, 0, ())
    prefix = "0-7-" if log.mariadb else "00010203-0405-0607-0809-0a0b0c0d0e0f:"
    assert found.gtids == {f"{prefix}{number}": key for number, key in enumerate(KEYS, 1)}
    assert (found.end, found.end_at, found.unreadable) == ("open", f"log.000001:{len(log.data)}", "")


def test_a_binlog_without_gtids_is_read(seen):
    """MySQL 5.5: BEGIN begins; no event names anything."""
    log = Binlog(mariadb=False)
    log.query("BEGIN")
    log.write_rows(rows_of(0, 2))
    log.xid()
    found = seen(log)
    assert (found.seen.whole.tolist(), found.gtids) == ([2], {})


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_commit_statement_commits_and_a_rollback_does_not(seen, flavour):
    log = Binlog(**flavour)
    log.commit(0, 1, 1, end="COMMIT")
    log.commit(0, 2, 2, end="ROLLBACK")
    log.commit(0, 3, 3)
    found = seen(log)
    assert found.seen.whole.tolist() == [1, 3]
    assert list(found.gtids.values()) == [1, 3]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_transaction_without_an_end_does_not_count(seen, flavour):
    first, second = Binlog(**flavour), Binlog(**flavour)
    first.gtid(1)
    first.write_rows(rows_of(0, 1))
    first.gtid(2)
    first.write_rows(rows_of(0, 2))
    second.xid()
    second.commit(0, 3, 3)
    assert seen(first, second).seen.whole.tolist() == [3]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_statements_without_a_transaction_are_passed_over(seen, flavour):
    log = Binlog(**flavour)
    log.gtid(1, standalone=True)
    log.query("CREATE TABLE other (a INT)")
    log.commit(0, 2, 2)
    log.gtid(3, standalone=True)
    log.query("DROP TABLE other")
    log.event(3)
    found = seen(log)
    assert (found.seen.whole.tolist(), found.end) == ([2], "clean")


def test_other_schemas_and_tables_are_ignored(seen):
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


def test_transactions_that_are_there_in_part_are_named(seen):
    log = Binlog()
    log.commit(0, 2, 1, only=slice(1, None))  # two rows of three
    log.commit(0, 4, 2, only=slice(1))  # one half
    log.commit(0, 5, 3)
    found = seen(log).seen
    assert (found.whole.tolist(), found.parts.tolist(), found.twice.tolist()) == ([5], [2, 4], [])


def test_parts_that_an_engine_without_transactions_logs_apart_are_put_together(seen):
    log = Binlog()
    log.commit(0, 3, 3, only=slice(1), end="COMMIT")
    log.commit(0, 3, 4, only=slice(1, None), end="COMMIT")
    found = seen(log)
    assert (found.seen.whole.tolist(), found.seen.parts.size, found.seen.twice.size) == ([3], 0, 0)
    assert found.gtids == {"0-7-3": 3, "0-7-4": 3} and len(found.gtids) == 2
    assert found.scattered.size == 0


def test_a_row_of_one_is_never_taken_for_a_half(seen):
    log = Binlog()
    log.gtid(1)
    (_, (*_, left_digest)), right = rows_of(0, 4)
    log.write_rows([("one", (0, 4, 3, left_digest)), right])
    log.xid()
    assert seen(log).seen.whole.tolist() == []


def test_the_same_half_twice_is_no_whole_transaction(seen):
    log = Binlog()
    log.gtid(1)
    log.write_rows([row_of(0, 4, 3), row_of(0, 4, 3)])
    log.xid()
    assert seen(log).seen.parts.tolist() == [4]


def test_transactions_that_are_there_twice_are_named(seen):
    log = Binlog()
    log.commit(0, 1, 1)
    log.commit(0, 2, 2)
    log.commit(0, 1, 3)
    found = seen(log)
    assert (found.seen.whole.tolist(), found.seen.twice.tolist(), found.reused) == ([1, 2], [1], ())


def test_a_gtid_that_was_swapped_for_another_is_named(seen):
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


def test_a_gtid_that_a_statement_used_again_is_named(seen):
    log = Binlog()
    log.commit(0, 1, 1)
    log.gtid(1, standalone=True)
    log.query("DROP TABLE other")
    assert seen(log).reused == ("0-7-1",)


def test_rows_that_no_witness_can_have_written_are_shown(seen):
    log = Binlog()
    for number, (client, n) in enumerate([(-5, 1), (1, -1), (1 << 30, 1), (1, 1 << 41)], 1):
        log.gtid(number)
        log.write_rows([("one", (client, n, 0, 0))])
        log.xid()
    found = seen(log)
    assert (found.seen.whole.tolist(), found.seen.altered.tolist()) == ([], [-1])
    assert set(found.gtids.values()) == {-1}


@pytest.mark.parametrize("types", [b"\x03\x08\x03", b"\x08\x03\x03\x08", b"\x03\x08\x03\x08\x08"])
def test_no_row_is_read_from_a_table_with_other_columns(seen, types):
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


def test_a_prepared_transaction_counts_when_it_is_committed(seen):
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


@pytest.mark.parametrize(("client", "n"), [(0, 0), (0, 1 << 40), (1 << 20, 10)])
def test_numbers_just_beyond_the_bounds_are_nobodys(seen, client, n):
    log = Binlog()
    log.gtid(1)
    log.write_rows([("one", (client, n, 0, 0))])
    log.xid()
    assert seen(log).seen.altered.tolist() == [-1]
