"""Figures from SHOW GLOBAL STATUS. The meaning of a counter depends on flavour and version.

They were checked against known numbers of commits, performance_schema and strace on MariaDB 10.11 and MySQL 8.0.
MariaDB without a binlog has no count of commits: Handler_commit also counts statements and reads, and Com_commit counts
nothing under autocommit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from workers.metrics.source import Figure, Session, Subject
from workers.metrics.window import Counts, Window
from workers.servers import ask
from workers.servers.facts import Facts, FlavourKey

PAGE = "innodb_page_size"  # a status variable that never moves


@dataclass(frozen=True)
class Counter:
    """A figure from status variables (lower case): the sum of `adds` less `minus`.

    It is valid only `since` a version; with the binlog on, if `binlog`; without a variable of `absent`; when no
    variable of `still` moved in the window (it would distort the count); when none of `idle` moved (else another engine
    committed); and, `if_moved`, when it is not 0.
    """

    figure: str
    adds: tuple[str, ...]
    minus: tuple[str, ...] = ()
    note: str = ""
    in_pages: bool = False
    since: tuple[int, int, int] = (0, 0, 0)
    binlog: bool = False
    absent: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    if_moved: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.adds, *self.minus, *self.absent, *self.still, *self.idle, *((PAGE,) if self.in_pages else ()))

    def fits(self, facts: Facts) -> bool:
        return facts.version >= self.since and (not self.binlog or facts.variable("log_bin") == "ON")

    def value(self, before: Counts, after: Counts) -> int | None:
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
        return max(total, 0) * (after[PAGE] if self.in_pages else 1)


_WRITTEN = "transactions that wrote to the binlog"
_UNPADDED = "the log's own bytes; writes to the device are padded to blocks"
_TOKUDB_FSYNCS = ("tokudb_filesystem_fsync_num",)

COUNTERS: dict[FlavourKey, tuple[Counter, ...]] = {
    "mariadb": (
        Counter("commits", ("binlog_commits",), note=_WRITTEN, binlog=True),
        Counter("binlog_commits", ("binlog_commits",), binlog=True),
        Counter("binlog_groups", ("binlog_group_commits",), binlog=True),
        Counter("redo_fsyncs", ("innodb_os_log_fsyncs",), idle=_TOKUDB_FSYNCS),
        Counter("redo_fsyncs", ("rocksdb_wal_synced",), note="the write-ahead log of MyRocks", if_moved=True),
        Counter(
            "redo_and_data_fsyncs",
            ("innodb_data_fsyncs",),
            note="redo log and data files together: this server does not separate them",
            absent=("innodb_os_log_fsyncs",),
        ),
        Counter("redo_and_data_fsyncs", _TOKUDB_FSYNCS, note="log and tables of TokuDB", if_moved=True),
        Counter("binlog_fsyncs", ("syncs",), note="also counts the binlog's index, DDL and Aria", binlog=True),
        Counter("redo_bytes", ("innodb_os_log_written",), note=_UNPADDED),
        Counter("binlog_bytes", ("binlog_bytes_written",), binlog=True),
        # Without the redo log since its rewrite in 10.8: measured on 10.11 as pages plus doublewrite, to the byte.
        Counter("data_bytes", ("innodb_data_written",), note="with the doublewrite", since=(10, 8, 0)),
    ),
    "mysql": (
        # A rollback uses the cache too, and looks like a commit: then there is no figure.
        Counter("commits", ("binlog_cache_use",), note=_WRITTEN, binlog=True, still=("handler_rollback",)),
        Counter("binlog_commits", ("binlog_cache_use",), binlog=True, still=("handler_rollback",)),
        Counter("redo_fsyncs", ("innodb_os_log_fsyncs",)),
        Counter("data_fsyncs", ("innodb_data_fsyncs",), minus=("innodb_os_log_fsyncs",)),
        Counter("redo_bytes", ("innodb_os_log_written",), note=_UNPADDED),
        Counter(
            "data_bytes",
            ("innodb_pages_written", "innodb_dblwr_pages_written"),
            note="whole pages, with the doublewrite; compressed pages are shorter",
            in_pages=True,
        ),
    ),
}


class StatusCounters:
    """Counters of every server, for one statement per second."""

    key = "status"
    title = "Status counters of the server"
    cost = "one SHOW GLOBAL STATUS per second, about a millisecond each"
    default = True

    def missing(self, subject: Subject) -> str:
        """Every account may read them."""
        return ""

    def open(self, subject: Subject) -> Session:
        counters = tuple(counter for counter in COUNTERS[subject.facts.flavour] if counter.fits(subject.facts))
        names = tuple(dict.fromkeys(name for counter in counters for name in counter.names))
        return Window(partial(_read, subject, names), partial(_figures, counters))


def _read(subject: Subject, names: tuple[str, ...]) -> Mapping[str, int]:
    listed = ", ".join(["%s"] * len(names))
    values = ask.names_to_values(subject.connection, f"SHOW GLOBAL STATUS WHERE Variable_name IN ({listed})", names)
    return {name: int(value) for name, value in values.items() if value.isdecimal()}


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
