"""Where a transaction of the binary log begins and ends, and what else is in it. Every line of `CASES` is a file."""

import struct
from dataclasses import dataclass

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, TABLES, Binlog, row_of, rows_of
from workers.crash.binlog import read

OTHER_ROWS = (20).to_bytes(6, "little") + b"\1\0\4\x0f"  # of a row event that ends its statement


@dataclass
class Steps:
    """Events one after the other. Each method adds one and returns the file."""

    log: Binlog

    def gtid(self, number: int, **more: bool) -> "Steps":
        self.log.gtid(number, **more)
        return self

    def rows(self, n: int) -> "Steps":
        self.log.write_rows(rows_of(0, n))
        return self

    def row(self, table: str, place: int, *, n: int = 4, ends: bool = True) -> "Steps":
        """A row event without its table map."""
        self.log.write(20 + list(TABLES).index(table), [row_of(0, n, place)[1]], TABLES[table], ends=ends)
        return self

    def map(self, table: str, schema: str = "durascope_crash") -> "Steps":
        self.log.table_map(table, 20 + list(TABLES).index(table), schema=schema)
        return self

    def query(self, text: str, schema: str = "") -> "Steps":
        self.log.query(text, schema)
        return self

    def event(self, kind: int, body: bytes = bytes(8)) -> "Steps":
        self.log.event(kind, body)
        return self

    def xid(self) -> "Steps":
        return self.event(16)

    def prepare(self, first: bytes, second: bytes) -> "Steps":
        return self.event(38, struct.pack("<BIII", 0, 3, len(first), len(second)) + first + second)


def mariadb() -> Steps:
    return Steps(Binlog())


def mysql() -> Steps:
    return Steps(Binlog(mariadb=False))


def told(notes) -> list[str]:
    return [one.rpartition(" (")[0] or one for one in notes.first]


NO_COMMIT, NO_MAP = "a transaction without its commit", "rows without a table map"
OUTSIDE = "a table map outside a transaction"
CASES = {
    "a GTID follows a GTID": (
        mysql().gtid(1, standalone=True).gtid(2).rows(2).xid(),
        [2], ["a GTID without its transaction"], [],
    ),
    "a GTID follows rows": (mariadb().gtid(1).rows(1).gtid(2).rows(2).xid(), [2], [NO_COMMIT], []),
    "BEGIN follows rows": (mysql().query("BEGIN").rows(1).query("BEGIN").rows(2).xid(), [2], [NO_COMMIT], []),
    "XA START follows rows": (
        mysql().query("BEGIN").rows(1).query("XA START X'61',X'',1").rows(2).xid(), [2], [NO_COMMIT], [],
    ),
    "a table map before its transaction": (
        mariadb().map("one").gtid(1).row("one", 0, n=5).xid(),
        [], [OUTSIDE, OUTSIDE, NO_MAP], ["rows of another table"],
    ),
    "an XID without a transaction": (
        mariadb().xid(), [], ["a commit without a transaction"], ["a transaction without rows"],
    ),
    "COMMIT without a transaction": (
        mariadb().query("COMMIT"), [], ["a commit without a transaction"], ["a transaction without rows"],
    ),
    "COMMIT without BEGIN": (
        mysql().gtid(1, standalone=True).query("COMMIT"),
        [], ["a commit of a transaction that has not begun"], ["a transaction without rows"],
    ),
    "ROLLBACK": (
        mariadb().gtid(1).rows(1).query("ROLLBACK").gtid(2).rows(2).xid(),
        [2], [], ["a transaction that was rolled back"],
    ),
    "an unfinished statement": (
        mariadb().gtid(1).map("one").row("one", 0, n=1, ends=False).xid().gtid(2).row("one", 0, n=5).xid(),
        [1], ["a statement without its end", NO_MAP], ["rows of another table"],
    ),
    "a map without rows after an unfinished statement": (
        mariadb().gtid(1).map("one").row("one", 0, n=1, ends=False).xid()
        .gtid(2).map("one").map("left_half").row("left_half", 3).map("right_half").row("right_half", 4).xid(),
        [1, 4], ["a statement without its end", "a table map without rows"], [],
    ),
    "a map without rows after a GTID that follows an unfinished statement": (
        mariadb().gtid(1).map("one").row("one", 0, n=1, ends=False)
        .gtid(2).map("one").map("left_half").row("left_half", 3).map("right_half").row("right_half", 4).xid(),
        [4], [NO_COMMIT, "a table map without rows"], [],
    ),
    "a map without rows after a statement of two row events": (
        mariadb().gtid(1).map("one").row("one", 0, n=1, ends=False).row("one", 0, n=5).xid()
        .gtid(2).map("one").map("left_half").row("left_half", 3).map("right_half").row("right_half", 4).xid(),
        [1, 4, 5], ["a table map without rows"], [],
    ),
    "a map without rows after a statement of two tables": (
        mariadb().gtid(1).map("one").map("left_half").row("one", 0, n=5, ends=False).row("left_half", 3)
        .map("one").map("right_half").row("right_half", 4).xid(),
        [4, 5], ["a table map without rows"], [],
    ),
    "a second map of a statement": (
        mariadb().gtid(1).map("one").map("one").row("one", 0, n=5).xid(),
        [5], ["a second table map of the same statement"], [],
    ),
    "maps of other tables may come twice": (
        mariadb().gtid(1).map("one", "elsewhere").map("one", "elsewhere").event(23, OTHER_ROWS).xid(),
        [], [], ["rows of another table"],
    ),
    "rows of another table beside the witness's": (
        mariadb().gtid(1).rows(5).map("one", "elsewhere").event(23, OTHER_ROWS).xid(),
        [5], ["rows of another table in a transaction of the witness"], [],
    ),
    "the witness's rows are changed": (
        mariadb().gtid(1).map("one").event(24, OTHER_ROWS).xid(),
        [], ["a change of the witness's rows (UPDATE or DELETE)"], ["changes of another table's rows"],
    ),
    "a statement in a transaction": (
        mariadb().gtid(1).query("ANALYZE TABLE a").query("ANALYZE TABLE b").rows(5).xid(),
        [5], ["the statement 'ANALYZE TABLE a' in a transaction of the witness"], [],
    ),
    "a part of a statement, and a statement": (
        mariadb().gtid(1).event(5).query("UPDATE a").map("one", "elsewhere")
        .event(23, OTHER_ROWS).event(24, OTHER_ROWS).xid(),
        [], [], ["a part of a statement"],
    ),
    "a statement, and a part of one": (
        mariadb().gtid(1).query("UPDATE a").event(14).xid(), [], [], ["the statement 'UPDATE a'"],
    ),
    "changes of another table, and what follows": (
        mariadb().gtid(1).map("one", "elsewhere").event(24, OTHER_ROWS)
        .map("one", "elsewhere").event(23, OTHER_ROWS).event(13).xid(),
        [], [], ["changes of another table's rows"],
    ),
    "a statement that changes nothing": (
        mariadb().gtid(1).query("SAVEPOINT a", "durascope_crash").xid(), [], [], ["the statement 'SAVEPOINT a'"],
    ),
    "an unknown XA transaction is committed": (
        mariadb().gtid(1).rows(1).query("XA COMMIT X'61',X'',1"), [], [], ["XA COMMIT"],
    ),
    "an XA transaction whose name is not known is committed": (
        mariadb().gtid(1, standalone=True).query("XA COMMIT"), [], [], ["XA COMMIT"],
    ),
    "two XA transactions are committed in another order": (
        mariadb().gtid(1).rows(1).prepare(b"a", b"bc").gtid(2).rows(2).prepare(b"ab", b"c")
        .gtid(3, standalone=True).query("XA ROLLBACK X'61',X'6263',3")
        .gtid(4, standalone=True).query("XA COMMIT X'6162',X'63',3")
        .gtid(5, standalone=True).query("XA COMMIT X'61',X'6263',3"),
        [2], ["XA COMMIT in a transaction of the witness"], ["XA PREPARE", "XA PREPARE", "XA ROLLBACK", "XA COMMIT"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_out_of_place_is_told_and_does_not_count(seen, case):
    steps, whole, odd, others = CASES[case]
    found = seen(steps.log)
    assert (found.seen.whole.tolist(), told(found.odd), told(found.others)) == (whole, odd, others)
    assert found.gaps.count == 0


def test_a_transaction_that_does_not_count_keeps_its_gtid(seen):
    log = mariadb().gtid(1).rows(1).xid().gtid(2).rows(2).query("ROLLBACK").gtid(3).rows(3).prepare(b"a", b"").log
    log.gtid(4, standalone=True)
    log.query("XA ROLLBACK X'61',X'',3")
    log.commit(0, 5, 5)
    found = seen(log)
    assert (found.gaps.count, found.gtids) == (0, {"0-7-1": 1, "0-7-5": 5})


def test_a_transaction_does_not_go_on_in_the_next_file(seen):
    first = mariadb().gtid(1).rows(1).query("ANALYZE TABLE a")
    second = mariadb().gtid(1).rows(5).xid()
    found = seen(first.log, second.log)
    assert (found.seen.whole.tolist(), told(found.odd), told(found.others)) == ([5], [], [])


@pytest.mark.parametrize("kind", [23, 24], ids=["inserted", "updated"])
def test_rows_of_an_own_table_belong_to_the_witnesss_transaction(tmp_path, kind):
    log = mariadb().gtid(1).rows(5).log
    log.table_map("mine", 30, b"\3")
    log.event(kind, (30).to_bytes(6, "little") + b"\1\0\1\1\0" + bytes(4))
    log.xid()
    (tmp_path / "log.000001").write_bytes(log.data)
    found = read([tmp_path / "log.000001"], SCHEMA, SECRET, own_tables=["mine"])
    assert (found.seen.whole.tolist(), told(found.odd), told(found.others)) == ([5], [], [])
