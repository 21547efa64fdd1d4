"""Statements that read or change a whole table are named before the start."""

import pytest

from tests.own_transactions import EXAMPLE
from workers.transaction.preview import shown
from workers.transaction.read import read
from workers.transaction.whole_tables import notes

LOOK = "SELECT name FROM customers WHERE id = :customer"
LINE = EXAMPLE[: EXAMPLE.index(LOOK)].count("\n") + 1
NO_KEY = "no key of {} begins with a column that it compares, so every row is read"


def told(statement: str) -> list[str]:
    return [one.removeprefix(f"line {LINE}: ") for one in notes(read(EXAMPLE.replace(LOOK, statement)))]


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        (
            "UPDATE customers SET name = 'x' WHERE TRUE",
            "it changes every row of customers, because its condition names no",
        ),
        ("DELETE FROM items WHERE 1 = 1", "it deletes every row of items, because its condition names no column"),
        ("SELECT COUNT(*) FROM items", "it reads every row of items, because it has no WHERE"),
        (
            "DELETE FROM customers WHERE name = :note",
            f"{NO_KEY.format('customers')} and locked, 1,000 at the beginning",
        ),
        ("SELECT id FROM items WHERE amount > 3 FOR UPDATE", f"{NO_KEY.format('items')} and locked"),
        ("DELETE FROM items WHERE order_id = :order OR amount = 3", NO_KEY.format("items")),
        ("SELECT id FROM items WHERE order_id + 1 = :order", NO_KEY.format("items")),
        ("SELECT id FROM items WHERE LENGTH(order_id) = 3", NO_KEY.format("items")),
        ("SELECT amount FROM orders JOIN items ON amount = state WHERE customer = :customer", NO_KEY.format("items")),
    ],
)
def test_a_statement_without_a_usable_key_is_named(statement, why):
    (found,) = told(statement)
    assert found.startswith(why)


@pytest.mark.parametrize(
    "statement",
    [
        LOOK,
        "SELECT id FROM items WHERE (order_id = :order) AND amount > 3",
        "SELECT id FROM items WHERE amount > 3 AND :order = order_id",
        "SELECT id FROM items WHERE order_id = :order OR id IN (3, 4)",
        "SELECT id FROM items WHERE order_id BETWEEN 1 AND 3 ORDER BY amount",
        "SELECT name FROM customers LIMIT 1",
        "SELECT 1 + 1",
        "SELECT amount FROM items JOIN orders ON order_id = customer WHERE customer = :customer",
        "UPDATE orders SET state = 'paid' WHERE id IN (SELECT order_id FROM items WHERE product = 'pear')",
    ],
)
def test_a_statement_that_finds_its_rows_by_a_key_is_not_named(statement):
    assert told(statement) == []


def test_the_preview_says_that_no_server_was_asked():
    assert "No server was asked to explain" in shown(read(EXAMPLE)) and "none of them lacks a key" in shown(
        read(EXAMPLE)
    )
    assert f"line {LINE}: it changes every row" in shown(
        read(EXAMPLE.replace(LOOK, "UPDATE items SET amount = 1 WHERE 1"))
    )
