"""How fast commits can be where each waits for fsyncs: bounds that hold whatever the server does with its CPU.

**Source.** Asymptotic bounds of a closed system (Lazowska and others, "Quantitative System Performance", 1984, chapter
5) with the service demand law (chapter 3): demand = time in fsyncs / commits, measured with one thread, when nobody
shares and nobody queues. A commit waits for the fsyncs of its logs one after the other (redo, then binlog): D is the
sum of the demands, D_max the largest of a single log.

**With group commit.** A thread commits at most once in D, and any number of commits may share each fsync:
    X <= threads / D
which is threads / (fsyncs in series x fsync latency). It is reached when each fsync serves everybody who can wait for
it. One log: groups take turns. While one group's fsync is under way all others gather, and those who return just miss
the next one: a cycle of two fsyncs, half of the ceiling, X = threads / 2D. Two logs on devices that flush at the same
time: one group is in the redo log while the other is in the binlog, the turns overlap, and the ceiling can be reached.
Two logs on one device that flushes one after the other: half of it again. Wait knobs that hold a group until everybody
is there bring one log up to the ceiling.

**Without group commit.** A log takes one commit with each fsync, one fsync at a time:
    X <= min(threads / D, 1 / D_max)
flat from D / D_max threads on, however many come.

Neither holds the CPU, row locks or the network, which may keep throughput far below. A device that was slower or faster
with one thread than later moves the bound: an efficiency above 1 says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.analysis.not_computable import NotComputable

LONE = 0.5  # fsyncs per commit: below, a commit does not wait for one of its own


@dataclass(frozen=True)
class Demand:
    """What a commit of a lone thread asks of one log; `fsyncs` per commit."""

    fsyncs: float
    ms: float


@dataclass(frozen=True)
class Ceiling:
    """`demand_ms`: D. `longest_ms`: D_max. `fsyncs`: per commit of a lone thread, in series."""

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
    """From the demands of a lone thread, by log; logs that a commit does not wait for are left out."""
    waited = {log: demand for log, demand in alone.items() if demand.fsyncs >= LONE}
    if not waited:
        return NotComputable("A commit does not wait for an fsync: there is no ceiling.")
    if any(demand.ms <= 0 for demand in waited.values()):
        return NotComputable("The fsyncs took no time that could be measured.")
    return Ceiling(
        demand_ms=sum(demand.ms for demand in waited.values()),
        longest_ms=max(demand.ms for demand in waited.values()),
        fsyncs=sum(demand.fsyncs for demand in waited.values()),
    )
