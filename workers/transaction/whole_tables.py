"""Which statements read or change whole tables. It is judged by the text: no server has the tables before the
measurement begins, so none can be asked to explain a statement. Only what is certain is told."""

from collections.abc import Iterator

from workers.transaction.declaration import Declaration, Statement, Table
from workers.transaction.tokens import SqlToken, with_depth

TABLES = ("FROM", "JOIN", "UPDATE")
CONDITIONS = ("WHERE", "ON", "USING")
CLAUSES = (*CONDITIONS, *TABLES, "INNER", "LEFT", "SET", "GROUP", "HAVING", "ORDER", "LIMIT", "FOR", "LOCK")
BY_KEY = ("=", "<", ">", "<=", ">=", "IN", "BETWEEN", "LIKE", "IS")
ARITHMETIC = ("+", "-", "*", "/", "%")
DOES = {"SELECT": "reads", "UPDATE": "changes", "DELETE": "deletes"}
Clause = list[SqlToken]  # the word that begins it, and what follows


def notes(declaration: Declaration) -> Iterator[str]:
    """A sentence for each statement that reads or changes a whole table."""
    for transaction in declaration.transactions:
        for nth, statement in enumerate(transaction.statements, start=1):
            where = f"line {statement.line}" if statement.line else f"{transaction.name}, statement {nth}"
            if statement.verb in DOES and (why := _why(declaration, statement)):
                yield f"{where}: {why}"


def _why(declaration: Declaration, statement: Statement) -> str:
    clauses = list(_clauses([*statement.tokens]))
    tables = [declaration.table(one[1].text) for one in clauses if one[0].upper in TABLES and one[1].kind == "quoted"]
    conditions = [one for one in clauses if one[0].upper in CONDITIONS]
    names, does = " and ".join(table.name for table in tables), DOES[statement.verb]
    if not conditions:
        limited = any(one[0].upper == "LIMIT" for one in clauses) or not tables
        return "" if limited else f"it {does} every row of {names}, because it has no WHERE"
    if not any(token.kind == "quoted" for one in conditions for token in one):
        return f"it {does} every row of {names}, because its condition names no column"
    slow = next((table for table in tables if not _is_found(table, conditions)), None)
    if slow is None:
        return ""
    is_locked = statement.verb != "SELECT" or any(one[0].upper in ("FOR", "LOCK") for one in clauses)
    locks = " and locked" if is_locked else ""
    rows = f", {slow.rows:,} at the beginning" if slow.rows else ""
    return f"no key of {slow.name} begins with a column that it compares, so every row is read{locks}{rows}"


def _clauses(found: list[SqlToken]) -> Iterator[Clause]:
    """Outside of brackets, a new one begins. What brackets hold belongs to it."""
    begun = list[SqlToken]()
    for n, (token, depth) in enumerate(with_depth(found)):
        begins = token.upper in CLAUSES and not depth and (token.upper != "UPDATE" or not n)
        if begins and begun:
            yield begun
        begun = [token] if begins else [*begun, token] if begun else []
    if begun:
        yield begun


def _is_found(table: Table, conditions: list[Clause]) -> bool:
    """Whether a key of the table can find its rows: in a join, or in each part that OR divides."""
    joined = any(_has_key(table, one) for one in conditions if one[0].upper != "WHERE")
    parts = [part for one in conditions if one[0].upper == "WHERE" for part in _divided(one)]
    return joined or (bool(parts) and all(_has_key(table, part) for part in parts))


def _divided(clause: Clause) -> Iterator[Clause]:
    """By OR outside of brackets."""
    part = clause[:1]
    for token, depth in with_depth(clause[1:]):
        if token.upper == "OR" and not depth:
            yield part
            part = clause[:1]
        else:
            part = [*part, token]
    yield part


def _has_key(table: Table, clause: Clause) -> bool:
    """Whether it compares a column with which a key begins."""
    marks = [*(token.upper for token in clause), ""]
    for n, token in enumerate(clause):
        around = marks[n - 1], marks[n + 1]
        compares = marks[0] == "USING" or set(around).intersection(BY_KEY)
        is_key = token.kind == "quoted" and token.text in table.keys
        if is_key and compares and not set(around).intersection(ARITHMETIC):
            return True
    return False
