"""Stalls: runs of seconds in which a server hardly commits, as at checkpoints or with sync_binlog=0, when a
full page cache is written out at once. A mean hides them; the time series must show them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BELOW = 0.1  # of the series' median


@dataclass(frozen=True)
class Stall:
    """`start`: index of its first second in the series; `seconds`: how many in a row."""

    start: int
    seconds: int


def stalls(series: Sequence[float], below: float = BELOW) -> list[Stall]:
    """Runs of seconds below a tenth of the median. A series whose median is zero has no level to fall from:
    it yields none (such a run is failed, not stalled)."""
    values = np.asarray(series, dtype=float)
    if values.size == 0 or (median := float(np.median(values))) <= 0:
        return []
    low = np.concatenate(([False], values < below * median, [False]))
    edges = np.flatnonzero(low[1:] != low[:-1])
    return [Stall(int(start), int(end - start)) for start, end in zip(edges[::2], edges[1::2], strict=True)]
