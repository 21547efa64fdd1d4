"""What the reader of the binary log cannot read is unknown; the index names its files."""

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, Binlog
from workers.crash.binlog import BinlogUnknown, files_of, read


@pytest.mark.parametrize(("kind", "says"), [(164, "encrypt"), (42, "tag")])
def test_an_event_that_cannot_be_read_makes_the_binlog_unknown(seen, kind, says):
    log = Binlog()
    log.event(kind, bytes(40))
    with pytest.raises(BinlogUnknown, match=says):
        seen(log)


def test_an_encrypted_file_and_no_file_are_unknown(tmp_path):
    (tmp_path / "log.000001").write_bytes(b"\xfdbin" + bytes(600))
    with pytest.raises(BinlogUnknown, match="encrypted"):
        read([tmp_path / "log.000001"], SCHEMA, SECRET)
    with pytest.raises(BinlogUnknown, match="no binlog file"):
        read([], SCHEMA, SECRET)


OTHERS = {
    "another spelling": "insert INTO one VALUES (0, 1, 0)",
    "of another statement": "INSERT INTO one SELECT * FROM left_half",
    "into another table": "INSERT INTO two VALUES (0,1,0,5)",
    "too few columns": "INSERT INTO one VALUES (0,1,5)",
    "too many columns": "INSERT INTO left_half VALUES (0,1,0,5)",
    "no row": "INSERT INTO one VALUES ()",
    "no number": "INSERT INTO one VALUES (0,1,-,5)",
    "half a row": "INSERT INTO one VALUES (0,1,0,5),(0,1",
    "two numbers": "INSERT INTO one VALUES (0,1,0,5,,)",
    "beyond the client": "INSERT INTO one VALUES (2147483648,1,0,5)",
    "beyond a bigint": "INSERT INTO one VALUES (0,9223372036854775808,0,5)",
    "a longer number": f"INSERT INTO one VALUES (0,{'9' * 60},0,5)",
    "one row that is none": "INSERT INTO one VALUES (0,1,0,5),(0,1,0)",
    "more than rows": "INSERT INTO one VALUES (0,1,0,5) ON DUPLICATE KEY UPDATE n=n",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_changes_that_the_witness_does_not_write_so_are_unknown_as_statements(seen, text):
    log = Binlog()
    log.gtid(1)
    log.query(text, schema="sbtest")
    log.xid()
    assert seen(log).seen.whole.size == 0
    log.gtid(2)
    log.query(text)
    with pytest.raises(BinlogUnknown, match="binlog_format=ROW"):
        seen(log)


@pytest.mark.parametrize(
    "rows",
    [b"\4\x0f\0\1", b"\5\x0f" + bytes(25), b"\4\x07" + bytes(25)],
    ids=["less than a row", "more columns", "less columns are there"],
)
def test_a_whole_event_that_is_not_understood_is_unknown(seen, rows):
    log = Binlog()
    log.gtid(1)
    log.table_map("one", 20)
    log.event(23, (20).to_bytes(6, "little") + b"\1\0" + rows)
    with pytest.raises(BinlogUnknown, match="type 23"):
        seen(log)


def test_the_index_names_the_files(tmp_path):
    (tmp_path / "binlog.index").write_text(f"./binlog.000001\n{tmp_path}/binlog.000002\n\n")
    names = [str(path) for path in files_of(tmp_path / "binlog.index")]
    assert names == [f"{tmp_path}/binlog.000001", f"{tmp_path}/binlog.000002"]
    (tmp_path / "binlog.index").write_bytes(b"./binlog.000001\n" + bytes(30))
    with pytest.raises(BinlogUnknown, match="zeros"):
        files_of(tmp_path / "binlog.index")


@pytest.mark.parametrize("named", ["/etc/passwd", "../secret", "sub/binlog.000001", "..", "."])
def test_an_index_that_names_files_elsewhere_is_not_followed(tmp_path, named):
    """The server writes it: a hostile one would have the worker read what it could not."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "binlog.index").write_text(f"./binlog.000001\n{named}\n")
    with pytest.raises(BinlogUnknown, match="another folder"):
        files_of(tmp_path / "binlog.index")


@pytest.mark.parametrize("standalone", [True, False])
def test_an_insert_that_is_not_understood_is_unknown_wherever_it_stands(seen, standalone):
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


def test_a_gtid_beyond_all_numbers_is_not_understood(seen):
    log = Binlog()
    log.gtid((1 << 63) - 1)
    log.xid()
    assert seen(log).gaps.count == 0
    log.gtid(1 << 63)
    with pytest.raises(BinlogUnknown, match="type 162"):
        seen(log)
