"""Which rows a transaction leaves, where that can be known: for crash trials.

It is known for an INSERT of one row that holds the number of its transaction, and for an UPDATE that finds this row
again by that number. Other changes meet rows of other transactions, and what these hold depends on the order of both.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workers.errors import PlanError
from workers.transaction.declaration import Declaration, Statement
from workers.transaction.tokens import BadSql, SqlToken, split
from workers.transaction.values import BY_SERVER, Drawn

WHOLE = ("BIGINT", "INT", "INTEGER", "MEDIUMINT", "SMALLINT", "TINYINT")
TEXTS = ("CHAR", "VARCHAR", "TEXT")
FIX = "Give each new row the number of its transaction: a value of the kind sequence, in a BIGINT column."

Cells = Mapping[str, str | None]  # column -> its content as text; None: not known
Rows = Mapping[str, tuple[Cells, ...]]  # table -> rows of one transaction


@dataclass(frozen=True)
class RowChange:
    """`key`: the column with the number. `cells`: column -> its new content; None: not known here."""

    is_insert: bool
    table: str
    key: str
    cells: Mapping[str, SqlToken | None]

    def made(self, before: Rows, drawn: Mapping[str, Drawn]) -> Rows:
        """The rows after the change."""
        cells = {column: None if token is None else _content(token, drawn) for column, token in self.cells.items()}
        old = before.get(self.table, ())
        return {**before, self.table: (*old, cells) if self.is_insert else tuple({**row, **cells} for row in old)}


@dataclass(frozen=True)
class Prediction:
    """`changes`: name of a transaction -> its changes. `keys`: table -> the column with the number."""

    changes: Mapping[str, tuple[RowChange, ...]]
    keys: Mapping[str, str]

    def columns(self, table: str) -> list[str]:
        """Those that are read back."""
        changes = [one for each in self.changes.values() for one in each if one.table == table]
        return sorted({column for one in changes for column, token in one.cells.items() if token})

    def states(self, transaction: str, drawn: Mapping[str, Drawn]) -> list[Rows]:
        """The rows after each change. The last state is the whole transaction."""
        found: list[Rows] = [{}]
        for change in self.changes[transaction]:
            found.append(change.made(found[-1], drawn))
        return found[1:]


def why_not(declaration: Declaration) -> str:
    """Why crash trials cannot be judged with it; "" when they can."""
    try:
        predict(declaration)
    except PlanError as refused:
        return str(refused)
    return ""


def predict(declaration: Declaration) -> Prediction:
    """Raises PlanError that names the line and the reason."""
    names = [one.name for one in declaration.transactions]
    if twice := [name for name in names if names.count(name) > 1]:
        raise PlanError(f"Two transactions are called {twice[0]}.", "Give each transaction a name of its own.")
    keys: dict[str, str] = {}
    changes = {one.name: tuple(_changes(declaration, one.writes, keys)) for one in declaration.transactions}
    return Prediction(changes, keys)


def _changes(declaration: Declaration, writes: list[Statement], keys: dict[str, str]) -> Iterator[RowChange]:
    """`keys` is filled."""
    inserted: set[str] = set()
    for one in writes:
        change = _insert(declaration, one) if one.verb in ("INSERT", "REPLACE") else _update(declaration, one)
        if keys.setdefault(change.table, change.key) != change.key:
            raise _unknown(one, f"{change.table} has the number in {keys[change.table]} and in {change.key}")
        if not change.is_insert and change.table not in inserted:
            raise _unknown(one, f"it changes a row of {change.table} that this transaction did not insert")
        inserted.add(change.table)
        yield change


def _insert(declaration: Declaration, one: Statement) -> RowChange:
    """INSERT INTO table (columns) VALUES (items), nothing else."""
    found = [*one.tokens]
    marks = [token.text.upper() for token in found]
    closes = marks.index(")") if ")" in marks else 0
    is_plain = marks[3:4] == ["("] and marks[closes + 1 : closes + 3] == ["VALUES", "("] and marks[-1] == ")"
    columns = [part[0].text for part in _parts(found[4:closes]) if part] if is_plain else []
    items = _parts(found[closes + 3 : -1]) if is_plain and marks[closes + 3 :].count("VALUES") == 0 else []
    if not items or len(items) != len(columns) or not all(items):
        raise _unknown(one, "it is not one row: INSERT INTO table (columns) VALUES (values)")
    table = found[2].text
    known = dict(zip(columns, items, strict=True))
    sequences = [column for column, item in known.items() if _is_sequence(declaration, item)]
    key = next((column for column in sequences if declaration.table(table).columns.get(column) == "BIGINT"), "")
    if not key:
        raise _unknown(one, f"its row in {table} does not hold the number of its transaction")
    return RowChange(True, table, key, _cells(declaration, table, known))


def _update(declaration: Declaration, one: Statement) -> RowChange:
    """UPDATE table SET column = value, ... WHERE key = :number, nothing else."""
    found = [*one.tokens]
    marks = [token.text.upper() for token in found]
    is_plain = one.verb == "UPDATE" and marks[2:3] == ["SET"] and marks[-4:-3] == ["WHERE"] and marks[-2] == "="
    if not is_plain or marks.count("WHERE") != 1 or not _is_sequence(declaration, found[-1:]):
        raise _unknown(one, "its rows are not found by the number of this transaction")
    table = found[1].text
    parts = _parts(found[3:-4])
    if not parts or any(len(part) < 3 or part[1].text != "=" for part in parts):
        raise _unknown(one, "it is not: UPDATE table SET column = value WHERE column = :number")
    cells = _cells(declaration, table, {part[0].text: part[2:] for part in parts})
    if not any(cells.values()):
        raise _unknown(one, "it sets no column to a value that can be compared afterwards")
    if found[-3].text in cells:
        raise _unknown(one, f"it changes {found[-3].text}, which holds the number")
    return RowChange(False, table, found[-3].text, cells)


def _cells(declaration: Declaration, table: str, items: Mapping[str, list[SqlToken]]) -> dict[str, SqlToken | None]:
    types = declaration.table(table).columns
    return {column: _compared(declaration, types.get(column, ""), item) for column, item in items.items()}


def _compared(declaration: Declaration, kind: str, item: list[SqlToken]) -> SqlToken | None:
    """The content if it is a single value that a column of this type returns as it was given."""
    token = item[0] if len(item) == 1 else None
    if token is None or token.kind not in ("value", "text", "number"):
        return None
    value = declaration.values.get(token.text) if token.kind == "value" else None
    if value and value.kind in BY_SERVER:
        return None
    is_whole = value.is_number if value else token.kind == "number" and "." not in token.text
    return token if kind in (WHOLE if is_whole else TEXTS) else None


def _parts(found: list[SqlToken]) -> list[list[SqlToken]]:
    """[]: a bracket ends outside of it, so it is more than one row."""
    try:
        return split(found)
    except BadSql:
        return []


def _is_sequence(declaration: Declaration, item: list[SqlToken]) -> bool:
    value = declaration.values.get(item[0].text) if len(item) == 1 and item[0].kind == "value" else None
    return value is not None and value.kind == "sequence"


def _content(token: SqlToken, drawn: Mapping[str, Drawn]) -> str:
    if token.kind == "value":
        return str(drawn[token.text])
    return token.text[1:-1].replace("''", "'") if token.kind == "text" else str(int(token.text))


def _unknown(one: Statement, why: str) -> PlanError:
    where = f"line {one.line}: " if one.line else ""
    return PlanError(f"Crash trials cannot be judged with your own transaction: {where}{why}.", FIX)
