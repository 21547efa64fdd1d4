"""What one run counted, as its sources stored it."""

from dataclasses import dataclass

from dashboard.findings.point import FsyncHistogram
from dashboard.findings.stored import read


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


@dataclass(frozen=True)
class RunFigures:
    """`counts`: what the transactions are, see `dashboard.findings.counted`. Better sources come first."""

    transactions: int
    counts: str
    figures: tuple[RunFigure, ...]
    latencies: tuple[FileHistogram, ...] = ()


def figures_of(stored: object) -> tuple[RunFigure, ...]:
    """From `Run.figures`."""
    return read(tuple[RunFigure, ...], stored)


def latencies_of(stored: object) -> tuple[FileHistogram, ...]:
    """From `Run.latencies`."""
    return read(tuple[FileHistogram, ...], stored)
