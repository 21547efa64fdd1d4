"""Defaults of the settings that decide what a crash loses, by flavour and version (defaults.toml)."""

from dataclasses import dataclass
from pathlib import Path

from workers.servers.facts import Version
from workers.toml.table import TomlTable


@dataclass(frozen=True)
class Since:
    """A default that changed with a version."""

    flavour: str
    version: Version
    name: str
    value: str


FILE = TomlTable.of_file(Path(__file__).with_suffix(".toml"))
_DEFAULTS = {name: FILE.table("defaults").text(name) for name in FILE.table("defaults").data}
_SINCE = [table.read(Since) for table in FILE.tables("since")]


def defaults_of(flavour: str, version: Version) -> dict[str, str]:
    since = (one for one in _SINCE if one.flavour == flavour and version >= one.version)
    return {**_DEFAULTS, **{one.name: one.value for one in since}}


def changes_of(flavour: str) -> list[Version]:
    return [one.version for one in _SINCE if one.flavour == flavour]
