"""How often something happens, seen k times in n: the exact binomial 95 % interval (Clopper and Pearson, 1934)."""

from functools import cache

import scipy

LEVEL = 0.95


@cache
def interval(k: int, n: int) -> tuple[float, float]:
    """With none or all of n the whole 5 % lies on the one side that is open: 0 of 30 is at most 9.5 %."""
    side = "less" if k == 0 else "greater" if k == n else "two-sided"
    found = scipy.stats.binomtest(k, n, alternative=side).proportion_ci(LEVEL, "exact")
    return float(found.low), float(found.high)
