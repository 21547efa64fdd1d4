"""The two kinds of SQL in the file: CREATE TABLE, and the statements of a transaction. Both raise BadSql."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from workers.transaction.declaration import Statement, Table, TableColumn
from workers.transaction.options import options
from workers.transaction.tokens import (
    FUNCTIONS,
    OF_STATEMENTS,
    OF_TABLES,
    BadSql,
    SqlToken,
    check_words,
    split,
    tokens,
    with_depth,
    written,
)
from workers.transaction.values import Value

VERBS = ("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE")
NO_COLUMN = ("PRIMARY", "UNIQUE", "KEY", "INDEX", "CONSTRAINT", "FOREIGN")
OURS = ("one", "left_half", "right_half")  # the tables of the ledger, in the same schema in a crash trial
ENDS_TABLES = ("SET", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "FOR", "LOCK")  # the clause behind the tables
ONLY_FIRST = ("INSERT", "REPLACE", "DELETE")  # elsewhere they are functions that make a text longer
MOST_COLUMNS = 40
UNSUPPORTED = {
    "AS": "a generated column or a copied table is",
    "GENERATED": "a generated column is",
    "CHECK": "a CHECK is",
    "FULLTEXT": "a FULLTEXT index is",
    "SPATIAL": "a SPATIAL index is",
    "PARTITION": "PARTITION is",
}
WITH_BRACKETS = (*OF_TABLES - {"DEFAULT", "CREATE", "NOT", "NULL"},)


def table(sql: str, earlier: Sequence[Table]) -> Table:
    """A table without rows."""
    found = tokens(sql)
    if [token.upper for token in found[:2]] != ["CREATE", "TABLE"] or len(found) < 5 or not found[2].is_name:
        raise BadSql("write CREATE TABLE name ( ... )")
    if unsupported := next((token for token in found if token.upper in UNSUPPORTED), None):
        raise BadSql(f"{UNSUPPORTED[unsupported.upper]} not supported: remove it", unsupported.at)
    name, closes = found[2], 3 + len(_in_brackets(found[3:]))
    if found[3].text != "(" or closes == len(found):
        raise BadSql("write CREATE TABLE name ( ... )", found[3].at)
    if name.text.lower() in {one.name.lower() for one in earlier}:
        raise BadSql(f"the table {name.text} is made twice", name.at)
    head, inside, behind = found[: closes + 1], found[4:closes], options(found[closes + 1 :])
    parts = split(inside)
    columns, refers = dict(_columns(parts)), frozenset(_refers(inside))
    if not 1 <= len(columns) <= MOST_COLUMNS:
        raise BadSql(f"a table has 1 to {MOST_COLUMNS} columns", name.at)
    _check_ours(found)
    if word := next((one for one in columns if one.upper() in OF_STATEMENTS), ""):
        raise BadSql(f"a column cannot be called {word}, which is a word of statements", name.at)
    known = {name.text, *columns, *_named(inside)}.union(*refers)
    check_words(head, OF_TABLES, known.__contains__)
    _check_brackets(inside)
    create = written([*head[:2], _quoted(name), *head[3:]], lambda value: value) + behind.sql
    return Table(name.text, create, behind.engine, columns, frozenset(_keys(parts)), refers, 0, {})


def _named(inside: list[SqlToken]) -> Iterator[str]:
    """Names of indexes, character sets and collations."""
    for before, here in pairwise(inside):
        if before.upper in NO_COLUMN or before.upper in ("SET", "CHARSET", "COLLATE"):
            yield here.text


def in_order(tables: Sequence[Table]) -> tuple[Table, ...]:
    """Each after those that its foreign keys refer to, else as they are written."""
    named = {one.name: one for one in tables}
    for one in tables:
        for to, column in one.refers:
            if to not in named or (column and column not in named[to].columns):
                raise BadSql(f"a foreign key of {one.name} refers to {to} ({column}), which is not in this file")
    found: list[Table] = []
    while left := [one for one in tables if one not in found]:
        made = {one.name for one in found}
        ready = next((one for one in left if {to for to, _ in one.refers} <= {*made, one.name}), None)
        if ready is None:
            raise BadSql(f"the foreign keys of {', '.join(one.name for one in left)} refer to each other in a circle")
        found.append(ready)
    return tuple(found)


def _check_ours(found: list[SqlToken]) -> None:
    for token in found:
        if token.is_name and (token.text.lower() in OURS or token.text.lower().startswith("durascope")):
            raise BadSql(f"{token.text} is the name of a table of Durascope: choose another name", token.at)


def _columns(parts: list[list[SqlToken]]) -> Iterator[tuple[str, TableColumn]]:
    for part in parts:
        if not part:
            raise BadSql("there is a comma too many")
        if part[0].upper in NO_COLUMN:
            continue
        if len(part) < 2 or not part[0].is_name or part[1].kind != "word":
            raise BadSql("write a column as: name TYPE", part[0].at)
        length = part[3].text if len(part) > 3 and part[2].text == "(" else ""
        words = frozenset(token.upper for token in part)
        yield part[0].text, TableColumn(part[1].upper, int(length) if length.isdigit() else 0, words)


def _keys(parts: list[list[SqlToken]]) -> Iterator[str]:
    """Columns with which a key begins."""
    for part in parts:
        marks = [token.upper for token in part]
        if marks[0] in NO_COLUMN:
            own = part[: marks.index("REFERENCES")] if "REFERENCES" in marks else part
            yield from (after.text for before, after in pairwise(own) if before.text == "(" and after.is_name)
        elif "PRIMARY" in marks or "UNIQUE" in marks:
            yield part[0].text


def _refers(inside: list[SqlToken]) -> Iterator[tuple[str, str]]:
    """Without brackets: the column ""."""
    for n, (before, table) in enumerate(pairwise(inside)):
        if before.upper == "REFERENCES":
            columns = [one.text for one in _in_brackets(inside[n + 2 :]) if one.is_name]
            yield from ((table.text, column) for column in columns or [""])


def _check_brackets(inside: list[SqlToken]) -> None:
    """A bracket after DEFAULT, or after anything but a type, a key or a name, would hold an expression."""
    if value := next((token for token in inside if token.kind == "value"), None):
        raise BadSql("a table has no placeholders", value.at)
    for before, here in pairwise(inside):
        if here.text == "(" and not (before.kind == "quoted" or before.upper in WITH_BRACKETS or _is_plain(before)):
            raise BadSql("expressions are not allowed in a table", here.at)


def _is_plain(token: SqlToken) -> bool:
    """A name of an index or of another table."""
    return token.kind == "word" and token.upper not in OF_TABLES


def _quoted(name: SqlToken) -> SqlToken:
    return SqlToken("quoted", name.text, name.at)


def statement(sql: str, tables: Sequence[Table], values: Mapping[str, Value], line: int) -> Statement:
    found = tokens(sql)
    verb = found[0].upper if found else ""
    if verb not in VERBS:
        raise BadSql(f"a statement begins with {', '.join(VERBS[:-1])} or {VERBS[-1]}")
    for token in found:
        if token.kind == "value" and token.text not in values:
            raise BadSql(f":{token.text} is no value of this file: there are {', '.join(values) or 'none'}", token.at)
    names = {name for one in tables for name in (one.name, *one.columns)}
    _check_ours(found)
    _check_places(found, {one.name for one in tables})
    _check_tables(found)
    check_words(found, OF_STATEMENTS, names.__contains__)
    split(found)
    _check_growth(found)
    own = _own_names(found)
    return Statement(verb, tuple(_quoted(one) if one in own else one for one in found), line)


def _own_names(found: list[SqlToken]) -> list[SqlToken]:
    """They are written in backticks, so that no server reads a column's name as a keyword."""
    calls = {n for n, after in enumerate(found[1:]) if after.upper == "(" and found[n].upper in FUNCTIONS}
    return [one for n, one in enumerate(found) if one.is_name and one.upper not in OF_STATEMENTS and n not in calls]


def _check_tables(found: list[SqlToken]) -> None:
    """Each table stands behind a word that `_check_places` looks for, none behind a comma."""
    lists = set[int]()  # depths at which a list of tables is open
    for n, (token, depth) in enumerate(with_depth(found)):
        lists = {one for one in lists if one <= depth}
        if token.upper in OF_STATEMENTS and found[n - 1].upper == "AS":
            raise BadSql(f"{token.text} is a word of statements: choose another name behind AS", token.at)
        if token.upper in ("FROM", "JOIN") or (token.upper == "UPDATE" and n == 0):
            lists.add(depth)
        elif token.upper in ENDS_TABLES:
            lists.discard(depth)
        elif token.upper == "," and depth in lists:
            raise BadSql("tables are joined with JOIN, not with a comma", token.at)
        elif token.upper in ONLY_FIRST and n:
            raise BadSql(f"{token.upper} stands only at the beginning", token.at)
        elif token.upper == "USING" and found[0].upper == "DELETE":
            raise BadSql("write DELETE FROM table WHERE ..., without USING", token.at)


def _check_growth(found: list[SqlToken]) -> None:
    """A transaction changes the rows that it finds, and makes no text longer from what the table holds."""
    verb = found[0].upper
    has_where = any(token.upper == "WHERE" and not depth for token, depth in with_depth(found))
    if verb in ("UPDATE", "DELETE") and not has_where:
        raise BadSql(f"without WHERE, {verb} changes every row: add WHERE", found[0].at)
    if verb == "SELECT":
        return
    for n, token in enumerate(found):
        inside = _in_brackets(found[n + 1 :]) if token.upper == "CONCAT" else []
        if columns := _own_names(inside):
            says = f"CONCAT with {columns[0].text} could double a text each time: join only values"
            raise BadSql(says, columns[0].at)


def _in_brackets(found: list[SqlToken]) -> list[SqlToken]:
    """What the bracket at the beginning holds."""
    closes = (n for n, (_, depth) in enumerate(with_depth(found)) if not depth)
    return found[: next(closes, len(found))]


def _check_places(found: list[SqlToken], tables: set[str]) -> None:
    """INTO stands only in an INSERT or a REPLACE, so a SELECT writes no file. A table must be of this file."""
    verb = found[0].upper
    second = 2 if len(found) > 1 and found[1].upper == "IGNORE" else 1
    into = [n for n, token in enumerate(found) if token.upper == "INTO"]
    if into != ([second] if verb in ("INSERT", "REPLACE") else []):
        raise BadSql("INTO is allowed once, in INSERT INTO and in REPLACE INTO", found[into[-1]].at if into else 0)
    if verb in ("INSERT", "REPLACE") and (query := next((one for one in found if one.upper == "SELECT"), None)):
        raise BadSql("an INSERT that copies rows could double a table each time: write VALUES", query.at)
    starts = [n + 1 for n, token in enumerate(found) if token.upper in ("INTO", "FROM", "JOIN")]
    for start in (*starts, *([second] if verb == "UPDATE" else [])):
        at = found[min(start, len(found) - 1)]
        inside = found[start + 1].upper if start + 1 < len(found) else ""
        is_query = at.upper == "(" and inside == "SELECT" and found[start - 1].upper in ("FROM", "JOIN")
        if not is_query and not (at.is_name and at.text in tables):
            raise BadSql(f"{at.text} is no table of this file: there are {', '.join(sorted(tables))}", at.at)
