"""The protocol of a source of figures, its values, and counters read at both ends of a run and once a second."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from workers.errors import ServerError
from workers.servers.facts import Facts
from workers.servers.limited import Connection

# Every figure with its unit. Sources may yield only these names.
FIGURES: dict[str, str] = {
    "commits": "transactions",
    "binlog_commits": "transactions",
    "binlog_groups": "groups",
    "redo_fsyncs": "calls",
    "binlog_fsyncs": "calls",
    "data_fsyncs": "calls",
    "redo_and_data_fsyncs": "calls",  # for servers that do not separate them
    "all_fsyncs": "calls",
    "redo_bytes": "bytes",
    "binlog_bytes": "bytes",
    "data_bytes": "bytes",
    "group_wait_ms": "ms",  # of all sessions, for the leaders of their commit groups
    "replica_waits": "transactions",  # semi-synchronous: those that waited for the answer of a replica
    "replica_wait_ms": "ms",
    # of the whole host and of the disk of the data
    "cpu_s": "s",
    "run_queue": "threads",
    "disk_writes": "calls",
    "disk_flushes": "calls",
    "disk_written_bytes": "bytes",
    "disk_busy_ms": "ms",
}
FileClass = Literal["redo", "binlog", "data", "other"]


@dataclass(frozen=True)
class Figure:
    """A total over the measured window. `source`: where it was read, such as `status:Syncs` or `trace:fsync`."""

    name: str
    value: float
    source: str
    note: str = ""


@dataclass(frozen=True)
class FsyncLatency:
    """Latency of the fsync calls on one class of files.

    `buckets`: upper edge in microseconds -> number of calls in (edge/2, edge]; edges are powers of two.
    """

    files: FileClass
    source: str
    calls: int
    total_ms: float
    max_ms: float
    buckets: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """The figures of one source for one run."""

    figures: tuple[Figure, ...] = ()
    latencies: tuple[FsyncLatency, ...] = ()
    per_second: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # figure name -> one value a second


@dataclass(frozen=True)
class Subject:
    """The server as a source sees it. `trace_file`: where the fsync trace of a sandbox is written; None: no trace, and
    `trace_missing` says why. `folder`: on the device of the data, of which only the name is asked; None: the server is
    not on this host."""

    connection: Connection  # a pymysql connection of the source's own, autocommit
    facts: Facts
    trace_file: Path | None = None
    trace_missing: str = "Only a sandbox can be traced."
    folder: Path | None = None


def counted_anew() -> ServerError:
    """Raised by a session's `end` when the server lost its counters meanwhile."""
    return ServerError("the server was started again, or is gone, so its counters began again.")


class SourceSession(Protocol):
    """One run's use of a source. Order: begin, tick (about once a second, may be never), end."""

    def begin(self) -> None: ...

    def tick(self) -> None: ...

    def end(self) -> Reading: ...


class Source(Protocol):
    """A place from which figures are read.

    `key` is stored; `title` and `cost` are shown in forms. `missing` says why the source is not available for a
    subject; "" when it is. They are listed in `workers.metrics.SOURCES`, best first: of two sources with the same
    figure, pages show the first.
    """

    key: str
    title: str
    cost: str

    def missing(self, subject: Subject) -> str: ...

    def open(self, subject: Subject) -> SourceSession: ...


Counts = Mapping[str, int]


class Window:
    """A SourceSession over counters that only grow.

    `read` returns the counters; `figures` makes figures from two readings; `latencies` likewise, over the whole window
    only. A server that was restarted inside the window has lost its counters: `end` raises.
    """

    def __init__(
        self,
        read: Callable[[], Counts],
        figures: Callable[[Counts, Counts], tuple[Figure, ...]],
        latencies: Callable[[Counts, Counts], tuple[FsyncLatency, ...]] = lambda before, after: (),
    ) -> None:
        self._read, self._figures, self._latencies = read, figures, latencies
        self._ticks = 0
        self._rates: dict[str, list[float]] = defaultdict(list)

    def begin(self) -> None:
        self._before = self._last = self._counts()
        self._last_s = time.monotonic()

    def tick(self) -> None:
        now, now_s = self._counts(), time.monotonic()
        for figure in self._figures(self._last, now):
            self._rates[figure.name].append(figure.value / max(now_s - self._last_s, 1e-9))
        self._last, self._last_s = now, now_s
        self._ticks += 1

    def end(self) -> Reading:
        after = self._counts()
        if any(after.get(name, 0) < count for name, count in self._before.items()):
            raise counted_anew()
        figures = self._figures(self._before, after)
        whole = {f.name: tuple(self._rates[f.name]) for f in figures if len(self._rates[f.name]) == self._ticks > 0}
        return Reading(figures, self._latencies(self._before, after), whole)

    def _counts(self) -> Counts:
        try:
            return self._read()
        except (LookupError, TypeError, ValueError) as odd:
            raise ServerError("the server answered with other columns than those that were asked for.") from odd
