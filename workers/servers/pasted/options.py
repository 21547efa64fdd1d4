"""The options of the servers (options.tsv, made from the servers themselves by tests/bench/option_files/table.py).

The first row names the servers. Rows that begin with @ say what a server does with all options: its groups, and how it
reads names and numbers. Each other row is an option; an empty cell: that server does not know it. A cell is a kind, and
for settings that the audit compares a default, and bounds or choices:

    n N     a number; capital: its value may be left out
    b i l   a switch. A value that is none: b switches it off, i leaves it; l looks at its first character
    e E     one of the choices, or its number
    w W     one of the choices, in these letters; checked when InnoDB starts
    s S     any text
    ?       it is taken, and its help does not say more
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from workers.servers.facts import FlavourKey, Version

FILE = Path(__file__).with_suffix(".tsv")
EMPTY = "-"  # a default


@dataclass(frozen=True)
class KnownOption:
    """`default`: None: not in the table. `least`, `most`: of a number; None: the server refuses what lies outside."""

    kind: str
    default: str | None = None
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ServerOptions:
    """A server of the table."""

    flavour: FlavourKey
    version: Version
    habits: Mapping[str, str] = field(repr=False)
    options: Mapping[str, KnownOption] = field(repr=False)
    names: tuple[str, ...] = field(repr=False)  # of the options, in order

    @property
    def series(self) -> tuple[int, int]:
        return self.version[:2]

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))

    @cached_property
    def longest(self) -> int:
        """Characters of its longest name."""
        return max(map(len, self.names))

    def habit(self, name: str) -> str:
        return self.habits[name]

    def groups(self, version: Version) -> frozenset[str]:
        """Of this server, or of another version that reads as it does."""
        ours, theirs = (f"{one[0]}.{one[1]}" for one in (self.version, version))
        return frozenset(
            group.replace(f"-{ours}", f"-{theirs}").replace(f"-{self.version[0]} ", f"-{version[0]} ").rstrip()
            for group in (f"{one} " for one in self.habits["groups"].split())
        )


@cache
def servers() -> tuple[ServerOptions, ...]:
    """In the order of the table: by flavour, the oldest first."""
    rows = [line.split("\t") for line in FILE.read_text().splitlines()]
    return tuple(_server(title, _column(rows[1:], at)) for at, title in enumerate(rows[0][1:], start=1))


def _column(rows: list[list[str]], at: int) -> Iterator[tuple[str, str]]:
    return ((row[0], row[at]) for row in rows if row[at])


def _server(title: str, cells: Iterator[tuple[str, str]]) -> ServerOptions:
    flavour, _, version = title.partition(" ")
    major, minor, patch = map(int, version.split("."))
    habits: dict[str, str] = {}
    options: dict[str, KnownOption] = {}
    for name, cell in cells:
        if name.startswith("@"):
            habits[name[1:]] = cell
        else:
            options[name] = _option(cell)
    key: FlavourKey = "mariadb" if flavour == "mariadb" else "mysql"
    return ServerOptions(key, (major, minor, patch), habits, options, tuple(sorted(options)))


def _option(cell: str) -> KnownOption:
    kind, *details = cell.split(" ")
    if not details:
        return KnownOption(kind)
    default = "" if details[0] == EMPTY else details[0]
    limits = details[1] if len(details) > 1 else ""
    if kind in "nN":
        least, most = (int(one) if one.isdecimal() else None for one in limits.split(".."))
        return KnownOption(kind, default, least, most)
    return KnownOption(kind, default, choices=tuple(limits.split(",")) if limits else ())


def of_flavour(flavour: FlavourKey) -> list[ServerOptions]:
    return [one for one in servers() if one.flavour == flavour]


def nearest(flavour: FlavourKey, version: Version) -> ServerOptions:
    """Of the same series, else the nearest lower one, else the oldest."""
    listed = of_flavour(flavour)
    same = [one for one in listed if one.series == version[:2]]
    lower = [one for one in listed if one.version <= version]
    return (same or lower[-1:] or listed)[0]


def newer(server: ServerOptions, version: Version) -> ServerOptions | None:
    """The next of the table, for a version that lies between it and this server; None for any other version."""
    if version[:2] == server.series or version < server.version:
        return None
    return next((one for one in of_flavour(server.flavour) if one.version > version), None)
