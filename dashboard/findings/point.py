"""The figures of one run, as its sources stored them, and of a point: one server, variant, workload and number of
threads, all repeats together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dashboard.text.ratios import rounded
from workers.analysis.compare import Decision
from workers.analysis.statistics import Estimate


@dataclass(frozen=True)
class SourcedFigure:
    value: float
    source: str
    note: str = ""


@dataclass(frozen=True)
class FsyncHistogram:
    """Fsync calls on one class of files. `buckets`: upper edge in microseconds -> calls."""

    source: str
    calls: int
    total_ms: float
    max_ms: float
    buckets: Mapping[str, int]

    @property
    def mean_ms(self) -> float | None:
        return self.total_ms / self.calls if self.calls else None


@dataclass(frozen=True)
class RunFigure:
    """A total over the measured seconds. `value` None: the source could not read it, and `note` says why."""

    name: str
    value: float | None
    source: str
    note: str = ""


@dataclass(frozen=True)
class FileHistogram(FsyncHistogram):
    """The fsync calls that one source timed on one class of files."""

    files: str


Figures = tuple[RunFigure, ...]  # as `Run.figures` stores them
Latencies = tuple[FileHistogram, ...]  # as `Run.latencies` stores them


@dataclass(frozen=True)
class RunFigures:
    """`counts`: the unit of the transactions, see `dashboard.findings.counted`. Better sources come first."""

    transactions: int
    counts: str
    figures: Figures
    latencies: Latencies = ()


@dataclass(frozen=True)
class Stalls:
    """Seconds with almost no commits."""

    count: int
    seconds: int
    longest_s: int


@dataclass(frozen=True)
class Contradiction:
    """Between the sources of a class of files, in words."""

    files: str
    says: str


@dataclass(frozen=True)
class ThroughputRatio(Estimate):
    """Throughput over that of another point. `p` is adjusted for the number of comparisons."""

    p: float | None = None
    decision: Decision = "measured once"

    @property
    def in_words(self) -> tuple[str, str]:
        return rounded(self.value, self.lo, self.hi)


@dataclass(frozen=True, kw_only=True)
class Point:
    """`tps`: of the unit in `counts`, per second, with its 95 % interval. `settled` False: still rising or falling;
    None: not known. `commits` None: no source counted them. Per commit: `fsyncs` by class of files, `group_wait_ms`
    for the group's leader, `replica_waits` for an answer of a replica; a wait for one took `replica_wait_ms`.
    `host`: means of the server's host by figure, per second. `ratio` None: there is nothing to compare with."""

    server_id: int
    variant: str
    workload: str
    threads: int
    run_ids: tuple[int, ...]
    cell_ids: tuple[int, ...]
    repeats: int
    seconds: int
    tps: float
    lo: float | None
    hi: float | None
    settled: bool | None
    stalls: Stalls
    latency_ms: Mapping[str, float]
    transactions: int
    errors: int
    counts: str
    commits: float | None
    fsyncs: Mapping[str, SourcedFigure]
    group: SourcedFigure | None
    group_wait_ms: SourcedFigure | None
    missing: tuple[str, ...]
    fsync_latency: Mapping[str, FsyncHistogram]
    contradictions: tuple[Contradiction, ...]
    host: Mapping[str, float] = field(default_factory=dict)
    ratio: ThroughputRatio | None = None
    replica_waits: float | None = None
    replica_wait_ms: SourcedFigure | None = None

    def fsyncs_of(self, log: str) -> SourcedFigure | None:
        """Per commit. If the server does not separate redo log and data files, the figure of both."""
        return self.fsyncs.get(log) or (self.fsyncs.get("redo and data") if log == "redo" else None)

    def fsync_ms(self, log: str) -> float | None:
        """The mean of the log's fsyncs; None if no source timed them."""
        timed = self.fsync_latency.get(log)
        return timed.mean_ms if timed else None
