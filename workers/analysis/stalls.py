"""Stalls: consecutive seconds in which a server hardly commits, as at checkpoints or with sync_binlog=0, when a full
page cache is written at once. A mean hides them; a time series shows them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BELOW = 0.1  # of the series' median


@dataclass(frozen=True)
class Stall:
    """`start`: index of its first second in the series; `seconds`: its length."""

    start: int
    seconds: int


def stalls(series: Sequence[float]) -> list[Stall]:
    """Consecutive seconds below a tenth of the median. A series whose median is zero has none: it failed."""
    values = np.asarray(series, dtype=float)
    if values.size == 0:
        return []
    low = np.concatenate(([False], values < BELOW * np.median(values), [False]))
    edges = np.flatnonzero(low[1:] != low[:-1])
    return [Stall(int(start), int(end - start)) for start, end in zip(edges[::2], edges[1::2], strict=True)]
