"""A person's own transaction on a real server through the real sysbench."""

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.own_transactions import EXAMPLE
from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.bench.workloads import OWN
from workers.errors import DurascopeError, SandboxError
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection

SCHEMA = f"durascope_own_{secrets.token_hex(4)}"


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, sandbox: Sandbox, sandbox_root: Path) -> Iterator[Sandbox]:
    """MariaDB of the system, unless a test asks for a build by name. What is not installed is skipped."""
    if not (key := getattr(request, "param", "")):
        yield sandbox
        return
    try:
        build = builds.find(key)
    except SandboxError as absent:
        pytest.skip(str(absent))
    with Sandbox.create(sandbox_root, build, {"log_bin": "ON"}, name="own") as made:
        yield made


@pytest.fixture
def link(server: Sandbox) -> Iterator[Connection]:
    with connect(server.target) as opened:
        ask.rows(opened, f"CREATE SCHEMA {SCHEMA}")
        yield opened
        ask.rows(opened, f"DROP SCHEMA {SCHEMA}")


@pytest.fixture
def asked(server: Sandbox, link: Connection) -> LoadRequest:
    return LoadRequest(server.target, SCHEMA, OWN, {"file": EXAMPLE}, "innodb", 500, 4, 1, 7)


def count(link: Connection, what: str) -> Any:
    return ask.value(link, f"SELECT COUNT(*) FROM {SCHEMA}.{what}")


@pytest.mark.parametrize("server", ["", "mysql-8.0.33"], indirect=True)
def test_the_load_runs_the_statements_of_the_example_and_nothing_else(asked, link):
    sysbench.prepare(asked, lambda: False)
    assert (count(link, "customers"), count(link, "orders")) == (1000, 0)
    done = [sysbench.run(one, lambda second: None, lambda: False) for one in (asked, replace(asked, seed=9))]
    sent = sum(one.transactions for one in done)
    assert count(link, "orders") == count(link, "items") + count(link, "orders WHERE state = 'new'") == sent > 100
    assert count(link, f"items i JOIN {SCHEMA}.orders o ON o.id = i.order_id WHERE o.state = 'paid'") > 0.8 * sent
    assert count(link, "items WHERE amount NOT BETWEEN 1 AND 500 OR product NOT IN ('apple', 'pear', 'plum')") == 0
    assert count(link, "customers WHERE CHAR_LENGTH(name) <> 40") == 0
    assert count(link, "orders WHERE customer <= 10") > 0.2 * sent, "small numbers come more often"
    assert not any("apple" in argument for argument in done[0].argv)
    sysbench.prepare(asked, lambda: False)
    assert (count(link, "customers"), count(link, "orders")) == (1000, 0)


def test_texts_arrive_as_they_are_written_and_every_kind_of_value_is_bound(asked, link):
    """Quotes, words of Lua and of a shell, and a placeholder inside of a text."""
    nasty = "it''s ]] .. os.execute('touch /tmp/x') -- $(id) `id` %s :order"
    text = f'''
        title = "kinds"
        [values]
        order = {{ kind = "sequence" }}
        pick = {{ kind = "pick", of = ["{nasty.replace("''", "'")}"] }}
        key = {{ kind = "uuid" }}
        last = {{ kind = "last-insert-id" }}
        [[tables]]
        create = """CREATE TABLE parents (
            id BIGINT AUTO_INCREMENT PRIMARY KEY, number BIGINT, t VARCHAR(200), u CHAR(36)
        )"""
        rows = 3
        fill = {{ t = "pick", u = "key" }}
        [[tables]]
        create = "CREATE TABLE children (parent BIGINT PRIMARY KEY, t VARCHAR(200))"
        [[transactions]]
        statements = [
            "INSERT INTO parents (number, t, u) VALUES (:order, :pick, :key)",
            "INSERT INTO children (parent, t) VALUES (:last, '%s [[ '':order'' ]]')",
        ]
    '''
    request = replace(asked, params={"file": text})
    sysbench.prepare(request, lambda: False)
    sysbench.run(request, lambda second: None, lambda: False)
    texts = {ask.as_text(one) for (one,) in ask.rows(link, f"SELECT DISTINCT t FROM {SCHEMA}.parents")}
    assert texts == {nasty.replace("''", "'")}
    assert ask.rows(link, f"SELECT DISTINCT t FROM {SCHEMA}.children") == [("%s [[ ':order' ]]",)]
    keys = ask.rows(link, f"SELECT COUNT(DISTINCT u), COUNT(*) FROM {SCHEMA}.parents WHERE LENGTH(u) = 36")[0]
    assert keys[0] == keys[1] > 100
    assert count(link, "children") == count(link, f"parents p JOIN {SCHEMA}.children c ON c.parent = p.id")


def test_a_statement_that_the_server_refuses_is_named(asked, link):
    text = EXAMPLE.replace("state VARCHAR(10)", "state VARCHAR(2)")
    request = replace(asked, params={"file": text})
    sysbench.prepare(request, lambda: False)
    with pytest.raises(DurascopeError, match="state"):
        sysbench.run(request, lambda second: None, lambda: False)


@pytest.mark.parametrize("server", ["", "mysql-8.0.33"], indirect=True)
def test_tables_as_show_create_table_prints_them_are_made_again_in_the_order_of_their_keys(asked, link):
    """The file names the table with the foreign key first. Its second preparation drops both."""
    at = "at_ TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)"
    made = {
        "customers": "id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) CHARACTER SET latin1 COMMENT 'it''s; so',"
        f"kind ENUM('a','b') DEFAULT 'b', marks SET('x','y'), {at}, UNIQUE KEY once USING BTREE (id, name(4))",
        "orders": "id BIGINT PRIMARY KEY, customer BIGINT, price DECIMAL(10,2) DEFAULT 0.5, KEY of_customer (customer),"
        "FOREIGN KEY (customer) REFERENCES customers (id) ON DELETE SET NULL ON UPDATE CASCADE",
    }
    ask.rows(link, f"USE {SCHEMA}")
    for table, inside in made.items():
        ask.rows(link, f"CREATE TABLE {table} ({inside}) COMMENT='of a shop' DEFAULT CHARSET=utf8mb4")
    ask.rows(link, "INSERT INTO customers (id) VALUES (41)")
    printed = {one: ask.as_text(ask.rows(link, f"SHOW CREATE TABLE {one}")[0][1]) for one in made}
    assert "AUTO_INCREMENT=42" in printed["customers"] and "CONSTRAINT" in printed["orders"]
    text = f'''
        title = "printed"
        [values]
        n = {{ kind = "sequence" }}
        name = {{ kind = "string", length = 10 }}
        customer = {{ kind = "uniform", most = 5 }}
        [[tables]]
        create = """{printed["orders"]}"""
        [[tables]]
        create = """{printed["customers"]}"""
        rows = 5
        fill = {{ name = "name" }}
        [[transactions]]
        statements = ["INSERT INTO orders (id, customer) VALUES (:n, :customer)"]
    '''
    request = replace(asked, params={"file": text})
    for _ in range(2):
        sysbench.prepare(request, lambda: False)
        assert ask.rows(link, "SELECT MIN(id), MAX(id) FROM customers") == [(1, 5)]
        sysbench.run(request, lambda second: None, lambda: False)
        assert count(link, "orders") == count(link, f"orders o JOIN {SCHEMA}.customers c ON c.id = o.customer") > 100
    again = {one: ask.as_text(ask.rows(link, f"SHOW CREATE TABLE {one}")[0][1]) for one in made}
    assert again["orders"] == printed["orders"]
    assert again["customers"].replace("AUTO_INCREMENT=6", "AUTO_INCREMENT=42") == printed["customers"]
