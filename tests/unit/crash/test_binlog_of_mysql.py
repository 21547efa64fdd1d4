"""Files that MySQL 8.0.33 wrote: the witness's numbers 1 to 12 of client 1 and 1 to 6 of client 2; between them one
rolled back (15), XA transactions committed (16), rolled back (17) and committed in one phase (18), DDL and a table
without transactions. The vendor's tool prints the same rows."""

from pathlib import Path

import pytest

from tests.unit.crash.binlog_bytes import SCHEMA
from workers.crash.binlog import BinlogUnknown, read
from workers.crash.transactions import key

FILES = Path(__file__).with_name("binlogs")
PLAIN = FILES / "mysql-8.0.33.plain"


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


def test_it_says_unknown_of_compressed_transactions():
    with pytest.raises(BinlogUnknown, match="binlog_transaction_compression=OFF"):
        read([FILES / "mysql-8.0.33.compressed"], SCHEMA)
