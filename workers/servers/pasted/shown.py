"""Answers of SHOW GLOBAL VARIABLES in the forms in which clients print them. Each reader yields names and values."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence

from workers.errors import PlanError

Pairs = Iterator[tuple[str, str]]
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,127}")
HEADER = "variable_name"
NEXT_VALUE = re.compile(r"[\s,]*([{\[])")


def tabs(text: str) -> Pairs:
    """`mysql --batch`."""
    return ((name, value) for name, _, value in (line.partition("\t") for line in text.splitlines()))


def bars(text: str) -> Pairs:
    """`mysql` at a terminal. A value may hold a bar."""
    for line in text.splitlines():
        if (row := line.strip()).startswith("|"):
            name, _, value = row[1:].removesuffix("|").partition("|")
            yield name.strip(), value.strip()


def vertical(text: str) -> Pairs:
    r"""`\G`."""
    name = ""
    for line in text.splitlines():
        key, _, value = line.strip().partition(":")
        if key.lower() == HEADER:
            name = value.strip()
        elif key == "Value" and name:
            yield name, value.strip()
            name = ""


def comma_separated(text: str) -> Pairs:
    try:
        yield from ((row[0], row[1]) for row in csv.reader(text.splitlines()) if len(row) == 2)
    except csv.Error as wrong:
        raise PlanError(f"The text is not valid CSV: {wrong}.", "Export it again, with two columns.") from wrong


def json_rows(text: str) -> Pairs:
    """MySQL Shell prints one object after another, a list of them, or an object with `rows`. Other tools print one
    object with all names."""
    at, decoder = 0, json.JSONDecoder()
    while (begin := _next_value(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, begin)
            yield from _of_json(value)
        except (ValueError, RecursionError) as wrong:
            raise PlanError("The text begins like JSON and is not valid JSON.", "Export it again.") from wrong


def _next_value(text: str, at: int) -> int | None:
    """Words behind the last value, such as the number of rows, end the text."""
    found = NEXT_VALUE.match(text, at)
    return found.start(1) if found else None


def _of_json(value: object) -> Pairs:
    if isinstance(value, list):
        for one in value:
            if isinstance(one, dict):
                yield from _of_json(one)
    elif isinstance(value, dict):
        row = {str(key).lower(): one for key, one in value.items()}
        if HEADER in row:
            yield str(row[HEADER]), _plain(row.get("value", row.get("variable_value")))
        elif isinstance(row.get("rows"), list):
            yield from _of_json(row["rows"])
        else:
            yield from ((key, _plain(one)) for key, one in row.items() if not isinstance(one, (dict, list)))


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    return "" if value is None else str(value)


def _has(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    return lambda text: compiled.search(text) is not None


# In this order: the first form whose sign is in the text.
FORMS: tuple[tuple[str, Callable[[str], bool], Callable[[str], Pairs]], ...] = (
    ("JSON", _has(r"\A\s*[{\[](?![a-z])"), json_rows),
    ("vertical rows", _has(rf"^[ \t]*{HEADER}: "), vertical),
    ("a table with bars", _has(r"^[ \t]*\|[ \t]*\w+[ \t]*\|"), bars),
    ("tab-separated", _has(r"^[a-z]\w*\t(?![ \t]*[=#])"), tabs),
    ("CSV", _has(rf'\A\s*"?{HEADER}"?\s*,|\A\s*"[a-z]\w*",'), comma_separated),
)


def read(text: str) -> tuple[str, Sequence[tuple[str, str]]] | None:
    """The form's name, and names in lower case with values. None: it is none of these forms."""
    for form, is_here, pairs in FORMS:
        if is_here(text):
            found = ((name.strip().lower(), value) for name, value in pairs(text))
            return form, [(name, value) for name, value in found if NAME.fullmatch(name) and name != HEADER]
    return None
