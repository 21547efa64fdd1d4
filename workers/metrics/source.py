"""The seam between the runner and whatever can be read during a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from workers.errors import ServerError
from workers.servers.facts import Facts
from workers.servers.limited import Connection

# Every figure that pages know, with its unit. Sources may yield only these names.
FIGURES: dict[str, str] = {
    "commits": "transactions",
    "binlog_commits": "transactions",
    "binlog_groups": "groups",
    "redo_fsyncs": "calls",
    "binlog_fsyncs": "calls",
    "data_fsyncs": "calls",
    "redo_and_data_fsyncs": "calls",  # where the server cannot tell them apart
    "all_fsyncs": "calls",
    "redo_bytes": "bytes",
    "binlog_bytes": "bytes",
    "data_bytes": "bytes",
    "group_wait_ms": "ms",  # of all sessions together, for the leader of their commit group
}
FileClass = Literal["redo", "binlog", "data", "other"]


@dataclass(frozen=True)
class Figure:
    """A total over the measured window. `source` says where it was read: `status:Syncs`, `trace:fsync`."""

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
    """What one source yields for one run."""

    figures: tuple[Figure, ...] = ()
    latencies: tuple[FsyncLatency, ...] = ()
    per_second: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # figure name -> one value a second


@dataclass(frozen=True)
class Subject:
    """What a source may look at: an open connection, what is known of the server, and, on this host only,
    where the fsync trace of a sandbox is written (None: there is no trace)."""

    connection: Connection  # a pymysql connection of the source's own, autocommit
    facts: Facts
    trace_file: Path | None = None


def counted_anew() -> ServerError:
    """What a session's `end` raises where the counters are not those that it began with."""
    return ServerError("the server was started again, or is gone: its counters are not those of the beginning.")


class Session(Protocol):
    """One run's use of a source. Order: begin, tick (about once a second, may be never), end."""

    def begin(self) -> None: ...

    def tick(self) -> None: ...

    def end(self) -> Reading: ...


class Source(Protocol):
    """A place figures come from.

    `key` is stored; `title` and `cost` are shown where the source is switched on; `default` sources are
    on unless switched off. `missing` says in one sentence why the source is not available for a subject,
    and "" when it is. Sources are listed in `workers.metrics.registry.SOURCES`, best first: where two
    yield the same figure the page shows the earlier one's.
    """

    key: str
    title: str
    cost: str
    default: bool

    def missing(self, subject: Subject) -> str: ...

    def open(self, subject: Subject) -> Session: ...
