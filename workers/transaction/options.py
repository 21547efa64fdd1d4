"""The options after the last bracket of a CREATE TABLE, as SHOW CREATE TABLE writes them. All functions raise
BadSql."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workers.transaction.tokens import BadSql, Kind, SqlToken

KINDS: Mapping[str, Kind] = {
    "ENGINE": "word",
    "AUTO_INCREMENT": "number",
    "CHARSET": "word",
    "COLLATE": "word",
    "ROW_FORMAT": "word",
    "KEY_BLOCK_SIZE": "number",
    "STATS_PERSISTENT": "number",
    "COMMENT": "text",
}
WITH_DEFAULT = ("CHARSET", "COLLATE")


@dataclass(frozen=True)
class TableOptions:
    """`engine`: "" when none is named. `sql`: the other options, without AUTO_INCREMENT: each measurement begins with
    empty tables, and numbers that begin elsewhere could be those of the load."""

    engine: str
    sql: str


def options(found: list[SqlToken]) -> TableOptions:
    named = dict(_each(found))
    kept = [f" {name} = {value}" for name, value in named.items() if name not in ("ENGINE", "AUTO_INCREMENT")]
    return TableOptions(named.get("ENGINE", ""), "".join(kept))


def _each(found: list[SqlToken]) -> Iterator[tuple[str, str]]:
    left = list(found)
    while left:
        first = left[0]
        has_default = bool(_taken(left, "DEFAULT"))
        name = "CHARSET" if _taken(left, "CHARACTER", "SET") else left.pop(0).upper if left else ""
        if name not in KINDS or (has_default and name not in WITH_DEFAULT):
            said = name or first.text
            raise BadSql(f"{said} is no option of a table that is supported: {', '.join(KINDS)} are", first.at)
        _taken(left, "=")
        if not left or left[0].kind != KINDS[name]:
            raise BadSql(f"{name} has no value that is understood: write it as SHOW CREATE TABLE does", first.at)
        yield name, left.pop(0).text


def _taken(left: list[SqlToken], *words: str) -> bool:
    """Whether it begins with these words. They are removed."""
    if begins := [token.upper for token in left[: len(words)]] == [*words]:
        del left[: len(words)]
    return begins
