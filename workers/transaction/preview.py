"""A transaction with example values, for readers."""

import random
from collections.abc import Iterator

from workers.transaction.declaration import Declaration
from workers.transaction.predict import why_not
from workers.transaction.tokens import SqlToken, written
from workers.transaction.values import Value
from workers.transaction.whole_tables import notes

NOT_ASKED = "No server was asked to explain the statements: the tables are made when the measurement begins."
CAN = "Crash trials can be judged with it: after a crash the rows of each statement are there together, or none is."


def lines(declaration: Declaration, seed: int = 1) -> Iterator[str]:
    chance = random.Random(seed)  # noqa: S311 - an example
    total = sum(one.weight for one in declaration.transactions)
    for table in declaration.tables:
        yield table.create
        yield f"-- {table.rows:,} rows at the beginning"
    for number, transaction in enumerate(declaration.transactions, start=1):
        share = f"{100 * transaction.weight / total:.3g} % of transactions"
        yield f"-- {transaction.name}: {share}"
        as_literal = declaration.as_literal(declaration.drawn(chance, number))
        many = len(transaction.statements) > 1
        yield from ["BEGIN"] if many else []
        yield from (statement.sql(as_literal) for statement in transaction.statements)
        yield from ["COMMIT"] if many else []


def shown(declaration: Declaration) -> str:
    found = [*notes(declaration)]
    says = "By the text, these use no key:" if found else "By the text, none of them lacks a key."
    whole_tables = "\n".join((f"{NOT_ASKED} {says}", *found))
    return "\n\n".join((why_not(declaration) or CAN, whole_tables, "\n".join(lines(declaration))))


def for_guests(declaration: Declaration) -> Iterator[str]:
    """The statements without comments and without the texts and numbers that the file holds."""
    for table in declaration.tables:
        yield f"TABLE {table.name} ({', '.join(f'{name} {column.kind}' for name, column in table.columns.items())})"
    yield from (f":{one.name} is {_of_kind(one)}" for one in declaration.values.values())
    for number, transaction in enumerate(declaration.transactions, start=1):
        yield f"-- transaction {number}, weight {transaction.weight}"
        for statement in transaction.statements:
            yield written([_without_literal(one) for one in statement.tokens], lambda name: f":{name}")


def _of_kind(value: Value) -> str:
    return f"one of {len(value.of)} texts" if value.kind == "pick" else value.kind


def _without_literal(token: SqlToken) -> SqlToken:
    instead = {"text": "[text]", "number": "[number]"}.get(token.kind)
    return SqlToken("text", instead, token.at) if instead else token
