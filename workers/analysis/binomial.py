"""How often something happens, seen k times in n: the exact binomial 95 % interval (Clopper and Pearson, 1934)."""

from functools import cache

import scipy

LEVEL = 0.95


@cache
def interval(k: int, n: int) -> tuple[float, float]:
    """Always two-sided: 0 of 30 is at most 12 %. A side that is chosen after k was seen would make it too narrow. It
    holds the truth in at least 95 % of all cases, mostly in more: there are only n + 1 answers (docs/models.md)."""
    found = scipy.stats.binomtest(k, n).proportion_ci(LEVEL, "exact")
    return float(found.low), float(found.high)
