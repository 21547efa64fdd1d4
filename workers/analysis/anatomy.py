"""The parts of a commit's time, as far as they were measured.

**Source.** The response time law (Lazowska and others 1984, chapter 3): threads / throughput is the mean time from one
commit of a thread to its next, with all waits. Measured parts are subtracted. The *rest* holds waiting for a group,
locks, CPU and network; it is not split further.

**Without timed waits.** Each commit waits for as many flushes in series as a commit of a single thread. Each flush
takes the mean time of a flush of that log at this number of threads.

**With performance_schema's waits.** The wait for a group's leader is a part of its own. The leader flushes during that
wait, so these flushes are subtracted from it. Which logs a leader flushes differs (`metrics.commit_waits`): MariaDB's
sessions flush the redo log before they queue. Leaders do not wait, yet their flushes are subtracted too: the part is a
little too small, never too large.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from workers.analysis.not_computable import NotComputable

REPLICA = "replica's answer"  # a leader waits for it, too, so it is no part of the wait for a leader
OVER = 1.1  # parts above the whole by more: the assumptions do not hold


@dataclass(frozen=True)
class FlushCost:
    """Of one log: fsyncs per commit with one thread, and the mean time of an fsync at this number of threads."""

    in_series: float
    mean_ms: float


@dataclass(frozen=True)
class Anatomy:
    """Milliseconds per commit. `parts`: by name; `rest_ms`: time in none of them."""

    whole_ms: float
    parts: Mapping[str, float]
    rest_ms: float


def anatomy(
    threads: int,
    tps: float,
    flushes: Mapping[str, FlushCost],
    leader_wait_ms: float | None = None,
    led: Collection[str] | None = None,
    replica_wait_ms: float | None = None,
) -> Anatomy | NotComputable:
    """`flushes`: by log; `leader_wait_ms`: the wait for a group's leader, per commit; `led`: the logs that the leader
    flushes during that wait, None: all. `replica_wait_ms`: a semi-synchronous primary's wait for an answer."""
    if tps <= 0:
        return NotComputable("Nothing was committed.")
    whole = 1000 * threads / tps
    parts = {f"{log} flush": one.in_series * one.mean_ms for log, one in flushes.items()}
    if not parts:
        return NotComputable("No source timed the fsyncs.")
    if replica_wait_ms is not None:
        parts[REPLICA] = replica_wait_ms
    flushed = sum(parts.values())
    if flushed > OVER * whole:
        return NotComputable(
            "The fsyncs of a commit would take longer than the commit: they do not follow one another here."
        )
    if leader_wait_ms is not None:
        meanwhile = sum(
            ms for part, ms in parts.items() if led is None or part == REPLICA or part.removesuffix(" flush") in led
        )
        parts["group leader"] = max(0.0, min(leader_wait_ms - meanwhile, whole - flushed))
    return Anatomy(whole, parts, max(0.0, whole - sum(parts.values())))
