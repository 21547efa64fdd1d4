"""Do the sources contradict each other about a log's flushes? This notices a preloaded library that swallows fsync
(eatmydata), and a layer below the server that answers without the device.

*Counts*: the flushes that the server reports, and the calls that were traced in its process. The sources are not read
at the same moment, and a server also counts its binlog's index. So they contradict each other only when one is twice
the other and they are at least SEEN calls apart.

*Time*: a flush in a tenth of the time of the probe's fastest flush did not wait for that device.

*Commit*: a commit that waits for a flush cannot take less time than the flush. The probe and the load see the disk at
different moments, so they contradict each other only when the flush took a fifth longer than the commit.
"""

from collections.abc import Mapping
from dataclasses import dataclass

TIMES = 2
SEEN = 50  # calls apart; a smaller difference may be chance
FASTER = 10
LONGER = 1.2


@dataclass(frozen=True)
class FlushReports:
    """Of one log over one window. `counts`: source -> calls; `mean_ms`: of the timed calls; `device_ms`: the probe's
    fastest flush on the log's device. None: not known."""

    counts: Mapping[str, float]
    commits: float
    mean_ms: float | None = None
    device_ms: float | None = None


def contradictions(log: str, found: FlushReports) -> list[str]:
    """One sentence each; empty when the sources agree or only one is known."""
    return [said for said in (_counts(log, found), _time(log, found)) if said]


def of_commit(commit_ms: float, device_ms: float | None) -> str:
    """`commit_ms`: the mean of commits that wait for a flush. "" when it is no contradiction, or not known."""
    if device_ms is None or device_ms < LONGER * commit_ms:
        return ""
    took, least = (f"{one:.2g} ms" for one in (commit_ms, device_ms))
    return f"A commit waits for a flush of the disk. In the probe a flush took {least}, but a whole commit took {took}."


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
