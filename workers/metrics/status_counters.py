"""Figures from SHOW GLOBAL STATUS. The meaning of a counter depends on flavour and version (status_counters.toml)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workers.metrics.source import Counts, Figure, SourceSession, Subject, Window
from workers.servers import ask
from workers.servers.facts import Facts, FlavourKey, Version
from workers.servers.flavours import FLAVOUR_KEYS
from workers.toml.table import TomlTable

FILE = Path(__file__).with_suffix(".toml")
US_PER_MS = 1000
PAGE = "innodb_page_size"  # a status variable that never moves


@dataclass(frozen=True)
class Counter:
    """A figure from status variables; status_counters.toml explains the fields."""

    figure: str
    adds: tuple[str, ...]
    note: str = ""
    since: Version = (0, 0, 0)
    minus: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    in_pages: bool = False
    in_us: bool = False
    binlog: bool = False
    if_moved: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.adds, *self.minus, *self.absent, *self.still, *self.idle, *((PAGE,) if self.in_pages else ()))

    def fits(self, facts: Facts) -> bool:
        return facts.version >= self.since and (not self.binlog or facts.variable("log_bin") == "ON")

    def value(self, before: Counts, after: Counts) -> float | None:
        """None: not valid here."""
        delta = {name: after[name] - before[name] for name in self.names if name in before and name in after}
        if not set(self.adds + self.minus) <= set(delta) or set(self.absent) & set(delta):
            return None
        total = sum(delta[name] for name in self.adds) - sum(delta[name] for name in self.minus)
        if any(delta.get(name, 1) for name in self.still) or any(delta.get(name, 0) for name in self.idle):
            return None
        if self.if_moved and not total:
            return None
        # The server reads two counters at two moments, so a difference may be below 0.
        return max(total, 0) * (after[PAGE] if self.in_pages else 1) / (US_PER_MS if self.in_us else 1)


def read(path: Path) -> dict[FlavourKey, tuple[Counter, ...]]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    return {flavour: tuple(table.read(Counter) for table in file.tables(flavour)) for flavour in FLAVOUR_KEYS}


COUNTERS = read(FILE)


class StatusCounters:
    """Counters of every server, for one statement per second."""

    key = "status"
    title = "Status counters of the server"
    cost = "one SHOW GLOBAL STATUS per second, about a millisecond each"

    def missing(self, subject: Subject) -> str:
        """Every account may read them."""
        return ""

    def open(self, subject: Subject) -> SourceSession:
        counters = tuple(counter for counter in COUNTERS[subject.facts.flavour] if counter.fits(subject.facts))
        names = tuple(dict.fromkeys(name for counter in counters for name in counter.names))
        return Window(partial(_read, subject, names), partial(_figures, counters))


def _read(subject: Subject, names: tuple[str, ...]) -> Mapping[str, int]:
    listed = ", ".join(["%s"] * len(names))
    values = ask.names_to_values(subject.connection, f"SHOW GLOBAL STATUS WHERE Variable_name IN ({listed})", names)
    return {name: count for name, value in values.items() if (count := ask.whole(value)) is not None}


def _figures(counters: tuple[Counter, ...], before: Counts, after: Counts) -> tuple[Figure, ...]:
    made: dict[str, Figure] = {}
    for counter in counters:
        value = counter.value(before, after)
        if value is not None:
            made[counter.figure] = Figure(counter.figure, value, f"status:{_spelled(counter)}", counter.note)
    return tuple(made.values())


def _spelled(counter: Counter) -> str:
    """The status variables as the server prints them."""
    added, taken = ([name.capitalize() for name in names] for names in (counter.adds, counter.minus))
    return " - ".join((" + ".join(added), *taken))
