"""When crash trials can be judged with an own transaction, and what a transaction must leave."""

import random

import numpy as np
import pytest

from tests.own_transactions import EXAMPLE
from tests.unit.servers.played import Played
from workers.crash.evidence import Seen
from workers.crash.own_load import FIRST, OwnLoad
from workers.crash.transactions import key, statements
from workers.errors import SandboxError
from workers.transaction.predict import why_not
from workers.transaction.preview import lines, shown
from workers.transaction.read import read

OWN = OwnLoad(read(EXAMPLE))
SECRET = b"s" * 16
INSERT = "INSERT INTO items (order_id, product, amount) VALUES (:order, :product, :amount)"
PAID = "UPDATE orders SET state = 'paid' WHERE id = :order"


def changed(old: str, new: str) -> str:
    assert old in EXAMPLE
    return why_not(read(EXAMPLE.replace(old, new, 1)))


def test_the_example_can_be_crashed():
    assert why_not(OWN.declaration) == ""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (PAID, "UPDATE customers SET name = 'x' WHERE id = :customer", "not found by the number"),
        (PAID, "UPDATE customers SET name = 'x' WHERE id = :order", "did not insert"),
        (PAID, "UPDATE orders SET customer = customer + 1 WHERE id = :order", "can be compared"),
        (PAID, "UPDATE orders SET id = :customer, state = 'paid' WHERE id = :order", "it changes id, which holds"),
        (PAID, "UPDATE orders SET state = 'paid' WHERE id = :order AND customer = :customer", "not found"),
        (PAID, "UPDATE orders SET state = 'paid' WHERE id = :order LIMIT 1", "not found"),
        (PAID, "UPDATE orders SET state = 'paid' WHERE customer = :order", "in id and in customer"),
        (PAID, "DELETE FROM orders WHERE id = :order", "not found"),
        (PAID, "UPDATE orders SET name = 'x' WHERE id = :order", "can be compared"),  # a column of another table
        (PAID, "UPDATE orders SET state, note = :note WHERE id = :order", "it is not: UPDATE"),
        (PAID, "UPDATE orders SET state = , note = :note WHERE id = :order", "it is not: UPDATE"),
        (PAID, "UPDATE orders SET state + 'paid', note = :note WHERE id = :order", "it is not: UPDATE"),
        (INSERT, "INSERT INTO items SET order_id = :order", "not one row"),
        (INSERT, "INSERT INTO items () VALUES ()", "not one row"),
        (INSERT, INSERT.replace("VALUES", "SET"), "not one row"),
        (INSERT, INSERT.replace(":product", ""), "not one row"),
        (INSERT, INSERT.replace(":order", ":order + 1"), "does not hold the number"),
        (INSERT, "INSERT INTO items (product, amount) VALUES (:product, :amount)", "does not hold the number"),
        (INSERT, "INSERT INTO items (order_id, product, amount) VALUES (:customer, :product, 1)", "does not hold"),
        (INSERT, INSERT + " ON DUPLICATE KEY UPDATE amount = 1", "not one row"),
        (INSERT, INSERT.replace("INTO", "IGNORE INTO"), "not one row"),
        (INSERT, INSERT + ", (:order, :product, :amount)", "not one row"),
        (INSERT, "INSERT INTO items VALUES (1, :order, :product, :amount)", "not one row"),
        ("order_id BIGINT", "order_id INT", "does not hold the number"),
        ('name = "order after a look"', 'name = "order"', "a name of its own"),
        (INSERT, INSERT.replace("INSERT", "REPLACE"), "may delete rows of other transactions. Write INSERT"),
        (INSERT, INSERT + " ON DUPLICATE KEY UPDATE amount = ABS(1)", "not one row"),
        (PAID, PAID.replace("UPDATE", "UPDATE IGNORE"), "not found"),
        ("note VARCHAR(40)", "note VARCHAR(39)", "note of orders is too small for its content"),
        ("note VARCHAR(40)", "note CHAR", "note of orders is too small"),
        ("product VARCHAR(20)", "product VARCHAR(4)", "product of items is too small"),
        ("state VARCHAR(10)", "state CHAR(3)", "state of orders is too small"),
        ("amount INT", "amount TINYINT UNSIGNED", "amount of items is too small"),
        (INSERT, INSERT.replace(":amount", "2147483648"), "amount of items is too small"),
        (INSERT, INSERT.replace(":amount", ":order"), "amount of items is too small"),
        ("KEY of_order (order_id)", "FOREIGN KEY (product) REFERENCES orders (id, state)", "that a foreign key refers"),
        ("product VARCHAR(20)", "product VARCHAR(20) REFERENCES orders ON UPDATE CASCADE", "that a foreign key refers"),
    ],
)
def test_a_transaction_that_cannot_be_judged_is_refused_with_the_reason(old, new, why):
    assert why in changed(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("amount INT", "amount SMALLINT"),
        (INSERT, INSERT.replace(":amount", "2147483647")),
        ("amount INT", "amount INT(2) UNSIGNED"),
        ("product VARCHAR(20)", "product VARCHAR(5)"),
        ("note VARCHAR(40)", "note TEXT"),
        ("KEY of_order (order_id)", "FOREIGN KEY (order_id) REFERENCES orders (id) ON UPDATE CASCADE"),
        ("order_id BIGINT NOT NULL", "order_id BIGINT NOT NULL DEFAULT 9"),
        ("KEY of_order (order_id)", "FOREIGN KEY (product) REFERENCES customers (name)"),
        (PAID, "UPDATE orders SET state = 'paid', customer = customer + 1 WHERE id = :order"),
    ],
)
def test_a_content_that_every_server_stores_as_it_was_sent_can_be_judged(old, new):
    assert changed(old, new) == ""


@pytest.mark.parametrize(
    ("column", "largest"),
    [
        ("TINYINT", 127),
        ("SMALLINT", 32_767),
        ("SMALLINT UNSIGNED", 65_535),
        ("MEDIUMINT", 8_388_607),
        ("INTEGER", 2_147_483_647),
    ],
)
def test_the_largest_number_of_each_type_can_be_judged_and_no_larger_one(column, largest):
    def told(number):
        return why_not(read(EXAMPLE.replace("amount INT", f"amount {column}").replace(":amount", str(number))))

    assert told(largest) == "" and "amount of items is too small" in told(largest + 1)


def test_a_char_without_a_length_holds_one_letter():
    one, two = (
        why_not(read(EXAMPLE.replace("note VARCHAR(40)", "note CHAR").replace(":note", text)))
        for text in ("'a'", "'ab'")
    )
    assert one == "" and "note of orders is too small" in two


def test_a_column_is_not_taken_for_the_value_of_its_name():
    text = EXAMPLE.replace("order    =", "id =").replace('"order", name', '"id", name').replace(":order", ":id")
    assert why_not(read(text)) == ""
    assert "does not hold the number" in why_not(read(text.replace("(:id, :product", "(id, :product")))


def test_a_statement_whose_line_is_not_known_is_refused_without_one():
    """It is written with an escape of TOML."""
    assert "own transaction: its rows are not found" in changed(PAID, r"DELETE FROM orders WHERE id = :orde\u0072")


@pytest.mark.parametrize(
    ("number", "fill", "is_judged"),
    [
        ("BIGINT", 'order_id = "order"', True),
        ("BIGINT DEFAULT 5", 'order_id = "customer"', True),
        ("BIGINT", 'amount = "amount"', True),
        ("BIGINT DEFAULT 99999999999999", 'amount = "amount"', False),
        ("BIGINT", 'order_id = "at"', False),
        ("BIGINT", 'order_id = "product"', False),
    ],
)
def test_first_rows_that_may_look_like_rows_of_a_transaction_are_refused(number, fill, is_judged):
    text = EXAMPLE.replace("order_id BIGINT NOT NULL", f"order_id {number}")
    told = why_not(read(text.replace("[[transactions]]", f"rows = 3\nfill = {{ {fill} }}\n[[transactions]]", 1)))
    assert ("may hold any number in order_id" in told) is not is_judged


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        ("amount INT NOT NULL", "amount INT UNIQUE AUTO_INCREMENT", "amount"),  # it takes 0 for the next number
        (INSERT, INSERT.replace(":product", "1.50"), "product"),
        (INSERT, INSERT.replace(":product", "7"), "product"),
        (INSERT, INSERT.replace(":amount", "'7'"), "amount"),
        (INSERT, INSERT.replace(":amount", "1.50"), "amount"),
        (INSERT, INSERT.replace(":amount", ":amount + 1"), "amount"),
        (INSERT, INSERT.replace(":product", ":at"), "product"),  # only the server knows it
        ("amount INT", "amount DECIMAL(1, 0)", "amount"),
    ],
)
def test_a_content_that_a_server_may_store_otherwise_is_not_compared(old, new, column):
    own = OwnLoad(read(EXAMPLE.replace(old, new, 1)))
    assert column not in own.prediction.columns("items") and "order_id" in own.prediction.columns("items")


def test_the_rows_after_each_change_are_known():
    """An UPDATE changes the row that was inserted, and adds none."""
    drawn = {"order": 7, "customer": 3, "note": "it's", "product": "pear", "amount": 9}
    own = OwnLoad(read(EXAMPLE.replace(PAID, "UPDATE orders SET state = 'o''k', customer = 007 WHERE id = :order")))
    new = {"id": "7", "customer": "3", "state": "new", "note": "it's", "placed_at": None}
    item = {"order_id": "7", "product": "pear", "amount": "9"}
    assert own.prediction.states("order", drawn) == [
        {"orders": (new,)},
        {"orders": (new,), "items": (item,)},
        {"orders": ({**new, "state": "o'k", "customer": "7"},), "items": (item,)},
    ]
    assert own.prediction.columns("items") == ["amount", "order_id", "product"]


def left(one: int, until: int | None = None) -> dict:
    """The own rows of a transaction, up to one of its statements."""
    chosen, drawn = OWN.drawn(SECRET, one >> 40, one & (FIRST - 1))
    states = OWN.prediction.states(chosen.name, drawn)
    return {one: states[len(states) - 1 if until is None else until]}


def first_with(statements: int) -> int:
    numbers = (key(3, n) for n in range(1, 100))
    return next(one for one in numbers if len(OWN.drawn(SECRET, 3, one & (FIRST - 1))[0].statements) == statements)


def seen(found: dict, whole: int) -> Seen:
    return OWN.seen(Seen(np.array([whole], dtype=np.int64)), found, SECRET)


def test_a_whole_transaction_is_whole():
    for one in (first_with(3), first_with(2)):
        assert seen(left(one), one).whole.tolist() == [one]
        assert not len(seen(left(one), one).parts) and not len(seen(left(one), one).altered)


@pytest.mark.parametrize("statements", [0, 1])
def test_a_transaction_without_its_last_statements_is_there_in_part(statements):
    one = first_with(3)
    found = seen(left(one, statements), one)
    assert (found.whole.tolist(), found.parts.tolist(), found.altered.tolist()) == ([], [one], [])


def test_own_rows_without_those_of_the_ledger_are_a_part():
    one = first_with(3)
    found = OWN.seen(Seen(np.array([], dtype=np.int64)), left(one), SECRET)
    assert found.parts.tolist() == [one]


def test_a_transaction_without_any_own_row_is_a_part():
    one = first_with(3)
    assert seen({}, one).parts.tolist() == [one]


def test_rows_of_the_last_statement_without_those_of_an_earlier_one_are_a_part():
    one = first_with(3)
    rows = {**left(one)[one], "items": ()}
    assert seen({one: rows}, one).parts.tolist() == [one]


def test_a_transaction_that_only_reads_is_whole_without_an_own_row():
    """Another one writes."""
    own = OwnLoad(read(EXAMPLE[: EXAMPLE.rindex('    "INSERT')] + "]"))
    one = next(key(3, n) for n in range(1, 100) if not own.drawn(SECRET, 3, n)[0].writes)
    assert own.seen(Seen(np.array([one])), {}, SECRET).whole.tolist() == [one]


def test_another_content_is_altered():
    one = first_with(3)
    rows = left(one)
    [item] = rows[one]["items"]
    rows[one] = {**rows[one], "items": ({**item, "amount": "501"},)}
    assert seen(rows, one).altered.tolist() == [one]


def test_a_row_too_many_is_altered_and_spaces_at_the_end_of_a_text_are_nothing():
    one = first_with(3)
    rows = left(one)
    [item] = rows[one]["items"]
    rows[one] = {**rows[one], "items": (item, item)}
    assert seen(rows, one).altered.tolist() == [one]
    spaced = {name: text and f"{text}  " for name, text in item.items()}
    assert seen({one: {**left(one)[one], "items": (spaced,)}}, one).whole.tolist() == [one]


def test_an_empty_text_may_be_stored_as_null():
    """With the sql_mode EMPTY_STRING_IS_NULL."""
    own, one = OwnLoad(read(EXAMPLE.replace("'new'", "''"))), first_with(2)
    chosen, drawn = OWN.drawn(SECRET, 3, one & (FIRST - 1))
    [rows] = own.prediction.states(chosen.name, drawn)
    [order] = rows["orders"]
    found = {one: {"orders": ({**order, "state": None},)}}
    assert own.seen(Seen(np.array([one], dtype=np.int64)), found, SECRET).whole.tolist() == [one]


def test_every_client_and_number_writes_another_transaction_and_the_same_one_again():
    first, again, other, next_one = (
        OWN.write(secret, client, [n])[0]
        for secret, client, n in ((SECRET, 1, 5), (SECRET, 1, 5), (b"t" * 16, 1, 5), (SECRET, 1, 6))
    )
    assert first == again and len({first, other, next_one}) == 3
    assert (first[0], first[-1]) == (b"BEGIN", b"COMMIT")


def test_reads_are_not_sent_and_only_values_of_writes_are_drawn():
    """Nor a value that the server makes."""
    own = OwnLoad(read(EXAMPLE.replace("WHERE id = :customer", "WHERE name = :product")))
    assert not any(b"SELECT" in sql for sent in own.write(SECRET, 1, range(1, 50)) for sql in sent)
    drawn = {chosen.name: set(values) for chosen, values in (own.drawn(SECRET, 1, n) for n in range(1, 50))}
    of_order = {"order", "customer", "note"}
    assert drawn == {"order": {*of_order, "product", "amount"}, "order after a look": of_order}


def test_of_large_transactions_only_a_few_are_prepared_at_once():
    """Else each client holds gigabytes. The client asks for the others later."""
    large = EXAMPLE.replace("length = 40", "length = 1000").replace("note VARCHAR(40)", "note TEXT")
    text = large.replace("'new', :note", f"'new', CONCAT({', '.join([':note'] * 150)})", 1)
    assert len(OWN.write(SECRET, 1, range(1, 129))) == 128
    assert 1 <= len(OwnLoad(read(text)).write(SECRET, 1, range(1, 129))) <= 7


@pytest.mark.parametrize("n", [1, 3, 4, 10], ids=["explicit", "explicit, three rows", "two tables", "one statement"])
def test_the_own_statements_stand_between_those_of_the_ledger_and_the_commit(n):
    """The rows of the ledger are the same as without them, and one transaction holds all."""
    [written], [ledger] = OWN.write(SECRET, 1, [n]), statements(SECRET, 1, [n])
    rows = [sql for sql in ledger if sql not in (b"BEGIN", b"COMMIT")]
    assert [written[0], *written[1 : len(rows) + 1], written[-1]] == [b"BEGIN", *rows, b"COMMIT"]
    own = [sql.decode() for sql in written[len(rows) + 1 : -1]]
    chosen, drawn = OWN.drawn(SECRET, 1, n)
    assert [sql.split()[0] for sql in own] == [one.verb for one in chosen.statements if one.verb != "SELECT"]
    assert str(FIRST + key(1, n)) in own[0] and "\0" not in "".join(own)
    assert drawn["order"] == FIRST + key(1, n)
    assert f" VALUES ({drawn['order']}, {drawn['customer']}, 'new', " in own[0]


def made(engines, engine="InnoDB"):
    server = Played({"SELECT table_name": engines, "": []})
    server.select_db = lambda schema: server.said.append(("USE", schema))
    OWN.make(server, "shop", engine)
    return server.said


def test_the_own_tables_are_made_filled_and_looked_at():
    assert OWN.tables == tuple(table.name for table in OWN.declaration.tables)
    said = made([(name.encode(), "INNODB") for name in OWN.tables])
    chance = random.Random(1)
    filled = [sql for table in OWN.declaration.tables for sql in OWN.declaration.fill(table, chance)]
    assert said[0] == ("USE", "shop") and said[-1][1] == ["shop"]
    assert [sql for sql, _ in said[1:-1]] == [*OWN.declaration.create("InnoDB"), *filled]


@pytest.mark.parametrize("engines", [[], [(name, "Aria") for name in OWN.tables]])
def test_a_table_in_another_engine_is_not_crashed(engines):
    with pytest.raises(SandboxError, match=f"The table {OWN.tables[0]} is not in InnoDB"):
        made(engines)


def test_the_preview_shows_every_statement_with_values_and_says_whether_it_can_be_crashed():
    text = shown(OWN.declaration)
    assert ":" not in "".join(one for one in lines(OWN.declaration) if not one.startswith("--"))
    assert "order: 90 % of transactions" in text and "Crash trials can be judged" in text
    told = shown(read(EXAMPLE.replace(PAID, "DELETE FROM items WHERE amount = 3")))
    line = EXAMPLE[: EXAMPLE.index(PAID)].count("\n") + 1
    assert f"cannot be judged with your own transaction: line {line}: " in told


def test_a_text_of_a_statement_is_never_taken_for_a_placeholder():
    odd = "{order} {0} %s :order \\N{BULLET}".replace("\\", "")
    own = OwnLoad(read(EXAMPLE.replace("'new'", f"'{odd}'")))
    for sql in own.write(SECRET, 1, range(1, 20)):
        assert any(odd.encode() in one for one in sql)


def test_values_are_what_they_say():
    values, chance = OWN.declaration.values, random.Random(1)
    drawn = [OWN.declaration.drawn(chance, n) for n in range(1, 2000)]
    assert [one["order"] for one in drawn] == list(range(1, 2000))
    assert {one["product"] for one in drawn} == set(values["product"].of)
    assert min(one["amount"] for one in drawn) == 1 and max(one["amount"] for one in drawn) == 500
    customers = [one["customer"] for one in drawn]
    assert min(customers) == 1 and max(customers) <= 1000 and sum(one <= 10 for one in customers) > 400


def test_own_rows_are_read_by_the_number_of_their_transaction():
    """As text, whatever the driver makes of them; a table that the crash took away has none."""
    columns = OWN.prediction.columns("orders")
    rows = [(FIRST + 5, *(None if n else b"paid" for n in range(len(columns)))), (str(FIRST + 6), *[7] * len(columns))]
    server = Played({"SELECT table_name": [("orders", "InnoDB")], "SELECT `": rows})
    found = OWN.found(server, "shop")
    first = {column: None if n else "paid" for n, column in enumerate(columns)}
    assert found == {5: {"orders": (first,)}, 6: {"orders": (dict.fromkeys(columns, "7"),)}}
    assert len(server.said) == 2 and server.said[0][1] == ["shop"] and "`shop`.`orders`" in server.said[1][0]
