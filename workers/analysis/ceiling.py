"""Upper bounds of commits per second when each commit waits for fsyncs. They ignore the CPU.

**Source.** Asymptotic bounds of a closed system (Lazowska and others, "Quantitative System Performance", 1984, chapter
5) with the service demand law (chapter 3): demand = time in fsyncs / commits, measured with one thread, which shares
no fsync and waits in no queue. A commit waits for the fsyncs of its logs in series (redo, then binlog). D is the sum of
the demands, D_max the largest demand of one log.

**With group commit.** A thread commits at most once in D, and any number of commits may share each fsync:
    X <= threads / D
With one log, groups take turns: during one group's fsync all other threads gather, and returning threads just miss the
next one. A cycle takes two fsyncs, so X = threads / 2D. With two logs on two devices the turns overlap, and the ceiling
can be reached. With two logs on one device it is half again. Settings that delay a group until all threads have come
let one log reach the ceiling.

**Without group commit.** A log writes one commit with each fsync, one fsync at a time:
    X <= min(threads / D, 1 / D_max)
It is flat from D / D_max threads on.

CPU, row locks and network may keep throughput far below both bounds. An efficiency above 1 shows that the device was
slower with one thread than later.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.analysis.not_computable import NotComputable

LONE = 0.5  # fsyncs per commit, below which a commit does not wait for an fsync of its own


@dataclass(frozen=True)
class Demand:
    """The demand of a single thread's commit on one log. `fsyncs`: per commit."""

    fsyncs: float
    ms: float


@dataclass(frozen=True)
class Ceiling:
    """`demand_ms`: D. `longest_ms`: D_max. `fsyncs`: per commit of a single thread, in series."""

    demand_ms: float
    longest_ms: float
    fsyncs: float

    def shared_tps(self, threads: int) -> float:
        """With group commit."""
        return 1000 * threads / self.demand_ms

    def unshared_tps(self, threads: int) -> float:
        """Without."""
        return min(self.shared_tps(threads), 1000 / self.longest_ms)

    def efficiency(self, threads: int, tps: float) -> float:
        """Share of the ceiling with group commit."""
        return tps / self.shared_tps(threads)


def ceiling(alone: Mapping[str, Demand]) -> Ceiling | NotComputable:
    """From the demands of a single thread, by log. Logs that a commit does not wait for are left out."""
    waited = {log: demand for log, demand in alone.items() if demand.fsyncs >= LONE}
    if not waited:
        return NotComputable("A commit does not wait for an fsync, so no fsync limits it.")
    if any(demand.ms <= 0 for demand in waited.values()):
        return NotComputable("The fsyncs took no time that could be measured.")
    return Ceiling(
        demand_ms=sum(demand.ms for demand in waited.values()),
        longest_ms=max(demand.ms for demand in waited.values()),
        fsyncs=sum(demand.fsyncs for demand in waited.values()),
    )
