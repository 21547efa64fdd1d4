"""The declaration as data for workers/bench/lua/own_transaction.lua: one record a line, its fields divided by tabs.

The script reads it from an environment variable, and runs nothing of it as Lua. No field can hold a tab or a line end:
the check refuses control characters.
"""

from collections.abc import Iterator

from workers.transaction.declaration import Declaration, Statement, Table
from workers.transaction.values import BY_SERVER, Value

VARIABLE = "OWN_TRANSACTION"


def records(declaration: Declaration) -> str:
    return "\n".join("\t".join(map(str, one)) for one in _records(declaration))


def _records(declaration: Declaration) -> Iterator[tuple[object, ...]]:
    yield from (_value(one) for one in declaration.values.values())
    yield from (_table(one) for one in declaration.tables)
    for one in declaration.transactions:
        yield "transaction", one.weight
        yield from (_statement(declaration, statement) for statement in one.statements)


def _value(one: Value) -> tuple[object, ...]:
    if one.kind in BY_SERVER:
        return "value", one.name, "server", BY_SERVER[one.kind]
    return "value", one.name, one.kind, one.least, one.most, one.bytes, *one.of


def _table(one: Table) -> tuple[object, ...]:
    columns = ", ".join(f"`{column}`" for column in one.fill)
    return "table", one.name, one.rows, one.create, columns, *one.fill.values()


def _statement(declaration: Declaration, one: Statement) -> tuple[object, ...]:
    """A value of the server is written into the statement, every other one is a parameter."""
    by_server = declaration.by_server
    names = [name for name in one.values if name not in by_server]
    return "statement", one.sql(lambda name: by_server.get(name, "?")), *names
