"""The figures of one run, as its sources stored them."""

from dataclasses import dataclass

from dashboard.findings.point import FsyncHistogram


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
