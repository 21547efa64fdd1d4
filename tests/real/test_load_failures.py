"""What a real server and a real sysbench do wrong, each as the error it becomes."""

import os
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.real.slow import SLOW, slowed
from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.errors import AccessDenied, LoadError, MissingPrivilege, PlanError, ServerError, Unreachable
from workers.sandbox.server import Sandbox
from workers.servers.connection import connect

TOKEN = secrets.token_hex(4)
SCHEMA = f"durascope_fail_{TOKEN}"


def never() -> bool:
    return False


def run(request: LoadRequest):
    return sysbench.run(request, lambda second: None, never)


def say(sandbox: Sandbox, *statements: str) -> None:
    with connect(sandbox.target) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@contextmanager
def setting(sandbox: Sandbox, name: str, value: str) -> Iterator[None]:
    """Over one connection kept open: when a test uses all connections up, a new one could not put the value back."""
    with connect(sandbox.target) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT @@GLOBAL.{name}")
        old = cursor.fetchone()[0]
        cursor.execute(f"SET GLOBAL {name} = {value}")
        try:
            yield
        finally:
            cursor.execute(f"SET GLOBAL {name} = {old}")


@pytest.fixture(scope="module")
def request_here(sandbox: Sandbox) -> Iterator[LoadRequest]:
    say(sandbox, f"CREATE DATABASE {SCHEMA}")
    request = LoadRequest(sandbox.target, SCHEMA, "update-by-key", {}, "innodb", 200, 4, 1, 7)
    sysbench.prepare(request, never)
    with slowed(sandbox):
        yield request
    say(sandbox, f"DROP DATABASE {SCHEMA}")


def test_a_load_on_a_closed_port_says_that_nothing_listens(request_here):
    closed = replace(request_here.target, socket="", port=1)
    with pytest.raises(Unreachable, match="Nothing listens at"):
        run(replace(request_here, target=closed))


def test_the_password_is_wrong(request_here):
    with pytest.raises(AccessDenied):
        run(replace(request_here, target=replace(request_here.target, password="wrong")))


@pytest.mark.parametrize("password", ["a b", "'\"\\", "#c", "x,y=z;", "ä€😀", "-" * 300, "$HOME`id`%s"])
def test_any_password_works(request_here, sandbox, password):
    account = f"'u{TOKEN}'@'localhost'"
    with connect(sandbox.target) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE USER {account} IDENTIFIED BY %s", (password,))
        cursor.execute(f"GRANT ALL ON {SCHEMA}.* TO {account}")
    try:
        run(replace(request_here, target=replace(request_here.target, user=f"u{TOKEN}", password=password)))
    finally:
        say(sandbox, f"DROP USER {account}")


def test_the_schema_is_gone(request_here):
    with pytest.raises(LoadError, match="Unknown database"):
        run(replace(request_here, schema="durascope_none"))


def test_the_table_is_gone(request_here):
    with pytest.raises(LoadError, match="durascope_grown' doesn't exist"):
        run(replace(request_here, workload="insert"))


def test_the_server_is_read_only(request_here, sandbox):
    account = f"'r{TOKEN}'@'localhost'"
    say(sandbox, f"CREATE USER {account}", f"GRANT ALL ON {SCHEMA}.* TO {account}")
    reader = replace(request_here.target, user=f"r{TOKEN}", password="")
    try:
        with setting(sandbox, "read_only", "1"), pytest.raises(ServerError, match="read-only"):
            run(replace(request_here, target=reader))
        assert run(replace(request_here, target=reader)).transactions
    finally:
        say(sandbox, f"DROP USER {account}")


def test_the_account_may_not_write(request_here, sandbox):
    account = f"'s{TOKEN}'@'localhost'"
    say(sandbox, f"CREATE USER {account}", f"GRANT SELECT ON {SCHEMA}.* TO {account}")
    try:
        with pytest.raises(MissingPrivilege) as refused:
            run(replace(request_here, target=replace(request_here.target, user=f"s{TOKEN}", password="")))
        assert f"TO {account}" in refused.value.fix
    finally:
        say(sandbox, f"DROP USER {account}")


def test_the_engine_is_not_there_and_no_other_takes_its_place(request_here):
    with pytest.raises(PlanError, match="no storage engine nonsense"):
        sysbench.prepare(replace(request_here, engine="nonsense", workload="insert"), never)


def test_there_are_too_few_connections(request_here, sandbox):
    with setting(sandbox, "max_connections", "20"), pytest.raises(LoadError, match="does not allow 40") as error:
        run(replace(request_here, threads=40))
    assert "max_connections = 90" in error.value.fix


def test_the_table_is_full(request_here, sandbox):
    request = replace(request_here, engine="memory", workload="rows-per-transaction", params={"rows": "100"}, seconds=9)
    with setting(sandbox, "max_heap_table_size", "1048576"):
        sysbench.prepare(request, never)
        with pytest.raises(ServerError, match="is full"):
            run(request)
    say(sandbox, f"DROP TABLE {SCHEMA}.durascope_grown")


def test_the_table_is_empty(request_here, sandbox):
    say(sandbox, f"DELETE FROM {SCHEMA}.durascope_rows")
    with pytest.raises(LoadError, match="had 0 statements that changed rows"):
        run(request_here)
    sysbench.prepare(request_here, never)
    assert run(request_here).transactions


def test_conflicts_are_not_sold_as_commits(request_here):
    tight = replace(request_here, workload="write-only", table_rows=2, threads=32)
    sysbench.prepare(tight, never)
    with pytest.raises(LoadError, match="conflicts, not commits"):
        run(tight)
    sysbench.prepare(request_here, never)


def test_the_server_hangs(make_sandbox, monkeypatch):
    with _own(make_sandbox, "hanging") as (own, request):
        monkeypatch.setattr(sysbench, "CONNECT_S", 1)
        monkeypatch.setattr(sysbench, "LAST_TRANSACTION_S", 1)
        own_pid = own.pid
        signal_at(0.5, own_pid, signal.SIGSTOP)
        began = time.monotonic()
        try:
            with pytest.raises(LoadError, match="did not end within 3 s"):
                run(request)
        finally:
            signal_at(0, own_pid, signal.SIGCONT)
        assert time.monotonic() - began < 6


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_goes_away(make_sandbox, number):
    with _own(make_sandbox, f"going-{number.name.lower()}") as (own, request):
        signal_at(0.7, own.pid, number)
        with pytest.raises(Unreachable, match=r"was lost|Nothing listens"):
            run(replace(request, seconds=20))


def signal_at(after_s: float, pid: int, number: signal.Signals) -> None:
    threading.Timer(after_s, os.kill, (pid, number)).start()


@contextmanager
def _own(make_sandbox, name: str) -> Iterator[tuple[Sandbox, LoadRequest]]:
    """A sandbox of this test's own, with a loaded table."""
    own = make_sandbox(SLOW, name=name, trace=False)
    say(own, f"CREATE DATABASE {SCHEMA}")
    request = LoadRequest(own.target, SCHEMA, "update-by-key", {}, "innodb", 200, 4, 1, 7)
    sysbench.prepare(request, never)
    try:
        yield own, request
    finally:
        own.remove()
