"""The environment of a run: facts by name, and the differences between environments."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dashboard.text.numbers import UNKNOWN, size
from workers.toml.table import TomlTable

FILE = TomlTable.of_file(Path(__file__).with_suffix(".toml"))
FACTS = {name: FILE.table("facts").texts(name) for name in FILE.table("facts").data}
PLACES = frozenset(FILE.texts("places"))


def facts(data: Mapping[str, object]) -> dict[str, str]:
    """Fact -> its text on a page; a dash if it is not known."""
    return {name: _fact(data, name, path) for name, path in FACTS.items()}


def differences(environments: Sequence[Mapping[str, object]]) -> list[tuple[str, list[str]]]:
    """(Fact or variable, its value in each environment) where the values differ: facts first, then variables."""
    if not environments:
        return []
    shown = [facts(data) for data in environments]
    variables = [_at(data, ("server", "variables")) or {} for data in environments]
    names = sorted(set().union(*variables) - PLACES)
    rows = [(name, [one[name] for one in shown]) for name in FACTS]
    rows += [(name, [str(one.get(name, UNKNOWN)) for one in variables]) for name in names]
    return [(name, values) for name, values in rows if len(set(values)) > 1]


def _fact(data: Mapping[str, object], name: str, path: tuple[str, ...]) -> str:
    value = _at(data, path)
    if value is None or value == "":
        return UNKNOWN
    return size(value) if name == "memory" else str(value)


def _at(data: Mapping[str, object], path: tuple[str, ...]) -> Any:
    value: object = data
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
