"""The session over a table that is written here, by hand, as fsynctrace.c writes it."""

import os
from pathlib import Path

import pytest

from workers.errors import ServerError
from workers.metrics import fsync_table
from workers.metrics.fsync_table import BUCKETS, CALLS, HEADER_BYTES, SLOT
from workers.metrics.fsync_trace import FsyncTrace
from workers.metrics.source import FIGURES, Subject
from workers.servers.facts import Facts

FACTS = Facts("mariadb", (10, 11, 0), "", {"log_bin_basename": "/srv/binlog"}, {})


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "fsync.table"
    file.write_bytes(fsync_table.empty())
    return file


def put(table, slot, path, call="fdatasync", *, calls, errors=0, us=100, max_us=None, named=1):
    numbers = []
    for name in CALLS:
        mine = calls if name == call else 0
        buckets = [mine if power == 7 else 0 for power in range(BUCKETS)]  # 64 to 128 us
        numbers += [mine, errors if mine else 0, mine * us * 1000, (max_us or us) * 1000 if mine else 0, *buckets]
    with table.open("r+b") as file:
        file.seek(HEADER_BYTES + slot * SLOT.size)
        file.write(SLOT.pack(1000 + slot, named, *numbers, os.fsencode(path)))


def values(reading):
    return {figure.name: figure.value for figure in reading.figures}


def begin(table):
    session = FsyncTrace().open(Subject(None, FACTS, table))
    session.begin()
    return session


def test_a_window_that_never_ends_lets_its_table_go(table):
    """The load failed. What is held open keeps the disk of the sandbox from being unmounted."""
    session = begin(table)
    assert held_open(table) == 1
    del session
    assert held_open(table) == 0


def held_open(file):
    return [os.path.realpath(fd) for fd in Path("/proc/self/fd").iterdir()].count(str(file))


def test_only_calls_after_the_begin_count(table):
    put(table, 0, "/srv/ib_logfile0", calls=10)
    put(table, 1, "/srv/binlog.000001", calls=5)
    session = begin(table)
    put(table, 0, "/srv/ib_logfile0", calls=17)
    put(table, 2, "/srv/a.ibd", "fsync", calls=2)
    put(table, 3, "/srv/a.frm", "fsync", calls=1)
    reading = session.end()
    assert values(reading) == {"redo_fsyncs": 7, "binlog_fsyncs": 0, "data_fsyncs": 2, "all_fsyncs": 10}
    assert values(reading).keys() <= FIGURES.keys()
    assert {latency.files: latency.calls for latency in reading.latencies} == {"redo": 7, "data": 2, "other": 1}


def test_latencies_are_in_buckets_of_powers_of_two(table):
    session = begin(table)
    put(table, 0, "/srv/ib_logfile0", calls=4, us=100, max_us=120)
    put(table, 1, "/srv/ib_logfile1", calls=1, us=100)
    (redo,) = session.end().latencies
    assert redo.buckets == {128: 5}
    assert (redo.total_ms, redo.max_ms) == (pytest.approx(0.5), 0.12)


def test_the_longest_call_before_the_begin_is_forgotten(table):
    put(table, 0, "/srv/ib_logfile0", calls=1, max_us=9000)
    session = begin(table)
    raw = table.read_bytes()  # the server counts on: its maximum starts from zero
    assert raw[HEADER_BYTES + fsync_table.MAX_OFFSETS[1] :][:8] == bytes(8)
    session.end()


def test_a_call_that_is_no_flush_does_not_count(table):
    session = begin(table)
    put(table, 0, "/srv/000012.log", "sync_file_range", calls=9)
    assert values(session.end())["all_fsyncs"] == 0


def test_failed_calls_are_noted(table):
    session = begin(table)
    put(table, 0, "/srv/ib_logfile0", calls=9, errors=2)
    figure = next(figure for figure in session.end().figures if figure.name == "redo_fsyncs")
    assert figure.note == "2 of the calls failed"


def test_calls_that_did_not_fit_into_the_table_are_counted(table):
    session = begin(table)
    put(table, fsync_table.SLOTS - 1, "", calls=3, named=0)
    put(table, 0, "/srv/half-writ", calls=8, named=0)
    assert values(session.end())["all_fsyncs"] == 3


def test_rates_are_computed_between_ticks(table):
    session = begin(table)
    put(table, 0, "/srv/ib_logfile0", calls=10)
    session.tick()
    session.tick()
    first, second = session.end().per_second["redo_fsyncs"]
    assert first > 0
    assert second == 0


def test_a_table_that_is_cut_short_ends_the_window_and_not_the_worker(table):
    """A page that is mapped and no longer there would end the process by SIGBUS."""
    session = begin(table)
    os.truncate(table, 0)
    with pytest.raises(ServerError, match="truncated the table of its fsync trace"):
        session.end()


def test_a_restart_ends_the_session_without_figures(table):
    session = begin(table)
    table.unlink()
    table.write_bytes(fsync_table.empty())
    put(table, 0, "/srv/ib_logfile0", calls=10)
    with pytest.raises(ServerError, match="started again, or is gone"):
        session.end()


def test_a_removed_sandbox_ends_the_session_without_figures(table):
    session = begin(table)
    table.unlink()
    with pytest.raises(ServerError, match="started again, or is gone"):
        session.end()


def test_a_missing_trace_says_why(table):
    trace = FsyncTrace()
    assert trace.missing(Subject(None, FACTS, table)) == ""
    assert "gone" in trace.missing(Subject(None, FACTS, table.with_name("other")))
    assert "Only a sandbox" in trace.missing(Subject(None, FACTS))
    why = "/usr/sbin/mysqld does not run with the fsync trace: it crashed."
    assert trace.missing(Subject(None, FACTS, trace_missing=why)) == why
