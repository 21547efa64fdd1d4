"""Files that MySQL 8.0.33 wrote: the witness's numbers 1 to 12 of client 1 and 1 to 6 of client 2; between them one
rolled back (15), XA transactions committed (16), rolled back (17) and committed in one phase (18), DDL and a table
without transactions. The vendor's tool prints the same rows.

Of 9.7.4, with all metadata of rows and columns: client 1's numbers 1 to 6, then 7 to 10 with the tag `shop`, client
2's number 1 with a tag as long as can be, its number 2 without, and its number 3, rolled back. In a file of their own
numbers 4 to 6, compressed."""

from pathlib import Path

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA
from workers.crash import gtid
from workers.crash.binlog import BinlogUnknown, read
from workers.crash.binlog.events import HEADER_BYTES, EventLog, Kind
from workers.crash.binlog.tagged import tagged_gtid
from workers.crash.transactions import key

FILES = Path(__file__).with_name("binlogs")
PLAIN = FILES / "mysql-8.0.33.plain"
TAGGED = FILES / "mysql-9.7.tagged"


def test_it_finds_what_the_server_committed():
    found = read([PLAIN], SCHEMA)
    committed = [key(1, n) for n in (*range(1, 13), 16, 18)] + [key(2, n) for n in range(1, 7)]
    assert found.seen.whole.tolist() == committed
    assert list(found.gtids.values()) == committed
    assert (found.seen.parts.size, found.seen.twice.size, found.reused) == (0, 0, ())
    assert (found.end, found.end_at, found.unreadable) == ("clean", f"{PLAIN.name}:{PLAIN.stat().st_size}", "")


def test_it_names_transactions_by_source_and_number():
    source = "7f926695-e56a-11f1-a15e-02fc00000001"
    named = list(read([PLAIN], SCHEMA).gtids)
    assert named[:12] == [f"{source}:{number}" for number in range(7, 19)]


def test_it_reads_tags_and_extra_metadata():
    found = read([TAGGED], SCHEMA)
    source = "7895ec85-e5e0-11f1-90d2-02fc00000001"
    assert found.seen.whole.tolist() == [key(1, n) for n in range(1, 11)] + [key(2, 1), key(2, 2)]
    assert list(found.gtids) == [
        *(f"{source}:{number}" for number in range(6, 12)),
        *(f"{source}:shop:{number}" for number in range(1, 5)),
        f"{source}:a_tag_of_thirty_two_characters__:1",
        f"{source}:12",
    ]
    assert (found.end, found.unreadable, found.reused) == ("clean", "", ())


def test_the_gtids_that_it_reads_are_in_the_servers_own_set():
    """What the server said of itself when the file was made."""
    source = "7895ec85-e5e0-11f1-90d2-02fc00000001"
    executed = gtid.parse(f"{source}:1-15:a_tag_of_thirty_two_characters__:1:shop:1-4")
    assert gtid.minus(gtid.parse(",".join(read([TAGGED], SCHEMA).gtids)), executed) == {}


@pytest.mark.parametrize("size", [1, 2, 3, 4, 20, 30, 35])
def test_a_tagged_gtid_that_is_cut_off_is_not_taken_for_one(size):
    whole = next(event for kind, event in EventLog(TAGGED) if kind == Kind.GTID_TAGGED)
    with pytest.raises((IndexError, ValueError)):
        tagged_gtid(whole[: HEADER_BYTES + size - 1])


@pytest.mark.parametrize("version", ["8.0.33", "9.7"])
def test_it_says_unknown_of_compressed_transactions(version):
    with pytest.raises(BinlogUnknown, match="binlog_transaction_compression=OFF"):
        read([FILES / f"mysql-{version}.compressed"], SCHEMA)
