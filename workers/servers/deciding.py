"""The settings of a server as the durability report asks for them: understood, or not known.

A report rests on every setting that it asks for. `Deciding` therefore never guesses: a setting that is missing, and one
whose value is not understood, raise `NotKnown`. Some settings exist in some versions only (deciding.toml).
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workers.servers.facts import Facts, FlavourKey, Version
from workers.servers.present import WORDS, understood
from workers.servers.settings import SETTINGS
from workers.toml.table import TomlTable

FILE = Path(__file__).with_suffix(".toml")
NO_VERSION: Version = (0, 0, 0)
NEVER: Version = (9999, 0, 0)
NOT_TOLD = "?"  # the value of a setting that the server has, or may have, and that is not known


class NotKnown(Exception):
    """`setting`: on which the report rests. `value`: that is not understood; None: there is none."""

    def __init__(self, setting: str, value: str | None = None) -> None:
        super().__init__(setting)
        self.setting, self.value = setting, value


@dataclass(frozen=True)
class SometimesThere:
    """A setting that only some servers have. `instead`: its value that says what a server without it does."""

    instead: str
    mariadb_since: Version = NEVER
    mariadb_before: Version = NEVER
    mysql_since: Version = NEVER
    mysql_before: Version = NEVER

    def borders(self, flavour: FlavourKey) -> tuple[Version, Version]:
        if flavour == "mariadb":
            return self.mariadb_since, self.mariadb_before
        return self.mysql_since, self.mysql_before

    def exists(self, flavour: FlavourKey, version: Version) -> bool:
        since, before = self.borders(flavour)
        return since <= version < before

    @property
    def is_versioned(self) -> bool:
        return (self.mariadb_since, self.mysql_since) != (NEVER, NEVER)


def read(path: Path) -> dict[str, SometimesThere]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    return {name: file.table(name).read(SometimesThere) for name in file.data}


SOMETIMES = read(FILE)


def lacking(facts: Facts) -> list[str]:
    """Settings that a server of this version has, and that were not read from it."""
    is_known = facts.version != NO_VERSION
    here = [name for name, row in SOMETIMES.items() if is_known and row.exists(facts.flavour, facts.version)]
    return [name for name in here if facts.variable(name) is None]


@dataclass(frozen=True)
class Deciding:
    """`values`: of WORDS, as the server shows them; `engines`: in lower case, those that can be used."""

    flavour: FlavourKey
    version: Version
    values: tuple[tuple[str, str], ...]
    engines: frozenset[str]

    @classmethod
    def of(cls, facts: Facts) -> "Deciding":
        shown = ((name, facts.variable(name)) for name in WORDS)
        values = tuple((name, value) for name, value in shown if value is not None)
        return cls(
            facts.flavour, facts.version, values, frozenset(one for one in facts.engines if facts.has_engine(one))
        )

    def word(self, name: str) -> str:
        """In capital letters. Raises NotKnown."""
        value = self._shown.get(name)
        if value == NOT_TOLD:
            raise NotKnown(name)
        if value is None:
            return self._instead(name)
        found = understood(name, value)
        if found is None or not self._possible(name, found):
            raise NotKnown(name, value)
        return found

    def number(self, name: str) -> int:
        return int(self.word(name))

    def on(self, name: str) -> bool:
        return self.word(name) == "ON"

    def _instead(self, name: str) -> str:
        row = SOMETIMES.get(name)
        if row is None or row.exists(self.flavour, self.version):
            raise NotKnown(name)
        if row.is_versioned and self.version == NO_VERSION:
            raise NotKnown("version")
        return row.instead

    def _possible(self, name: str, value: str) -> bool:
        """A number that no server of this flavour runs with was not read from one."""
        rule = SETTINGS[name].rules.get(self.flavour) if name in SETTINGS else None
        return rule is None or not rule.most or rule.least <= int(value) <= rule.most

    @cached_property
    def _shown(self) -> dict[str, str]:
        return dict(self.values)
