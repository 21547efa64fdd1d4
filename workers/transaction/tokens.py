"""SQL as tokens. What is no token is refused, and so is every word that is not known."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workers.toml.table import TomlTable

Kind = Literal["text", "quoted", "value", "number", "word", "mark"]
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
# No backslash: servers read it differently. No question mark: drivers may take it for a placeholder.
TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<text>'(?:[\x20-\x26\x28-\x3e\x40-\x5b\x5d-\x7e]|'')*')"
    r"|`(?P<quoted>[A-Za-z_][A-Za-z0-9_]{0,63})`"
    r"|:(?P<value>[a-z][a-z0-9_]{0,63})(?![A-Za-z0-9_])"
    r"|(?P<number>[0-9]{1,18}(?:\.[0-9]{1,18})?)(?![A-Za-z0-9_.])"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]{0,63})(?![A-Za-z0-9_])"
    r"|(?P<mark><=|>=|<>|!=|[-+*/%=<>(),])",
    re.ASCII,
)
BEFORE_BRACKETS = ("INTO", "KEY", "INDEX", "REFERENCES", "TABLE")  # between them and a bracket stands a name
COMMENTS = ("--", "/*", "*/")
WORDS = TomlTable.of_file(Path(__file__).with_name("words.toml"))
FUNCTIONS, OF_STATEMENTS, OF_TABLES = (frozenset(WORDS.texts(key)) for key in ("functions", "statements", "tables"))


class BadSql(Exception):
    """What is wrong with a statement, and at which character of it."""

    def __init__(self, says: str, at: int = 0) -> None:
        super().__init__(says)
        self.says, self.at = says, at


@dataclass(frozen=True)
class SqlToken:
    """`text`: without the backticks of a name and the colon of a value. `at`: its first character."""

    kind: Kind
    text: str
    at: int

    @property
    def upper(self) -> str:
        """A keyword, a function or a mark in capitals; "" for anything else."""
        return self.text.upper() if self.kind in ("word", "mark") else ""

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")


def tokens(sql: str) -> list[SqlToken]:
    """Raises BadSql."""
    found, at = [], 0
    while at < len(sql):
        match = TOKEN.match(sql, at)
        if match is None or sql.startswith(COMMENTS, at):
            raise BadSql(_no_token(sql, at), at)
        kind = match.lastgroup
        if kind in ("text", "quoted", "value", "number", "word", "mark"):
            found.append(SqlToken(kind, match[kind], at))  # type: ignore[arg-type]  # mypy does not narrow it
        at = match.end()
    return found


def _no_token(sql: str, at: int) -> str:
    if sql.startswith(("/*!", "/*M!"), at):
        return "only some servers read what stands in /*! */: remove it, or write its content without these signs"
    if sql.startswith((*COMMENTS, "#"), at):
        return "comments are not allowed"
    known = {
        ";": "holds a semicolon: write one statement for each entry",
        ".": "a name with a dot may be of another schema: write names without a dot",
        "@": "variables are not allowed",
        "?": "write :name of a declared value, not ?",
        '"': "write texts in single quotes, and names in backticks",
        "'": "a text has no end, or holds a backslash, a question mark or a character outside of ASCII",
        "\\": "backslashes are not allowed",
    }
    return known.get(sql[at], f"{sql[at : at + 10]!r} is not understood")


def check_words(found: list[SqlToken], keywords: frozenset[str], names: Callable[[str], bool]) -> None:
    """Raises BadSql for a word that is neither a keyword, nor a function, nor a declared name. A name may follow AS. A
    name before a bracket would call the function of that name, so it may only stand where a table or an index does."""
    for token, before, after in _neighbours(found):
        if not token.is_name or (token.upper in keywords and not _is_call(token, after)):
            continue
        is_prefix = keywords is OF_TABLES and before in ("(", ",") and names(token.text)  # of a key: (name(10))
        if after == "(" and before not in BEFORE_BRACKETS and not is_prefix:
            if token.upper not in FUNCTIONS or keywords is not OF_STATEMENTS:
                raise BadSql(f"{token.text} is no function that is allowed", token.at)
        elif before != "AS" and not names(token.text):
            raise BadSql(f"{token.text} is no word, table or column that is known here", token.at)


def _is_call(token: SqlToken, after: str) -> bool:
    return after == "(" and token.upper in FUNCTIONS


def _neighbours(found: list[SqlToken]) -> Iterator[tuple[SqlToken, str, str]]:
    for n, token in enumerate(found):
        before = found[n - 1].upper if n else ""
        yield token, before, found[n + 1].upper if n + 1 < len(found) else ""


def written(found: list[SqlToken], placeholder: Callable[[str], str]) -> str:
    """The statement, put together again, with spaces. A function stands directly before its bracket."""
    sql = ""
    for token, before, _ in _neighbours(found):
        joins = not sql or before == "(" or token.upper in (",", ")") or (token.upper == "(" and before in FUNCTIONS)
        sql += ("" if joins else " ") + _written(token, placeholder)
    return sql


def _written(token: SqlToken, placeholder: Callable[[str], str]) -> str:
    if token.kind == "value":
        return placeholder(token.text)
    return f"`{token.text}`" if token.kind == "quoted" else token.text


def with_depth(found: list[SqlToken]) -> Iterator[tuple[SqlToken, int]]:
    """Each with the brackets that are open after it."""
    depth = 0
    for token in found:
        depth += {"(": 1, ")": -1}.get(token.upper, 0)
        yield token, depth


def split(found: list[SqlToken]) -> list[list[SqlToken]]:
    """What commas divide, outside of brackets. Raises BadSql when a bracket is left open."""
    parts: list[list[SqlToken]] = [[]]
    depth = 0
    for token, depth in with_depth(found):
        if depth < 0:
            raise BadSql("a bracket is closed that was not opened", token.at)
        if token.upper == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    if depth:
        raise BadSql("a bracket is not closed", found[-1].at)
    return parts
