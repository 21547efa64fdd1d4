"""Do the sources that tell of a log's flushes contradict each other? A library that is preloaded into the server and
swallows fsync (eatmydata), or a layer below that answers without the device, is noticed so. Everybody else is told that
the commit is durable.

*Counts*: what the server says it flushed, and the calls that were seen in its own process. The sources are not read at
the same moment, and a server counts its binlog's index as well: only twice as many, and at least SEEN calls apart,
contradict.

*Time*: a flush of the server that returns in a tenth of the time that the probe's fastest flush took on the same device
did not wait for that device.
"""

from collections.abc import Mapping
from dataclasses import dataclass

TIMES = 2
SEEN = 50  # calls apart, below which chance may do it
FASTER = 10


@dataclass(frozen=True)
class FlushReports:
    """Of one log over the same window. `counts`: source -> calls; `mean_ms`: of the calls that were timed; `device_ms`:
    the fastest flush that the probe of its device knows. None: not known."""

    counts: Mapping[str, float]
    commits: float
    mean_ms: float | None = None
    device_ms: float | None = None


def contradictions(log: str, found: FlushReports) -> list[str]:
    """One sentence each, for the reader; empty where the sources agree, or where only one of them is known."""
    return [said for said in (_counts(log, found), _time(log, found)) if said]


def _counts(log: str, found: FlushReports) -> str:
    if len(found.counts) < 2 or not found.commits:
        return ""
    few, many = (pick(found.counts, key=found.counts.__getitem__) for pick in (min, max))
    fewest, most = found.counts[few], found.counts[many]
    if most < TIMES * fewest or most - fewest < SEEN:
        return ""
    least, largest = (f"{calls / found.commits:.2g}" for calls in (fewest, most))
    return f"{few} saw {least} flushes of the {log} per commit, {many} counted {largest}."


def _time(log: str, found: FlushReports) -> str:
    if found.mean_ms is None or found.device_ms is None or found.mean_ms * FASTER > found.device_ms:
        return ""
    took, least = (f"{one:.2g} ms" for one in (found.mean_ms, found.device_ms))
    return f"A flush of the {log} returned after {took}; the fastest flush of the probe on this device took {least}."
