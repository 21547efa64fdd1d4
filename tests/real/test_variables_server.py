"""Global variables of a real server are changed and put back; schemas of ours come and go."""

import threading
import time

import pytest

from workers.errors import PlanError, ServerError
from workers.servers import ask, schema, variables
from workers.servers.connection import connect
from workers.servers.look import read

SLEEPERS = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"


@pytest.fixture
def connection(sandbox):
    with connect(sandbox.target) as connection:
        yield connection


@pytest.fixture
def facts(connection):
    return read(connection)


class Ledger:
    """Debts as a caller keeps them, with what the server reported when each was written down."""

    def __init__(self, connection):
        self.connection = connection
        self.changes, self.seen, self.restored = [], [], []

    def pending_restore(self, name, old):
        self.changes.append((name, old))
        self.seen.append(variables.read(self.connection, name))

    def put_back(self, name):
        self.restored.append(name)


@pytest.fixture
def ledger(connection):
    ledger = Ledger(connection)
    yield ledger
    variables.restore(connection, ledger.changes, lambda name: None, lambda: None)


WANTED = {
    "innodb_flush_log_at_trx_commit": "2",
    "sync_binlog": "7",
    "binlog_row_image": "minimal",
    "binlog_commit_wait_usec": "500",
}


def test_the_old_value_is_stored_before_each_change(connection, facts, ledger):
    before = {name: facts.variable(name) for name in WANTED}
    effective = variables.apply(connection, facts, WANTED, ledger.pending_restore)
    assert effective == {**WANTED, "binlog_row_image": "MINIMAL"}
    assert dict(ledger.changes) == before and ledger.seen == [old for _, old in ledger.changes]


def test_changes_are_restored_in_reverse_order(connection, facts, ledger):
    variables.apply(connection, facts, WANTED, ledger.pending_restore)
    variables.restore(connection, ledger.changes, ledger.put_back, lambda: None)
    assert ledger.restored == [name for name, _ in reversed(ledger.changes)]
    assert {name: variables.read(connection, name) for name in WANTED} == {n: facts.variable(n) for n in WANTED}


def test_a_variable_with_the_wanted_value_is_left_alone(connection, facts, ledger):
    same = {name: facts.variable(name) for name in ("sync_binlog", "log_bin", "innodb_flush_method")}
    assert variables.apply(connection, facts, same, ledger.pending_restore) == same
    assert ledger.changes == []


def test_a_variable_whose_old_value_cannot_be_stored_is_not_changed(connection, facts):
    def no_room(name, old):
        raise RuntimeError("the database is full")

    with pytest.raises(RuntimeError):
        variables.apply(connection, facts, {"sync_binlog": "9"}, no_room)
    assert variables.read(connection, "sync_binlog") == facts.variable("sync_binlog")


@pytest.mark.parametrize(
    "bad",
    [
        {"log_bin": "OFF"},
        {"innodb_flush_method": "fsync"},
        {"binlog_group_commit_sync_delay": "1"},
        {"rocksdb_flush_log_at_trx_commit": "1"},
        {"sync_binlog": "0; DROP TABLE mysql.user"},
        {"version": "1"},
    ],
    ids=lambda bad: next(iter(bad)),
)
def test_a_bad_value_is_refused_before_anything_is_changed(connection, facts, ledger, bad):
    with pytest.raises(PlanError):
        variables.apply(connection, facts, {"innodb_flush_log_at_trx_commit": "0", **bad}, ledger.pending_restore)
    assert ledger.changes == []
    assert variables.read(connection, "innodb_flush_log_at_trx_commit") == "1"


def test_sql_in_the_name_of_a_variable_is_not_run(connection):
    with pytest.raises(PlanError):
        variables.read(connection, "sync_binlog' OR '1'='1")


def test_a_failed_restore_does_not_stop_the_others(connection, facts, ledger):
    variables.apply(connection, facts, {"sync_binlog": "7"}, ledger.pending_restore)
    changes = [*ledger.changes, ("binlog_row_image", "'; DROP TABLE x"), ("nothing_of_ours", "1")]
    with pytest.raises(ServerError) as failed:
        variables.restore(connection, changes, ledger.put_back, lambda: None)
    assert ledger.restored == ["sync_binlog"]
    assert "binlog_row_image" in failed.value.message and "nothing_of_ours" in failed.value.message
    assert variables.read(connection, "sync_binlog") == facts.variable("sync_binlog")


def test_a_size_is_reported_as_the_server_rounded_it(connection, facts, ledger):
    effective = variables.apply(connection, facts, {"innodb_buffer_pool_size": "96M"}, ledger.pending_restore)
    assert int(effective["innodb_buffer_pool_size"]) % 2**20 == 0
    assert effective["innodb_buffer_pool_size"] == variables.read(connection, "innodb_buffer_pool_size")


def test_a_server_that_keeps_another_value_is_noticed(connection, facts, ledger, monkeypatch):
    """The server cannot be made to lie, so the reading is: it reports the old value for ever."""
    old = facts.variable("sync_binlog")
    ledger.pending_restore("sync_binlog", old)
    monkeypatch.setattr(variables, "read", lambda connection, name: old)
    with pytest.raises(ServerError, match="reports"):
        variables.apply(connection, facts, {"sync_binlog": "8"}, lambda name, old: None)
    monkeypatch.undo()


def test_a_schema_is_written_down_made_and_dropped(connection):
    pending = []
    schema.create(connection, "durascope_t1", lambda name: pending.append((name, schema.exists(connection, name))))
    assert pending == [("durascope_t1", False)] and schema.exists(connection, "durascope_t1")
    schema.drop(connection, "durascope_t1")
    schema.drop(connection, "durascope_t1")
    assert not schema.exists(connection, "durascope_t1")


def test_a_statement_that_still_runs_in_a_schema_of_ours_is_ended_and_others_go_on(connection, sandbox):
    """DROP would wait for the first. It goes on when its client is gone: a server does not notice."""
    ended = []

    def run(link, sql):
        try:
            ended.append(ask.rows(link, sql))
        except ServerError:
            ended.append("killed")

    ask.rows(connection, "CREATE DATABASE durascope_t4")
    ask.rows(connection, "CREATE TABLE durascope_t4.t AS SELECT 1 AS id")
    with connect(sandbox.target) as ours, connect(sandbox.target) as other:
        ask.rows(ours, "USE durascope_t4")
        asked = ((ours, "SELECT SLEEP(20) FROM t"), (other, "SELECT SLEEP(2)"))
        running = [threading.Thread(target=run, args=one) for one in asked]
        for one in running:
            one.start()
        while ask.value(connection, SLEEPERS) != 2:
            time.sleep(0.05)
        schema.drop(connection, "durascope_t4")
        for one in running:
            one.join()
    assert ended == ["killed", [(0,)]]


def test_a_schema_that_is_there_is_never_touched(connection):
    ask.rows(connection, "CREATE DATABASE durascope_t2")
    ask.rows(connection, "CREATE TABLE durascope_t2.precious (id INT PRIMARY KEY)")
    pending = []
    try:
        with pytest.raises(PlanError, match="was not touched"):
            schema.create(connection, "durascope_t2", pending.append)
        assert pending == [] and ask.rows(connection, "SHOW TABLES FROM durascope_t2") == [("precious",)]
    finally:
        ask.rows(connection, "DROP DATABASE durascope_t2")


def test_no_restore_is_pending_when_somebody_else_made_the_schema_first(connection):
    pending = []

    def meanwhile(name):
        pending.append(name)
        ask.rows(connection, f"CREATE DATABASE {name}")

    try:
        with pytest.raises(PlanError):
            schema.create(connection, "durascope_t3", meanwhile, pending.remove)
        assert pending == [] and schema.exists(connection, "durascope_t3")
    finally:
        ask.rows(connection, "DROP DATABASE durascope_t3")


@pytest.mark.parametrize("name", ["mysql", "shop", "durascope_", "durascope_x`; DROP", "DURASCOPE_x", ""])
def test_schemas_of_others_are_neither_made_nor_dropped(connection, name):
    for act in (lambda: schema.create(connection, name, print), lambda: schema.drop(connection, name)):
        with pytest.raises(PlanError):
            act()
