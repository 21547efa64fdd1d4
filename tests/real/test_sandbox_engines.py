"""An engine that comes as a plugin is there, or the sandbox does not start and says why."""

import dataclasses

import pytest

from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds.engines import ENGINES, PluginEngine
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

LIBRARY = "ha_absent.so"


def start(root, build, **settings):
    return Sandbox.create(root, build, settings, name="engines", trace=False)


@pytest.fixture
def promising(monkeypatch):
    """The system's server, said to have an engine that no library brings."""
    monkeypatch.setitem(ENGINES, LIBRARY, PluginEngine("ABSENT"))
    return dataclasses.replace(builds.find("system-mariadb"), plugins=(LIBRARY,))


def test_an_engine_that_is_not_there_ends_the_server(sandbox_root, promising):
    with pytest.raises(SandboxError, match="runs without its engine ABSENT") as refused:
        start(sandbox_root, promising)
    assert LIBRARY in str(refused.value), "the error log says why"


def test_a_server_with_an_engine_that_cannot_run_here_is_not_started(sandbox_root, promising, monkeypatch):
    monkeypatch.setitem(ENGINES, LIBRARY, PluginEngine("ABSENT", missing=lambda: "Pages are too large."))
    with pytest.raises(SandboxError, match=r"was not started\. Pages are too large"):
        start(sandbox_root, promising)


@pytest.fixture(scope="module")
def tokudb():
    try:
        return builds.find("mariadb-10.5-tokudb")
    except SandboxError as absent:
        pytest.skip(str(absent))


def test_tokudb_without_its_allocator_is_noticed(sandbox_root, tokudb, monkeypatch):
    monkeypatch.setitem(ENGINES, "ha_tokudb.so", dataclasses.replace(ENGINES["ha_tokudb.so"], preloads=()))
    with pytest.raises(SandboxError, match="runs without its engine TokuDB"):
        start(sandbox_root, tokudb)


def test_analyze_table_does_not_crash_tokudb(sandbox_root, tokudb):
    """It does as Debian has the source: `workers/sandbox/builds/tokudb/analyze_table.patch`."""
    with start(sandbox_root, tokudb) as sandbox, connect(sandbox.target) as connection:
        ask.rows(connection, "CREATE DATABASE durascope_toku")
        ask.rows(connection, "CREATE TABLE durascope_toku.t (id INT PRIMARY KEY, k INT, KEY (k)) ENGINE=TokuDB")
        ask.rows(connection, "INSERT INTO durascope_toku.t SELECT seq, seq % 7 FROM mysql.seq_1_to_1000")
        for sql in ("ANALYZE TABLE durascope_toku.t", "CHECK TABLE durascope_toku.t"):
            assert [row[3] for row in ask.rows(connection, sql)] == ["OK"]
        assert sandbox.running


def test_tokudbs_durability_is_what_new_sessions_begin_with(sandbox_root, tokudb):
    with start(sandbox_root, tokudb, tokudb_commit_sync="OFF", tokudb_cache_size="33554432") as sandbox:
        with connect(sandbox.target) as connection:
            assert ask.rows(connection, "SELECT @@SESSION.tokudb_commit_sync, @@tokudb_cache_size") == [(0, 33554432)]
            ask.rows(connection, "SET GLOBAL tokudb_commit_sync = ON")
        with connect(sandbox.target) as connection:
            assert ask.value(connection, "SELECT @@SESSION.tokudb_commit_sync") == 1
