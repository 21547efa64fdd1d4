"""The trace against strace, on the same run of the same server."""

import os
import re
import signal
import subprocess
import threading
import time
from contextlib import contextmanager

import pymysql
import pytest

from workers.errors import ServerError
from workers.metrics.fsync_trace import FsyncTrace, classify
from workers.metrics.source import Reading, Subject
from workers.servers.facts import Facts

THREADS, COMMITS_EACH = 8, 190
CALLS = "fsync,fdatasync,sync_file_range,msync"
STRACE_LINE = re.compile(r"^\d+\s+(?P<at>\d+\.\d+) (?:fsync|fdatasync|msync)\(\d+<(?P<path>[^>]*)>")


def connect(sandbox):
    target = sandbox.target
    return pymysql.connect(
        unix_socket=target.socket, user=target.user, password=target.password, autocommit=True, database="durascope_t"
    )


@pytest.fixture(scope="module")
def traced(make_sandbox):
    sandbox = make_sandbox({"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}, name="traced")
    target = sandbox.target
    root = pymysql.connect(unix_socket=target.socket, user=target.user, password=target.password, autocommit=True)
    with root.cursor() as cursor:
        cursor.execute("CREATE SCHEMA durascope_t")
        cursor.execute("CREATE TABLE durascope_t.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT) ENGINE=InnoDB")
    root.close()
    return sandbox


@pytest.fixture
def subject(traced):
    with connect(traced) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES")
        facts = Facts("mariadb", (10, 11, 0), "", dict(cursor.fetchall()), {"innodb": "DEFAULT"})
    return Subject(None, facts, traced.trace_file)


def load(sandbox, commits_each: int = COMMITS_EACH) -> None:
    def insert() -> None:
        with connect(sandbox) as connection, connection.cursor() as cursor:
            for _ in range(commits_each):
                cursor.execute("INSERT INTO t (v) VALUES (1)")

    threads = [threading.Thread(target=insert) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def figures(reading: Reading) -> dict[str, float]:
    return {figure.name: figure.value for figure in reading.figures}


@contextmanager
def strace(pid: int, output):
    """strace of a process and its threads, from where it is attached until the block ends."""
    argv = ["strace", "-f", "-y", "-ttt", "-e", f"trace={CALLS}", "-o", output, "-p", str(pid)]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as tracer:
        try:
            assert "attached" in tracer.stderr.readline()
            time.sleep(0.3)
            yield
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.wait(10)


@pytest.mark.skipif(os.geteuid() != 0, reason="attaching strace needs root")
def test_the_trace_agrees_with_strace_within_one_percent(traced, subject, tmp_path):
    output, session = tmp_path / "strace", FsyncTrace().open(subject)
    with strace(traced.pid, output):
        began = time.time()
        session.begin()
        load(traced)
        time.sleep(0.3)
        ours = figures(session.end())
        ended = time.time()
    seen = [line for line in map(STRACE_LINE.match, output.read_text().splitlines()) if line]
    paths = [line["path"] for line in seen if began <= float(line["at"]) <= ended]
    classes = [classify(path, subject.facts) for path in paths]
    assert ours["redo_fsyncs"] > 300
    assert ours["binlog_fsyncs"] > 100
    assert ours["redo_fsyncs"] == pytest.approx(classes.count("redo"), rel=0.01)
    assert ours["binlog_fsyncs"] == pytest.approx(classes.count("binlog"), rel=0.01)
    assert ours["all_fsyncs"] == pytest.approx(len(paths), rel=0.01)


def test_the_trace_counts_two_fsyncs_for_a_commit_alone(traced, subject):
    session = FsyncTrace().open(subject)
    session.begin()
    with connect(traced) as connection, connection.cursor() as cursor:
        for _ in range(100):
            cursor.execute("INSERT INTO t (v) VALUES (1)")
    session.tick()
    reading = session.end()
    found = figures(reading)
    assert 100 <= found["redo_fsyncs"] <= 110
    assert 100 <= found["binlog_fsyncs"] <= 110
    assert found["all_fsyncs"] >= found["redo_fsyncs"] + found["binlog_fsyncs"]
    assert reading.per_second["redo_fsyncs"][0] > 0
    redo = next(latency for latency in reading.latencies if latency.files == "redo")
    assert sum(redo.buckets.values()) == redo.calls == found["redo_fsyncs"]
    assert 0 < redo.total_ms / redo.calls <= redo.max_ms <= max(redo.buckets) / 1000


def test_the_trace_sees_next_to_no_fsync_at_0_0(traced, subject):
    """The other way round: with 0/0 the same load makes next to no fsync."""
    with connect(traced) as connection, connection.cursor() as cursor:
        cursor.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0")
        cursor.execute("SET GLOBAL sync_binlog = 0")
    session = FsyncTrace().open(subject)
    session.begin()
    load(traced, commits_each=40)
    assert figures(session.end())["all_fsyncs"] < 40


def test_a_restart_during_the_trace_ends_it_without_figures(traced, subject):
    session = FsyncTrace().open(subject)
    session.begin()
    traced.restart({"log_bin": "ON"})
    session.tick()
    with pytest.raises(ServerError, match="started again"):
        session.end()
    again = FsyncTrace().open(subject)
    again.begin()
    load(traced, commits_each=10)
    assert figures(again.end())["redo_fsyncs"] > 0
