"""Does group commit work? The answer comes from fsyncs per commit at several numbers of threads.

**Source.** Claims G1 to G3 of the seed articles. The method is that of the MySQL bug report on lost group commit (Bug
#13669) and of Nielsen's measurements for MariaDB. With group commit one flush makes all waiting commits durable, so
fsyncs per commit fall about as 1/threads. Without it they stay as with one thread.

Each log (redo, binlog) is judged by its `drop`: fsyncs per commit at the highest number of threads over those at the
lowest. *Works*: half or less is left. *Does not work*: three quarters or more are left. *Unknown*: between, or the 95 %
interval of the drop crosses a border. Counts of fsyncs are taken as Poisson, which is rather too wide.
*No need*: a single commit does not wait for an fsync of this log (fewer than one for two commits), or so little time
was spent in fsyncs that commits seldom waited together.

It holds for *this* load. Threads that wait for row locks cannot share an fsync: use a workload without hot rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Literal

from workers.analysis.ceiling import LONE
from workers.analysis.statistics import Estimate
from workers.analysis.student import Z

Verdict = Literal["works", "does not work", "no need", "unknown"]
MIN_THREADS = 8  # fewer seldom wait for the same fsync
MIN_SPAN = 4  # highest number of threads over the lowest
MIN_COMMITS = 100
WORKS, FAILS = 0.5, 0.75  # share of the fsyncs per commit that is left
MET = 0.5  # share of the time in fsyncs, below which commits seldom wait together


@dataclass(frozen=True)
class Shared:
    """Fsyncs of one log at a number of threads. `busy`: time in fsyncs of all logs that a commit waits for, over the
    measured time (above 1 when they overlap); None: no source timed them."""

    threads: int
    commits: float
    fsyncs: float
    busy: float | None = None

    @property
    def per_commit(self) -> float:
        return self.fsyncs / self.commits


@dataclass(frozen=True)
class GroupCommit:
    """`alone` and `together`: fsyncs per commit at the lowest and the highest number of threads; `drop`: their ratio;
    `works_from`: the fewest threads from which on half or less is left."""

    verdict: Verdict
    why: str
    alone: float | None = None
    together: float | None = None
    low_threads: int | None = None
    high_threads: int | None = None
    drop: Estimate | None = None
    works_from: int | None = None


def judge(points: Sequence[Shared]) -> GroupCommit:
    """The verdict on one log under one set of settings."""
    usable = sorted((p for p in points if p.commits >= MIN_COMMITS), key=lambda point: point.threads)
    if not usable:
        return GroupCommit("unknown", "Fsyncs of this log per commit are not known, or too few commits were made.")
    lowest, highest = usable[0], usable[-1]
    judged = partial(
        GroupCommit,
        alone=lowest.per_commit,
        together=highest.per_commit,
        low_threads=lowest.threads,
        high_threads=highest.threads,
    )
    if lowest.threads == 1 and lowest.per_commit < LONE:
        return judged("no need", "Commits do not wait for fsyncs of this log.")
    if highest.threads < MIN_THREADS or highest.threads < MIN_SPAN * lowest.threads:
        needed = max(MIN_THREADS, MIN_SPAN * lowest.threads)
        return judged("unknown", f"Measured up to {highest.threads} threads only; {needed} are needed.")
    if lowest.fsyncs < 1:
        return judged("no need", "This log was not flushed.")
    drop, lo, hi = _drop(lowest, highest)
    verdict, why = _verdict(drop, lo, hi, highest)
    works_from = _works_from(usable) if verdict == "works" else None
    return judged(verdict, why, drop=Estimate(drop, lo, hi), works_from=works_from)


def _drop(lowest: Shared, highest: Shared) -> tuple[float, float, float]:
    """With the interval of a ratio of two Poisson rates, on the log scale."""
    spread = Z * math.sqrt(1 / lowest.fsyncs + 1 / max(highest.fsyncs, 0.5))
    value = highest.per_commit / lowest.per_commit
    about = max(highest.fsyncs, 0.5) / highest.commits / lowest.per_commit
    return value, min(about * math.exp(-spread), value), about * math.exp(spread)


def _verdict(drop: float, lo: float, hi: float, highest: Shared) -> tuple[Verdict, str]:
    left = f"At {highest.threads} threads {100 * drop:.0f} % of the fsyncs per commit are left."
    if hi <= WORKS:
        return "works", left
    if highest.busy is not None and highest.busy < MET:
        return (
            "no need",
            f"Only {100 * highest.busy:.0f} % of the time was spent in fsyncs: commits seldom waited together.",
        )
    if lo >= FAILS:
        return "does not work", left
    return "unknown", f"{left} That is between working and not working."


def _works_from(ascending: Sequence[Shared]) -> int:
    enough = WORKS * ascending[0].per_commit
    sharing = takewhile(lambda point: point.per_commit <= enough, reversed(ascending))
    return min(point.threads for point in sharing)
