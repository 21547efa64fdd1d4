"""The variables that a variant may set, with meaning, values and limits. The data are in settings.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workers.errors import PlanError
from workers.servers.facts import FlavourKey, Version
from workers.toml.table import TomlTable

Kind = Literal["integer", "bytes", "choice", "switch"]

FILE = Path(__file__).with_name("settings.toml")
ALWAYS: Version = (0, 0, 0)
ON_OFF = ("ON", "OFF")
MANUALS: dict[FlavourKey, str] = {
    "mariadb": "https://mariadb.com/kb/en/{page}/#{name}",
    "mysql": "https://dev.mysql.com/doc/refman/8.4/en/{page}.html#sysvar_{name}",
}
RULE = ("needs_restart", "dynamic_since", "at_start", "at_start_since", "choices", "least", "most", "default")

_SWITCH = {"1": "ON", "TRUE": "ON", "YES": "ON", "0": "OFF", "FALSE": "OFF", "NO": "OFF"}
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Rule:
    """A variable in one flavour.

    `dynamic_since`: the first version that changes it without a restart; None: no version. `at_start`: values that do
    more in a server that was started with them than in one that got them later, since the version `at_start_since`.
    `choices` for choices and switches, in the server's spelling; `least` and `most` for numbers.
    """

    manual: str
    dynamic_since: Version | None = ALWAYS
    at_start: tuple[str, ...] = ()
    at_start_since: Version = ALWAYS
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    default: str = ""

    @property
    def allows(self) -> str:
        return ", ".join(self.choices) or f"{self.least} to {self.most}"


@dataclass(frozen=True)
class Setting:
    """`rounded`: the server may round the given number."""

    name: str
    title: str
    explains: str
    kind: Kind
    rules: Mapping[FlavourKey, Rule]
    rounded: bool = False

    def dynamic_on(self, flavour: FlavourKey, version: Version | None = None) -> bool:
        """Whether it changes without a restart; without `version`: on the newest one."""
        since = self.rules[flavour].dynamic_since if flavour in self.rules else None
        return since is not None and (version is None or version >= since)

    def wants_start(self, value: str, flavour: FlavourKey, version: Version | None = None) -> bool:
        """Whether a server must be started with this value to be what the option file would make of it."""
        rule = self.rules.get(flavour)
        by_value = rule is not None and value in rule.at_start and (version is None or version >= rule.at_start_since)
        return by_value or not self.dynamic_on(flavour, version)


def read(path: Path) -> dict[str, Setting]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    file.only(("pages", "settings"))
    pages, settings = file.table("pages"), file.table("settings")
    return {name: _setting(name, settings.table(name), pages) for name in settings.data}


def _setting(name: str, table: TomlTable, pages: TomlTable) -> Setting:
    table.only(("title", "explains", "kind", "rounded", "page", *RULE, *MANUALS))
    kind = table.one_of("kind", get_args(Kind))
    page = pages.table(table.one_of("page", pages.data))
    shared = {key: table.data[key] for key in RULE if key in table}
    rules = {
        flavour: _rule(table.over(flavour, shared), kind, MANUALS[flavour].format(page=page.text(flavour), name=name))
        for flavour in MANUALS
        if flavour in table
    }
    return Setting(name, table.text("title"), table.text("explains"), kind, rules, table.yes("rounded"))


def _rule(table: TomlTable, kind: Kind, manual: str) -> Rule:
    table.only(RULE)
    return Rule(
        manual,
        None if table.yes("needs_restart") else table.version("dynamic_since"),
        table.texts("at_start", ()),
        table.version("at_start_since"),
        table.texts("choices", ON_OFF) if kind in ("choice", "switch") else (),
        _limit(table, "least", kind),
        _limit(table, "most", kind),
        table.text("default", ""),
    )


def _limit(table: TomlTable, key: str, kind: Kind) -> int:
    if kind != "bytes":
        return table.whole(key, 0)
    said = table.text(key, "0")
    if (size := _bytes(said)) is None:
        raise table.wrong(key, f"is {said!r}", 'Write a size: "128M".')
    return size


def _bytes(value: str) -> int | None:
    match = re.fullmatch(r"([0-9]{1,20})([KMGT]?)", value.strip().upper())
    return int(match[1]) * _UNITS[match[2]] if match else None


SETTINGS = read(FILE)


def find(name: str) -> Setting:
    """Raises PlanError for a variable that is not in the catalogue."""
    if name not in SETTINGS:
        raise PlanError(f"{name} is not a setting that Durascope changes.", f"Known: {', '.join(SETTINGS)}.")
    return SETTINGS[name]


def check(name: str, value: str, flavour: FlavourKey) -> str:
    """The value in the server's spelling: `on` -> ON, `128M` -> 134217728. Raises PlanError with the allowed values."""
    setting = find(name)
    rule = setting.rules.get(flavour)
    if rule is None:
        others = ", ".join(setting.rules)
        raise PlanError(f"{name} does not exist on {flavour}.", f"It exists on: {others}.")
    normal = normal_form(value, rule, setting.kind)
    if normal is None:
        raise PlanError(f"{name} cannot be {value!r} on {flavour}.", f"Allowed: {rule.allows}.")
    return normal


def check_all(values: Mapping[str, str], flavour: FlavourKey) -> dict[str, str]:
    return {name: check(name, value, flavour) for name, value in values.items()}


def normal_form(value: str, rule: Rule, kind: Kind) -> str | None:
    """The value in the server's spelling. None: the rule does not allow this value."""
    return _choice(value, rule) if rule.choices else _number(value, rule, kind)


def same(name: str, one: str, other: str) -> bool:
    """Whether two spellings of a value are equal for the server."""
    kind = find(name).kind
    return _folded(one, kind) == _folded(other, kind)


def switch(value: str) -> str:
    """ON or OFF for every spelling of them; any other value in capital letters."""
    upper = value.strip().upper()
    return _SWITCH.get(upper, upper)


def _folded(value: str, kind: Kind) -> str:
    number = None if kind in ("switch", "choice") else _bytes(value)
    return switch(value) if number is None else str(number)


def _choice(value: str, rule: Rule) -> str | None:
    known = {choice.upper(): choice for choice in rule.choices}
    return known.get(value.strip().upper(), known.get(switch(value)))


def _number(value: str, rule: Rule, kind: Kind) -> str | None:
    number = _bytes(value) if kind == "bytes" or value.strip().isdecimal() else None
    return str(number) if number is not None and rule.least <= number <= rule.most else None
