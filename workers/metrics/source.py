"""The protocol of a source of figures, and its values."""

from collections.abc import Mapping
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
    """The server as a source sees it. `trace_file`: where the fsync trace of a sandbox is written; None: no trace."""

    connection: Connection  # a pymysql connection of the source's own, autocommit
    facts: Facts
    trace_file: Path | None = None


def counted_anew() -> ServerError:
    """Raised by a session's `end` when the server lost its counters meanwhile."""
    return ServerError("the server was started again, or is gone, so its counters began again.")


class Session(Protocol):
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

    def open(self, subject: Subject) -> Session: ...
