"""Binlogs of a real server: our reader, the engine's tables and the vendor's tool must say the same."""

import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from tests.real.binlog_server import SCHEMA, SECRET, commit, insert, log_files, prepare, query
from tests.real.binlog_vendor import needs_tool, transactions_in
from workers.crash import transactions
from workers.crash.binlog import BinlogUnknown, read
from workers.crash.binlog.events import EventLog, EventType, end_of
from workers.servers import gtid

CLIENTS, EACH = 3, 60
ENGINE_KEYS = f"SELECT DISTINCT client, n FROM {SCHEMA}.one UNION SELECT client, n FROM {SCHEMA}.left_half"
ROUNDS = {  # settings that change how transactions are written, and what they are set back to
    "plain": {},
    "no checksums": {"binlog_checksum": ("NONE", "CRC32")},
    "compressed": {"log_bin_compress": ("ON", "OFF"), "log_bin_compress_min_len": ("10", "256")},
    "minimal rows": {"binlog_row_image": ("MINIMAL", "FULL")},
}


@pytest.fixture(scope="module")
def server(make_sandbox):
    return make_sandbox({"log_bin": "ON", "sync_binlog": "0", "innodb_flush_log_at_trx_commit": "0"}, name="binlog")


@pytest.fixture
def witness(server):
    """The server with empty tables, and a binlog file begun for the test."""
    prepare(server)
    query(server, "FLUSH BINARY LOGS")
    return server


@pytest.fixture
def logs(witness):
    """`logs()`: the binlog files since the test began."""
    first = log_files(witness)[-1]
    return lambda: [file for file in log_files(witness) if file >= first]


def engine_keys(server) -> list[int]:
    return sorted(transactions.key(client, n) for client, n in query(server, ENGINE_KEYS))


def commit_at_once(server, clients: int, first: int, last: int) -> None:
    with ThreadPoolExecutor(clients) as pool:
        jobs = [pool.submit(commit, server, client=c, first=first, last=last) for c in range(clients)]
        assert [job.result() for job in jobs] == [None] * clients


@needs_tool
@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM", "Aria"])
def test_the_reader_agrees_with_engine_and_vendor_over_several_files(witness, logs, engine):
    prepare(witness, engine)
    for first in range(1, EACH, EACH // 3):
        commit_at_once(witness, CLIENTS, first, first + EACH // 3 - 1)
        query(witness, "FLUSH BINARY LOGS")
    files = logs()
    found = read(files, SCHEMA, SECRET)
    named, whole = transactions_in(files)
    assert len(files) == 4
    assert found.seen.whole.tolist() == whole == engine_keys(witness)
    assert found.seen.whole.size == CLIENTS * EACH
    assert list(found.gtids.items()) == named
    assert (found.seen.parts.size, found.seen.twice.size, found.reused) == (0, 0, ())
    assert (found.end, found.unreadable) == ("open", "")


@needs_tool
@pytest.mark.parametrize("settings", ROUNDS.values(), ids=ROUNDS)
def test_the_reader_agrees_however_transactions_are_written(witness, logs, settings):
    query(witness, *(f"SET GLOBAL {name} = {value}" for name, (value, _) in settings.items()), "FLUSH BINARY LOGS")
    try:
        commit(witness, client=1, first=1, last=EACH)
    finally:
        query(witness, *(f"SET GLOBAL {name} = {value}" for name, (_, value) in settings.items()), "DO 1")
    files = logs()
    found = read(files, SCHEMA, SECRET)
    named, whole = transactions_in(files)
    assert found.seen.whole.tolist() == whole == engine_keys(witness)
    assert list(found.gtids.items()) == named
    assert found.seen.whole.size == EACH


@pytest.mark.parametrize("form", ["STATEMENT", "MIXED"])
def test_changes_logged_as_statements_are_read_as_rows_are(witness, logs, form):
    commit(witness, client=1, first=1, last=EACH, before=f"SET binlog_format = {form}")
    found = read(logs(), SCHEMA, SECRET)
    assert found.seen.whole.tolist() == engine_keys(witness) and found.seen.whole.size == EACH
    assert not (found.odd or found.others or found.scattered.size or found.seen.altered.size)


def test_a_change_logged_as_another_statement_is_not_guessed(witness, logs):
    query(witness, "SET binlog_format = STATEMENT", "INSERT INTO one SELECT 1, 1, 0, 0")
    with pytest.raises(BinlogUnknown, match="binlog_format=ROW"):
        read(logs(), SCHEMA, SECRET)


def test_xa_transactions_count_if_committed_and_not_if_rolled_back(witness, logs):
    query(
        witness,
        "XA START 'a'", insert(1, 16), "XA END 'a'", "XA PREPARE 'a'", "XA COMMIT 'a'",
        "XA START 'b'", insert(1, 5), "XA END 'b'", "XA PREPARE 'b'", "XA ROLLBACK 'b'",
        "XA START 'c', 'd', 7", insert(1, 6), "XA END 'c', 'd', 7",
        "XA COMMIT 'c', 'd', 7 ONE PHASE",
        "BEGIN", insert(1, 7), "SAVEPOINT s", insert(1, 8),
        "ROLLBACK TO s", "COMMIT",
        "BEGIN", insert(1, 9), "ROLLBACK",
        "CREATE TABLE copy SELECT * FROM one", "DROP TABLE copy",
        insert(1, 10),
        "XA START 'e'", insert(1, 15), "XA END 'e'", "XA PREPARE 'e'",
    )  # fmt: skip
    found = read(logs(), SCHEMA, SECRET)
    query(witness, "XA COMMIT 'e'")
    after = read(logs(), SCHEMA, SECRET)
    assert [int(key) & 0xFF for key in found.seen.whole] == [6, 7, 10, 16]
    assert after.seen.whole.tolist() == engine_keys(witness)
    assert found.seen.parts.size == 0


def test_the_reader_tells_whether_a_file_was_closed(witness, logs):
    commit(witness, client=1, first=1, last=5)
    query(witness, "FLUSH BINARY LOGS")
    first, second = logs()
    assert [read([file], SCHEMA, SECRET).end for file in (first, second)] == ["clean", "open"]
    assert read([first, second], SCHEMA, SECRET).end_at == f"{second.name}:{second.stat().st_size}"


@needs_tool
def test_the_reader_agrees_with_the_vendor_on_torn_files(witness, logs, tmp_path):
    """Cut at many places, within events and between them; with zeros after the cut at some."""
    commit(witness, client=1, first=1, last=EACH)
    whole = logs()[0].read_bytes()
    torn = tmp_path / "torn.000001"
    for number, cut in enumerate(range(len(whole), 300, -(len(whole) // 48) - 7)):
        torn.write_bytes(whole[:cut] + bytes(777 * (number % 3 == 0)))
        found = read([torn], SCHEMA, SECRET)
        named, keys = transactions_in([torn])
        assert (found.seen.whole.tolist(), list(found.gtids.items())) == (keys, named)
        assert number % 3 or found.end == "zeros"


@needs_tool
def test_the_reader_agrees_with_the_vendor_on_flipped_bytes(witness, logs, tmp_path):
    commit(witness, client=1, first=1, last=EACH)
    whole = logs()[0].read_bytes()
    flipped = tmp_path / "flipped.000001"
    for place in range(len(whole) - 9, 300, -(len(whole) // 12)):
        flipped.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        found = read([flipped], SCHEMA, SECRET)
        assert found.seen.whole.tolist() == transactions_in([flipped])[1]
        assert found.end in ("bad checksum", "torn")


def test_the_transactions_of_a_cut_tail_are_named(witness, logs, tmp_path):
    """Fault test: the last two transactions are cut off the binlog."""
    commit(witness, client=1, first=1, last=20)
    (file,) = logs()
    cut = tmp_path / file.name
    cut.write_bytes(file.read_bytes()[: commit_ends(file)[-3] + 50])
    complete, found = read([file], SCHEMA, SECRET), read([cut], SCHEMA, SECRET)
    lost = sorted(set(complete.seen.whole.tolist()) - set(found.seen.whole.tolist()))
    assert lost == [transactions.key(1, 19), transactions.key(1, 20)]
    assert (found.end, found.end_at.partition(":")[0]) == ("torn", file.name)


def test_a_swapped_gtid_is_named(witness, logs, tmp_path):
    """Fault test: one transaction is given the GTID of its neighbour."""
    commit(witness, client=1, first=1, last=20)
    (file,) = logs()
    swapped = tmp_path / file.name
    swapped.write_bytes(with_next_gtid(file, 10))
    before, after = read([file], SCHEMA, SECRET), read([swapped], SCHEMA, SECRET)
    twice = list(before.gtids)[10]
    assert after.reused == (twice,)
    assert before.reused == () and gtid.reissued(before.gtids, before.gtids) == ()


def test_gtids_that_a_server_gave_out_again_are_named(witness):
    query(witness, "RESET MASTER")
    commit(witness, client=1, first=1, last=20)
    before, position = read(log_files(witness), SCHEMA, SECRET), query(witness, "SELECT @@gtid_binlog_pos")
    query(witness, "RESET MASTER")  # as when the whole binlog was lost
    commit(witness, client=2, first=1, last=10)
    after, later = read(log_files(witness), SCHEMA, SECRET), query(witness, "SELECT @@gtid_binlog_pos")
    assert gtid.reissued(before.gtids, after.gtids) == tuple(f"0-1-{number}" for number in range(1, 11))
    assert gtid.minus(gtid.parse(position[0][0]), gtid.parse(later[0][0])) == {"0": ((11, 20),)}


def test_the_reader_reads_on_in_the_file_after_a_crash(make_sandbox):
    """Killed under load and started again: the old file ends open, the new one goes on."""
    with make_sandbox({"log_bin": "ON"}, name="crashed", trace=False) as server:
        prepare(server)
        commit(server, client=1, first=1, last=20)
        server.kill()
        server.restart({"log_bin": "ON"})
        commit(server, client=2, first=1, last=20)
        files = log_files(server)
        found = read(files, SCHEMA, SECRET)
        assert len(files) == 2
        assert (read(files[:1], SCHEMA, SECRET).end, found.unreadable) == ("open", "")
        assert found.seen.whole.tolist() == engine_keys(server)


def commit_ends(file: Path) -> list[int]:
    log = EventLog(file)
    return [end_of(event) for kind, event in log if kind == EventType.XID]


def with_next_gtid(file: Path, place: int) -> bytes:
    """The file with the GTID event at this place among all saying the number of the one before the next."""
    log, data = EventLog(file), bytearray(file.read_bytes())
    events = [(end_of(event), event) for kind, event in log if kind == EventType.MARIADB_GTID and not event[31] & 1]
    (end, event), (_, following) = list(pairwise(events))[place - 1][0], events[place]
    changed = event[:19] + following[19:27] + event[27:]
    data[end - len(changed) - 4 : end] = changed + struct.pack("<I", zlib.crc32(changed))
    return bytes(data)
