"""Which rows a transaction leaves, where that can be known: for crash trials.

It is known for an INSERT of one row that holds the number of its transaction, and for an UPDATE that finds this row
again by that number. Other changes meet rows of other transactions, and what these hold depends on the order of both.

It holds for each server and each sql_mode: a content is compared only where every server stores it as it was sent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workers.errors import PlanError
from workers.transaction.declaration import Declaration, Statement, TableColumn
from workers.transaction.tokens import BadSql, SqlToken, split
from workers.transaction.values import BY_SERVER, Drawn, Value

WHOLE = {"BIGINT": 64, "INT": 32, "INTEGER": 32, "MEDIUMINT": 24, "SMALLINT": 16, "TINYINT": 8}  # type -> bits
TEXTS = ("CHAR", "VARCHAR", "TEXT")
FIX = "Give each new row the number of its transaction: a value of the kind sequence, in a BIGINT column."
WRITE_INSERT = "Write INSERT: a new number is in no other row."
FIT = "Make the column larger, or the value smaller."
FILL = "Fill this column with a value of the kind sequence, uniform or zipf."
LARGEST_NUMBER = 2**62  # of a transaction
SHORTEST_TEXT = 65535 // 4  # letters that a TEXT holds in every character set

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
        if change.is_insert and not _is_filled_below(declaration, change):
            raise _unknown(one, f"the first rows of {change.table} may hold any number in {change.key}", FILL)
        if not change.is_insert and change.table not in inserted:
            raise _unknown(one, f"it changes a row of {change.table} that this transaction did not insert")
        inserted.add(change.table)
        yield change


def _is_filled_below(declaration: Declaration, change: RowChange) -> bool:
    """Whether the table's first rows hold smaller numbers than every transaction."""
    table = declaration.table(change.table)
    if value := table.fill.get(change.key):
        return declaration.values[value].is_number
    return not table.rows or "DEFAULT" not in table.columns[change.key].words


def _insert(declaration: Declaration, one: Statement) -> RowChange:
    """INSERT INTO table (columns) VALUES (items), nothing else."""
    if one.verb == "REPLACE":
        raise _unknown(one, "REPLACE may delete rows of other transactions", WRITE_INSERT)
    found = [*one.tokens]
    marks = [token.text.upper() for token in found]
    closes = marks.index(")") if ")" in marks else 0
    columns = [part[0].text for part in _parts(found[4:closes]) if part]
    items = _parts(found[closes + 3 : -1]) if marks[closes + 1 : closes + 3] == ["VALUES", "("] else []
    if not items or len(items) != len(columns) or not all(items):
        raise _unknown(one, "it is not one row: INSERT INTO table (columns) VALUES (values)")
    table = found[2].text
    known = dict(zip(columns, items, strict=True))
    sequences = [column for column, item in known.items() if _is_sequence(declaration, item)]
    types = declaration.table(table).columns
    key = next((column for column in sequences if column in types and types[column].kind == "BIGINT"), "")
    if not key:
        raise _unknown(one, f"its row in {table} does not hold the number of its transaction")
    return RowChange(True, table, key, _cells(declaration, one, table, known))


def _update(declaration: Declaration, one: Statement) -> RowChange:
    """UPDATE table SET column = value, ... WHERE key = :number, nothing else."""
    found = [*one.tokens]
    marks = [token.text.upper() for token in found]
    is_plain = one.verb == "UPDATE" and marks[2:3] == ["SET"] and marks[-4:-3] == ["WHERE"] and marks[-2] == "="
    if not is_plain or marks.count("WHERE") != 1 or not _is_sequence(declaration, found[-1:]):
        raise _unknown(one, "its rows are not found by the number of this transaction")
    table = found[1].text
    parts = _parts(found[3:-4])
    if any(len(part) < 3 or part[1].text != "=" for part in parts):
        raise _unknown(one, "it is not: UPDATE table SET column = value WHERE column = :number")
    cells = _cells(declaration, one, table, {part[0].text: part[2:] for part in parts})
    if not any(cells.values()):
        raise _unknown(one, "it sets no column to a value that can be compared afterwards")
    if found[-3].text in cells:
        raise _unknown(one, f"it changes {found[-3].text}, which holds the number")
    refers = {column for each in declaration.tables for to, column in each.refers if to == table}
    if refers.intersection((*cells, "")):
        raise _unknown(one, f"it changes a column of {table} that a foreign key refers to, so other rows may change")
    return RowChange(False, table, found[-3].text, cells)


def _cells(
    declaration: Declaration, one: Statement, table: str, items: Mapping[str, list[SqlToken]]
) -> dict[str, SqlToken | None]:
    """Raises PlanError for a content that may not fit: strict servers refuse it, other ones store something else."""
    columns, cells = declaration.table(table).columns, dict[str, SqlToken | None]()
    for name, item in items.items():
        column = columns.get(name)
        token = cells[name] = _compared(declaration, column, item) if column else None
        if column and token and _size(token, declaration.values.get(token.text)) > _room(column):
            raise _unknown(one, f"{name} of {table} is too small for its content, which some servers cut", FIT)
    return cells


def _compared(declaration: Declaration, column: TableColumn, item: list[SqlToken]) -> SqlToken | None:
    """The content if it is a single value that a column of this type returns as it was given. An AUTO_INCREMENT column
    takes 0 for the next number."""
    token = item[0] if len(item) == 1 else None
    if token is None or token.kind not in ("value", "text", "number") or "AUTO_INCREMENT" in column.words:
        return None
    value = declaration.values.get(token.text)
    if (value and value.kind in BY_SERVER) or (token.kind == "number" and "." in token.text):
        return None
    is_whole = value.is_number if value else token.kind == "number"
    return token if column.kind in (WHOLE if is_whole else TEXTS) else None


def _size(token: SqlToken, value: Value | None) -> int:
    """The largest number, or the most letters of a text."""
    if value and value.kind == "sequence":
        return LARGEST_NUMBER
    if value:
        return value.most if value.is_number else value.bytes
    return int(token.text) if token.kind == "number" else len(_content(token, {}))


def _room(column: TableColumn) -> int:
    """The largest number that the column holds, or the most letters."""
    if column.kind in WHOLE:
        return (1 << WHOLE[column.kind] - ("UNSIGNED" not in column.words)) - 1
    return column.length or (1 if column.kind == "CHAR" else SHORTEST_TEXT)


def _parts(found: list[SqlToken]) -> list[list[SqlToken]]:
    """[]: a bracket ends outside of it, or is left open: it is not the list of columns, or more than one row."""
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


def _unknown(one: Statement, why: str, fix: str = FIX) -> PlanError:
    where = f"line {one.line}: " if one.line else ""
    return PlanError(f"Crash trials cannot be judged with your own transaction: {where}{why}.", fix)
