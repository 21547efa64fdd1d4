"""Figures against known numbers: so many commits were made, so many must be counted."""

import threading
from dataclasses import replace

import pytest

from workers.bench import stage
from workers.metrics import SOURCES
from workers.metrics.binlog_size import BinlogSize
from workers.metrics.file_waits import FileWaits
from workers.metrics.host_figures import HostFigures
from workers.metrics.source import FIGURES, Subject
from workers.metrics.status_counters import StatusCounters
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.look import read

COMMITS, CLIENTS = 100, 4


@pytest.fixture(scope="module")
def watched(make_sandbox):
    """1/1 with the binlog and performance_schema on."""
    settings = {"log_bin": "ON", "sync_binlog": "1", "performance_schema": "ON", "binlog_expire_logs_seconds": "0"}
    return make_sandbox(settings, name="watched").target


@pytest.fixture(scope="module")
def bare(make_sandbox):
    return make_sandbox({}, name="bare").target


def write(target):
    """CLIENTS clients commit COMMITS times each, autocommit, and read and change nothing as often."""
    with connect(target) as connection:
        ask.rows(connection, "CREATE DATABASE IF NOT EXISTS durascope_c")
        ask.rows(connection, "CREATE OR REPLACE TABLE durascope_c.t (id INT PRIMARY KEY, v INT)")
        ask.rows(connection, "INSERT INTO durascope_c.t SELECT seq, 0 FROM durascope_c.seq_1_to_100")

    def client(number):
        with connect(target) as connection:
            for _ in range(COMMITS):
                ask.rows(connection, "UPDATE durascope_c.t SET v = v + 1 WHERE id = %s", (number,))
                ask.rows(connection, "UPDATE durascope_c.t SET v = v WHERE id = %s", (number,))
                ask.rows(connection, "SELECT v FROM durascope_c.t WHERE id = %s", (number,))

    def load():
        threads = [threading.Thread(target=client, args=(number,)) for number in range(1, CLIENTS + 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return load


def measured(target, source, load, ticks=0):
    with connect(target) as connection:
        subject = Subject(connection, read(connection))
        assert source.missing(subject) == ""
        session = source.open(subject)
        session.begin()
        load()
        for _ in range(ticks):
            session.tick()
        return session.end()


def values(reading):
    return {figure.name: figure.value for figure in reading.figures}


def test_every_commit_is_counted_with_the_binlog_on(watched):
    got = values(measured(watched, StatusCounters(), write(watched)))
    assert got["commits"] == got["binlog_commits"] == COMMITS * CLIENTS
    assert COMMITS <= got["binlog_groups"] <= COMMITS * CLIENTS
    assert got["binlog_fsyncs"] == got["binlog_groups"]
    assert got["redo_and_data_fsyncs"] >= COMMITS  # each client waits for its own
    assert "redo_fsyncs" not in got and "data_fsyncs" not in got


def test_commits_are_not_guessed_without_the_binlog(bare):
    got = values(measured(bare, StatusCounters(), write(bare)))
    assert not {"commits", "binlog_commits", "binlog_groups", "binlog_fsyncs", "binlog_bytes"} & set(got)
    assert got["redo_and_data_fsyncs"] > 0 and got["redo_bytes"] > 0


def test_figures_have_known_names_and_series_one_value_for_each_tick(watched):
    reading = measured(watched, StatusCounters(), write(watched), ticks=3)
    assert set(values(reading)) <= set(FIGURES)
    assert {len(series) for series in reading.per_second.values()} == {3}
    assert set(reading.per_second) <= set(values(reading))


def test_the_sources_count_the_same_flushes_and_bytes(watched):
    with connect(watched) as connection:
        subject = Subject(connection, read(connection))
        sessions = [SOURCES[key].open(subject) for key in ("file_waits", "status", "binlog_size")]
        load = write(watched)
        for session in sessions:
            session.begin()
        load()
        waits, status, sizes = (values(session.end()) for session in sessions)
    assert waits["binlog_fsyncs"] == status["binlog_fsyncs"]
    assert waits["binlog_bytes"] == status["binlog_bytes"] == sizes["binlog_bytes"] > COMMITS * CLIENTS


def test_the_size_of_the_binary_log_grows_over_rotations(watched):
    def rotated():
        with connect(watched) as connection:
            ask.rows(connection, "FLUSH BINARY LOGS")
            ask.rows(connection, "CREATE DATABASE IF NOT EXISTS durascope_r")

    assert values(measured(watched, BinlogSize(), rotated))["binlog_bytes"] > 0


def test_binlog_syncs_are_left_out_after_a_rotation(watched):
    def rotated():
        with connect(watched) as connection:
            ask.rows(connection, "FLUSH BINARY LOGS")

    got = values(measured(watched, FileWaits(), rotated))
    assert "binlog_fsyncs" not in got and "binlog_bytes" in got


def test_the_latency_of_binlog_syncs_is_measured(watched):
    with connect(watched) as connection:
        ask.rows(connection, "TRUNCATE TABLE performance_schema.file_summary_by_event_name")
    load = write(watched)
    with connect(watched) as connection:
        ask.rows(connection, "TRUNCATE TABLE performance_schema.file_summary_by_event_name")
    (latency,) = measured(watched, FileWaits(), load).latencies
    assert latency.files == "binlog" and COMMITS <= latency.calls <= COMMITS * CLIENTS
    assert 0 < latency.total_ms / latency.calls <= latency.max_ms


def test_a_missing_performance_schema_is_reported_with_its_switch(bare):
    with connect(bare) as connection:
        assert "performance_schema=ON" in FileWaits().missing(Subject(connection, read(connection)))


@pytest.mark.parametrize(
    ("off", "on"),
    [
        (
            "UPDATE performance_schema.setup_consumers SET enabled = 'NO' WHERE name = 'global_instrumentation'",
            "global_instrumentation",
        ),
        (
            "UPDATE performance_schema.setup_instruments SET enabled = 'NO' WHERE name LIKE 'wait/io/file/%'",
            "setup_instruments",
        ),
    ],
)
def test_a_switch_that_is_off_is_reported_with_the_statement_that_turns_it_on(watched, off, on):
    with connect(watched) as connection:
        subject = Subject(connection, read(connection))
        ask.rows(connection, off)
        reason = FileWaits().missing(subject)
        assert on in reason
        ask.rows(connection, reason[reason.index("UPDATE") :].rstrip(";"))
        assert FileWaits().missing(subject) == ""


def test_a_missing_grant_is_named(watched):
    with connect(watched) as connection:
        ask.rows(connection, "CREATE USER 'fw'@'localhost' IDENTIFIED BY 'x'")
        with connect(replace(watched, user="fw", password="x")) as poor:
            reason = FileWaits().missing(Subject(poor, read(poor)))
        ask.rows(connection, "DROP USER 'fw'@'localhost'")
    assert "GRANT SELECT ON performance_schema.* TO 'fw'@'localhost';" in reason


def test_the_host_of_a_server_is_known_without_a_writable_folder_on_its_disk(bare, monkeypatch):
    monkeypatch.setattr(stage, "beside", lambda datadir: None)
    attached = stage.AttachedStage(bare, "t", lambda *_: None, lambda *_: None, lambda: None)
    subject = attached.subject()
    with subject.connection:
        assert attached.data_folder() is None and HostFigures().missing(subject) == ""
        elsewhere = replace(subject.facts, variables={**subject.facts.variables, "hostname": "db7.example.com"})
        monkeypatch.setattr(attached, "facts", elsewhere)
        assert "not on this host" in HostFigures().missing(replace(subject, folder=attached._datadir()))
