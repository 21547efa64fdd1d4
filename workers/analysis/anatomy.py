"""Where the time of a commit goes, as far as what was measured tells.

**Source.** The response time law (Lazowska and others 1984, chapter 3): threads / throughput is the mean time from one
commit of a thread to its next, all waits included. Parts of it that were measured are taken off one by one; *rest* is
what is left: waiting for a group's turn, locks, CPU, the network. It is never split by guess.

**Fsyncs without a source of waits.** Each commit waits for as many flushes one after the other as with a single
thread, and each lasts as long as a flush of that log lasted at this number of threads: a part is flushes in series x
mean flush time.

**With performance_schema's waits.** Where a server times how long its sessions wait for a group's leader, that is a
part of its own. It contains the flushes that the leader makes meanwhile: they are taken off, never counted twice. Which
logs a leader flushes differs (`metrics.commit_waits`): MariaDB's sessions flush the redo log before they queue up.
Leaders wait for nobody, yet their flushes are taken off too: the part is a little too small, never too large.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from workers.analysis.not_computable import NotComputable

OVER = 1.1  # parts above the whole by more: what was assumed does not hold here


@dataclass(frozen=True)
class FlushCost:
    """Of one log: fsyncs per commit of a lone thread, and the mean time of one at this number of threads."""

    in_series: float
    mean_ms: float


@dataclass(frozen=True)
class Anatomy:
    """Milliseconds per commit; `parts` by name, `rest` what is in none of them."""

    whole_ms: float
    parts: Mapping[str, float]
    rest_ms: float


def anatomy(
    threads: int,
    tps: float,
    flushes: Mapping[str, FlushCost],
    leader_wait_ms: float | None = None,
    led: Collection[str] | None = None,
) -> Anatomy | NotComputable:
    """`flushes` by log; `leader_wait_ms`: waiting for a group's leader, per commit; `led`: the logs that it flushes
    meanwhile, all when not known."""
    if tps <= 0:
        return NotComputable("Nothing was committed.")
    whole = 1000 * threads / tps
    parts = {f"{log} flush": one.in_series * one.mean_ms for log, one in flushes.items()}
    if not parts:
        return NotComputable("No source timed the fsyncs.")
    flushed = sum(parts.values())
    if flushed > OVER * whole:
        return NotComputable(
            "The fsyncs of a commit would take longer than the commit: they do not follow one another here."
        )
    if leader_wait_ms is not None:
        meanwhile = sum(ms for part, ms in parts.items() if led is None or part.removesuffix(" flush") in led)
        parts["group leader"] = max(0.0, min(leader_wait_ms - meanwhile, whole - flushed))
    return Anatomy(whole, parts, max(0.0, whole - sum(parts.values())))
