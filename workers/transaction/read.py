"""Reads the file of an own transaction. An error (PlanError) names the line, the place and the reason."""

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import TypeVar, get_args

from workers.errors import PlanError
from workers.toml.table import TomlTable
from workers.transaction import sql
from workers.transaction.declaration import Declaration, Statement, Table, Transaction
from workers.transaction.tokens import NAME, BadSql
from workers.transaction.values import KEYS, Value, ValueKind

FILE = "Your own transaction"
MOST_CHARACTERS = 16_000
MOST_VALUES, MOST_TABLES, MOST_TRANSACTIONS, MOST_STATEMENTS = 40, 8, 10, 20
LONGEST_SQL, LONGEST_TITLE = 2000, 80
MOST_WEIGHT = 1000
MOST_ROWS, MOST_FILL_BYTES = 1_000_000, 256 << 20
Made = TypeVar("Made", Table, Statement)


class Lines:
    """Entries are looked for in their order, so that equal ones are not taken for each other."""

    def __init__(self, text: str) -> None:
        self._text, self._from = text, 0

    def line_of(self, found: str) -> int:
        """0: not known, because it is written otherwise than it is read."""
        at = self._text.find(found, self._from) if found else -1
        if at < 0:
            return 0
        self._from = at
        return self._text.count("\n", 0, at) + 1

    def passed(self, found: str) -> None:
        """Everything that follows lies behind it."""
        if self.line_of(found):
            self._from += len(found)

    def wrong(self, table: TomlTable, key: str, found: str, refused: BadSql) -> PlanError:
        line = self.line_of(found)
        where = f"line {line + found.count(chr(10), 0, refused.at)}, " if line else ""
        return PlanError(f"{table.file}: {where}{table.path}.{key}: {refused.says}.", "Nothing was started.")


@lru_cache(maxsize=32)
def read(text: str) -> Declaration:
    """Raises PlanError."""
    text = text.removeprefix("\ufeff")
    if len(text) > MOST_CHARACTERS:
        raise PlanError(f"{FILE} has {len(text):,} characters, at most {MOST_CHARACTERS:,} are read.", "Shorten it.")
    if not text.strip():
        raise PlanError(f"{FILE} is empty.", "Paste or upload the file. docs/own-transaction.md has an example.")
    try:
        return _read(TomlTable(FILE, "", tomllib.loads(text)), Lines(text))
    except (ValueError, RecursionError) as error:  # also numbers of more digits than Python writes
        raise PlanError(f"{FILE} is not valid TOML: {error}.", "Correct the line that is named.") from error
    except PlanError as refused:
        raise PlanError(with_line(text, FILE, refused.message), refused.fix) from refused


def _read(table: TomlTable, lines: Lines) -> Declaration:
    table.only(("title", "values", "tables", "transactions"))
    values = {one.name: one for one in _values(table)}
    tables = _tables(table, values, lines)
    transactions = tuple(_transactions(table, tables, values, lines))
    if all(one.verb == "SELECT" for transaction in transactions for one in transaction.statements):
        raise table.wrong("transactions", "only read", "A load that changes nothing commits nothing. Add a write.")
    return Declaration(_title(table), values, tables, transactions)


def _title(table: TomlTable) -> str:
    title = table.text("title").strip()
    if not 1 <= len(title) <= LONGEST_TITLE or not title.isprintable():
        raise table.wrong("title", "is empty, too long or not printable", f"Write at most {LONGEST_TITLE} characters.")
    return title


def _values(table: TomlTable) -> Iterator[Value]:
    known = table.table("values", {})
    _few(known, "", len(known.data), 0, MOST_VALUES, "values")
    for name in known.data:
        one = known.table(name)
        if not NAME.fullmatch(name) or name != name.lower():
            raise known.wrong(name[:80], "is no name of a value", "Write small letters, digits and _.")
        kind = one.one_of("kind", get_args(ValueKind))
        one.only(("kind", *KEYS[kind]))
        value = _value(one, name, kind)
        key, why = value.fault()
        if why:
            raise one.wrong(key, why, "Correct it. Nothing was started.")
        yield value


def _value(one: TomlTable, name: str, kind: ValueKind) -> Value:
    numbers = {key: one.whole(key, 1 if key == "least" else None) for key in KEYS[kind] if key != "of"}
    return Value(name, kind, **numbers, of=one.texts("of") if kind == "pick" else ())


def _few(table: TomlTable, key: str, many: int, least: int, most: int, what: str) -> None:
    if not least <= many <= most:
        raise table.wrong(key, f"has {many} {what}", f"{least} to {most} are allowed.")


def _tables(table: TomlTable, values: dict[str, Value], lines: Lines) -> tuple[Table, ...]:
    entries = table.tables("tables")
    _few(table, "tables", len(entries), 1, MOST_TABLES, "tables")
    found: list[Table] = []
    for one in entries:
        one.only(("create", "rows", "fill"))
        create = one.text("create")
        made = _sql(one, "create", create, lines, partial(sql.table, create, found))
        found.append(replace(made, rows=one.whole("rows", 0), fill=_fill(one, made, values)))
    _bounded(table, found, values)
    try:
        return sql.in_order(found)
    except BadSql as refused:
        raise table.wrong("tables", f"cannot be made: {refused.says}", "Correct the foreign key.") from refused


def _sql(table: TomlTable, key: str, text: str, lines: Lines, make: Callable[[], Made]) -> Made:
    """`make`: reads that text. BadSql: what is wrong with it."""
    try:
        if len(text) > LONGEST_SQL:
            raise BadSql(f"has {len(text):,} characters, at most {LONGEST_SQL:,} are allowed")
        made = make()
    except BadSql as refused:
        raise lines.wrong(table, key, text, refused) from refused
    lines.passed(text)
    return made


def _fill(table: TomlTable, made: Table, values: dict[str, Value]) -> dict[str, str]:
    fill, rows = table.table("fill", {}), table.whole("rows", 0)
    chosen = {column: fill.one_of(column, values) for column in fill.data}
    if gone := [column for column in chosen if column not in made.columns]:
        raise fill.wrong(gone[0][:80], "is no column of this table", f"There are: {', '.join(made.columns)}.")
    if not 0 <= rows <= MOST_ROWS or bool(rows) != bool(chosen):
        raise table.wrong("rows", f"is {rows}", f"Write up to {MOST_ROWS:,}, and a fill that names the columns.")
    if late := [name for name in chosen.values() if values[name].kind == "last-insert-id"]:
        raise table.wrong("fill", f"uses {late[0]}", "The last inserted id is only for transactions.")
    return chosen


def _bounded(table: TomlTable, tables: list[Table], values: dict[str, Value]) -> None:
    rows = sum(one.rows for one in tables)
    size = sum(one.rows * sum(values[name].bytes for name in one.fill.values()) for one in tables)
    if rows > MOST_ROWS or size > MOST_FILL_BYTES:
        limits = f"At most {MOST_ROWS:,} rows and {MOST_FILL_BYTES >> 20} MiB are allowed."
        raise table.wrong("tables", f"have {rows:,} rows of {size >> 20:,} MiB at the beginning", limits)


def _transactions(
    table: TomlTable, tables: tuple[Table, ...], values: dict[str, Value], lines: Lines
) -> Iterator[Transaction]:
    entries = table.tables("transactions")
    _few(table, "transactions", len(entries), 1, MOST_TRANSACTIONS, "transactions")
    for n, one in enumerate(entries, start=1):
        one.only(("name", "weight", "statements"))
        name, weight = one.text("name", f"transaction {n}"), one.whole("weight", 1)
        if not 1 <= len(name) <= LONGEST_TITLE or not name.isprintable():
            raise one.wrong("name", "is empty, too long or not printable", "Give it a short name.")
        if not 1 <= weight <= MOST_WEIGHT:
            raise one.wrong("weight", f"is {weight}", f"Write a whole number from 1 to {MOST_WEIGHT}.")
        texts = one.texts("statements")
        _few(one, "statements", len(texts), 1, MOST_STATEMENTS, "statements")
        statements = list[Statement]()
        for k, text in enumerate(texts, start=1):
            make = partial(sql.statement, text, tables, values, lines.line_of(text))
            statements.append(_sql(one, f"statements[{k}]", text, lines, make))
        yield Transaction(name, weight, tuple(statements))


def with_line(text: str, file: str, message: str) -> str:
    """`FILE: tables[2].rows is ...` with the line of this place, if it is found."""
    place = re.match(rf"{re.escape(file)}: ([\w.\[\]-]+) ", message)
    line = _line(text, place[1]) if place else 0
    return message.replace(f"{file}: ", f"{file}: line {line}, ", 1) if line else message


def _line(text: str, place: str) -> int:
    at = -1
    for part in place.split("."):
        name, _, nth = part.rstrip("]").partition("[")
        header = rf"^[ \t]*\[\[?{re.escape(name)}\]" if at < 0 else rf"^[ \t]*\[[\w.]*\.{re.escape(name)}\]"
        found = [
            *re.finditer(rf"{header}|(?:^|[{{,])[ \t]*\"?{re.escape(name)}\"?[ \t]*=", text[at + 1 :], re.MULTILINE)
        ]
        wanted = int(nth) - 1 if nth else 0
        if wanted < len(found):
            at += 1 + found[wanted].end() - 1
    return text.count("\n", 0, at) + 1 if at >= 0 else 0
