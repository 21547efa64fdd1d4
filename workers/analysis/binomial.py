"""A share that was counted, k of n, with its exact binomial 95 % interval (Clopper and Pearson, 1934)."""

from functools import cache

import scipy

LEVEL = 0.95
RARE = 0.1


@cache
def interval(k: int, n: int) -> tuple[float, float]:
    """Always two-sided: 0 of 30 is at most 12 %. A side that is chosen after counting would make the interval too
    narrow. It covers the true share in 95 % of cases or more (docs/research/models.md)."""
    tail = (1 - LEVEL) / 2
    low = scipy.special.betaincinv(k, n - k + 1, tail) if k else 0
    high = scipy.special.betaincinv(k + 1, n - k, 1 - tail) if k < n else 1
    return float(low), float(high)


def shows_rare(hi: float | None) -> bool:
    """Whether the upper bound of a share is so low that nobody is asked for more trials. None: nothing was tried."""
    return hi is not None and hi <= RARE
