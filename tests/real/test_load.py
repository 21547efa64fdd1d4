"""Every workload on a real server through the real sysbench."""

import math
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymysql
import pytest

from tests.real.slow import slowed
from workers.bench import sysbench
from workers.bench.load import LoadRequest, LoadResult, LoadSecond
from workers.bench.workloads import OWN, WORKLOADS
from workers.errors import Cancelled, PlanError
from workers.sandbox.server import Sandbox
from workers.servers.connection import connect

SCHEMA = f"durascope_load_{secrets.token_hex(4)}"


@pytest.fixture(scope="module")
def connection(sandbox: Sandbox) -> Iterator[pymysql.Connection]:
    with connect(sandbox.target) as opened:
        with opened.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {SCHEMA}")
        yield opened
        with opened.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {SCHEMA}")


@pytest.fixture
def slow(sandbox: Sandbox) -> Iterator[None]:
    with slowed(sandbox):
        yield


@pytest.fixture
def request_of(sandbox: Sandbox, connection: pymysql.Connection):
    asked = LoadRequest(sandbox.target, SCHEMA, "update-by-key", {}, "innodb", 500, 4, 1, 7)
    return lambda **changes: replace(asked, **changes)


def never() -> bool:
    return False


def loaded(request: LoadRequest) -> LoadResult:
    sysbench.prepare(request, never)
    return sysbench.run(request, lambda second: None, never)


def count(connection: pymysql.Connection, table: str, where: str = "1") -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {SCHEMA}.{table} WHERE {where}")
        return cursor.fetchone()[0]


def commits(connection: pymysql.Connection) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL STATUS LIKE 'Binlog_commits'")
        return int(cursor.fetchone()[1])


CHOICES = [
    *((key, {}) for key in WORKLOADS if key != OWN),
    ("insert", {"keys": "random"}),
    ("rows-per-transaction", {"rows": "1000"}),
    ("rows-per-transaction", {"rows": "10000"}),
    ("rows-per-transaction", {"rows": "10", "style": "trx"}),
    ("insert-ignore", {"existing_percent": "0"}),
    ("insert-ignore", {"index": "no"}),
    ("replace", {"index": "no"}),
]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(("key", "params"), CHOICES)
def test_every_workload_measures_something(request_of, key, params):
    result = loaded(request_of(workload=key, params=params))
    assert result.transactions > 0 and result.errors * 10 <= result.transactions
    assert sum(transactions for _, transactions in result.histogram) == result.transactions
    found = list(result.percentiles_ms.values())
    assert found == sorted(found) and found[0] > 0 and found[-1] <= result.latency_max_ms
    assert result.elapsed_s >= 1


def test_a_prepared_table_has_the_rows_and_the_index_asked_for(request_of, connection):
    sysbench.prepare(request_of(table_rows=1234), never)
    assert count(connection, "durascope_rows") == 1234
    with connection.cursor() as cursor:
        assert cursor.execute(f"SHOW INDEX FROM {SCHEMA}.durascope_rows WHERE Key_name = 'k'") == 1


@pytest.mark.usefixtures("slow")
def test_a_growing_table_holds_what_was_committed_and_is_emptied(request_of, connection):
    request = request_of(workload="rows-per-transaction", params={"rows": "100"})
    result = loaded(request)
    assert result.rows_per_transaction == 100
    assert count(connection, "durascope_grown") == 100 * result.transactions
    sysbench.reset(request)
    assert count(connection, "durascope_grown") == 0


@pytest.mark.usefixtures("slow")
def test_each_insert_commits_whatever_the_server_sets_for_all_sessions(request_of, connection):
    """Without autocommit, or in a transaction that the commit before began, they would be rolled back at the end."""
    globally = "SET GLOBAL autocommit = {}, GLOBAL completion_type = {}"
    with connection.cursor() as cursor:
        cursor.execute(globally.format(0, 1))
        try:
            result = loaded(request_of(workload="insert"))
        finally:
            cursor.execute(globally.format(1, 0))
    assert result.transactions and count(connection, "durascope_grown") == result.transactions


@pytest.mark.usefixtures("slow")
def test_each_insert_commits_though_init_connect_began_a_transaction(request_of, sandbox, connection):
    """It runs for accounts without SUPER only."""
    account = {"user": f"{SCHEMA}_u", "password": "only-For-3-this"}
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE USER {account['user']} IDENTIFIED BY '{account['password']}'")
        cursor.execute(f"GRANT ALL ON {SCHEMA}.* TO {account['user']}")
        cursor.execute("SET GLOBAL init_connect = 'START TRANSACTION'")
        try:
            result = loaded(request_of(workload="insert", target=replace(sandbox.target, **account)))
        finally:
            cursor.execute("SET GLOBAL init_connect = ''")
            cursor.execute(f"DROP USER {account['user']}")
    assert result.transactions and count(connection, "durascope_grown") == result.transactions


@pytest.mark.usefixtures("slow")
def test_a_second_run_on_a_grown_table_finds_its_keys_free(request_of, connection):
    request = request_of(workload="insert", params={"keys": "random"})
    first = loaded(request)
    time.sleep(1)  # keys hold the second of the start
    second = sysbench.run(request, lambda second: None, never)
    assert count(connection, "durascope_grown") == first.transactions + second.transactions


@pytest.mark.parametrize("percent", [0, 80])
def test_insert_ignore_meets_the_chosen_share_of_keys(request_of, connection, percent):
    """In a table that is large enough for what is put between its keys not to be met again."""
    request = request_of(workload="insert-ignore", params={"existing_percent": str(percent)}, table_rows=10_000)
    sysbench.prepare(request, never)
    before = count(connection, "durascope_spaced")
    result = sysbench.run(request, lambda second: None, never)
    added = count(connection, "durascope_spaced") - before
    chance = 5 * math.sqrt(percent / 100 * (1 - percent / 100) / result.transactions)  # five sigma: less than 1e-6
    assert added / result.transactions == pytest.approx(1 - percent / 100, abs=0.03 + chance)
    assert count(connection, "durascope_spaced", "id > 1000 * 10000 OR id < 1") == 0


def test_a_table_without_the_secondary_index_is_another_one(request_of, connection):
    sysbench.prepare(request_of(workload="replace", params={"index": "no"}, table_rows=1234), never)
    assert count(connection, "durascope_rows_plain") == 1234
    with connection.cursor() as cursor:
        assert cursor.execute(f"SHOW INDEX FROM {SCHEMA}.durascope_rows_plain") == 1  # the primary key


def test_durable_once_a_second_commits_once_a_second_and_loses_nothing(request_of, connection):
    request = request_of(workload="durable-once-a-second", seconds=2)
    sysbench.prepare(request, never)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {SCHEMA}.durascope_rows SET c = 'old'")
    before = commits(connection)
    result = sysbench.run(request, lambda second: None, never)
    assert result.transactions > 1000
    assert commits(connection) - before <= request.threads * (request.seconds + 2)
    assert count(connection, "durascope_rows", "c = 'old'") == 0  # the last transaction was committed too


@pytest.mark.usefixtures("slow")
def test_samples_arrive_while_it_runs(request_of):
    request = request_of(seconds=3)
    sysbench.prepare(request, never)
    told: list[LoadSecond] = []
    with pytest.raises(Cancelled):
        sysbench.run(replace(request, seconds=600), told.append, lambda: bool(told))
    told.clear()
    result = sysbench.run(request, told.append, never)
    assert told == list(result.seconds)[: len(told)]
    assert len(told) in (2, 3) and len(result.seconds) == 3, "the last second is worked out when it was not printed"
    assert [round(second.t_s) for second in result.seconds] == [1, 2, 3]
    steady = sum(second.tps for second in result.seconds) / len(result.seconds)
    assert steady == pytest.approx(result.transactions / result.elapsed_s, rel=0.5)


@pytest.mark.usefixtures("slow")
def test_a_cancelled_load_does_not_go_on_to_its_end_and_leaves_no_process(request_of):
    """Within two seconds on a quiet machine."""
    request = request_of(seconds=600)
    sysbench.prepare(request, never)
    stop = threading.Event()
    threading.Timer(1.0, stop.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        sysbench.run(request, lambda second: None, stop.is_set)
    assert time.monotonic() - began < 300
    assert not [name for name in _command_lines() if f"--mysql-db={SCHEMA}" in name]


@pytest.mark.usefixtures("slow")
def test_no_password_is_on_the_process_list(request_of, sandbox):
    request = request_of(seconds=2)
    sysbench.prepare(request, never)
    seen: list[str] = []
    result = sysbench.run(request, lambda second: seen.extend(_command_lines()), never)
    assert any(f"--mysql-db={SCHEMA}" in line for line in seen)
    assert not any(sandbox.target.password in line for line in seen)
    assert sandbox.target.password not in " ".join(result.argv) + result.output


def test_a_table_size_that_no_table_has_is_refused(request_of):
    with pytest.raises(PlanError):
        sysbench.run(request_of(workload="insert-ignore", params={"existing_percent": "abc"}), None, never)


def _command_lines() -> list[str]:
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return lines
