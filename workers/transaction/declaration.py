"""A person's own transaction as checked values."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from workers.transaction.tokens import SqlToken, written
from workers.transaction.values import BY_SERVER, Drawn, Value, literal


@dataclass(frozen=True)
class TableColumn:
    """`kind`: its type in capitals. `length`: the number in brackets after it; 0: none. `words`: all of them, in
    capitals."""

    kind: str
    length: int
    words: frozenset[str]


@dataclass(frozen=True)
class Table:
    """`create`: without an engine. `engine`: that the file names, or "". `keys`: columns with which a key begins.
    `refers`: table and column of each foreign key. `fill`: column -> name of the value that its first rows get."""

    name: str
    create: str
    engine: str
    columns: Mapping[str, TableColumn]
    keys: frozenset[str]
    refers: frozenset[tuple[str, str]]
    rows: int
    fill: Mapping[str, str]


@dataclass(frozen=True)
class Statement:
    """`verb`: INSERT, REPLACE, UPDATE, DELETE or SELECT."""

    verb: str
    tokens: tuple[SqlToken, ...]
    line: int

    def sql(self, placeholder: Callable[[str], str]) -> str:
        return written(list(self.tokens), placeholder)

    @property
    def values(self) -> list[str]:
        """Names, in the order in which they stand."""
        return [token.text for token in self.tokens if token.kind == "value"]


@dataclass(frozen=True)
class Transaction:
    name: str
    weight: int
    statements: tuple[Statement, ...]

    @property
    def writes(self) -> list[Statement]:
        return [one for one in self.statements if one.verb != "SELECT"]


@dataclass(frozen=True)
class Declaration:
    """Checked by workers.transaction.read. `tables`: each after those that its foreign keys refer to."""

    title: str
    values: Mapping[str, Value]
    tables: tuple[Table, ...]
    transactions: tuple[Transaction, ...]

    @property
    def rows(self) -> int:
        """Of all tables at the beginning."""
        return sum(table.rows for table in self.tables)

    def table(self, name: str) -> Table:
        return next(table for table in self.tables if table.name == name)

    @cached_property
    def by_server(self) -> dict[str, str]:
        """Name of a value that only the server knows -> SQL."""
        return {name: BY_SERVER[one.kind] for name, one in self.values.items() if one.kind in BY_SERVER}

    def drawn(self, chance: random.Random, number: int) -> dict[str, Drawn]:
        """Every value that is not the server's, for the transaction with this number."""
        return self._drawn(self.values, chance, number)

    def _drawn(self, names: Iterable[str], chance: random.Random, number: int) -> dict[str, Drawn]:
        return {name: self.values[name].drawn(chance, number) for name in names if name not in self.by_server}

    def as_literal(self, drawn: Mapping[str, Drawn]) -> Callable[[str], str]:
        """Name of a value -> SQL."""
        return lambda name: self.by_server.get(name) or literal(drawn[name])

    def create(self, engine: str) -> Iterator[str]:
        yield from (f"{table.create} ENGINE = {engine}" for table in self.tables)

    def fill(self, table: Table, chance: random.Random, at_once: int = 500) -> Iterator[str]:
        """The INSERTs of a table's first rows. A sequence counts the rows from 1."""
        columns = ", ".join(f"`{column}`" for column in table.fill)
        head = f"INSERT INTO `{table.name}` ({columns}) VALUES "  # noqa: S608 - checked names
        for first in range(1, table.rows + 1, at_once):
            numbers = range(first, min(first + at_once, table.rows + 1))
            yield head + ", ".join(self._row(table, chance, number) for number in numbers)

    def _row(self, table: Table, chance: random.Random, number: int) -> str:
        names = table.fill.values()
        drawn = self._drawn(dict.fromkeys(names), chance, number)
        return f"({', '.join(map(self.as_literal(drawn), names))})"
