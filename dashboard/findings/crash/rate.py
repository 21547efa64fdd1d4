"""How often something happened in n trials, as pages say it."""

from dataclasses import dataclass

from dashboard.text.numbers import percent
from workers.analysis import binomial


@dataclass(frozen=True)
class Rate:
    """k of n. `lo` and `hi` are shares of one; both None where nothing was tried. The bounds hold for trials that could
    not tell too: for the lower none of them happened, for the upper all."""

    k: int
    n: int
    lo: float | None
    hi: float | None

    @property
    def counts(self) -> str:
        return f"{self.k:,} of {self.n:,}"

    @property
    def text(self) -> str:
        """0 of 30, at most 12 %; 4 of 4, at least 40 %; 2 of 30, 0.82 % to 22 %."""
        return f"{self.counts}, {self.bounds}" if self.n else "not tried"

    @property
    def bounds(self) -> str:
        if not self.n:
            return ""
        if self.k == 0:
            return f"at most {percent(self.hi)}"
        return f"at least {percent(self.lo)}" if self.k == self.n else f"{percent(self.lo)} to {percent(self.hi)}"


def rate(k: int, n: int, unknown: int = 0) -> Rate:
    """`unknown`: further trials without a verdict, for instance of a server that hung in its recovery."""
    if not n:
        return Rate(k, n, None, None)
    return Rate(k, n, binomial.interval(k, n + unknown)[0], binomial.interval(k + unknown, n + unknown)[1])
