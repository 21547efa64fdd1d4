"""How often something happened in n trials, in words."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from dashboard.records.experiments.kind_names import number_of
from dashboard.records.experiments.verdict_label import COMMITS_LOST, NOTHING_LOST, OTHER_FAILURE, READ_THEN_LOST
from dashboard.text.numbers import CONFIDENCE, percent
from workers.analysis import binomial

RateState: TypeAlias = Literal["failed", "unknown", "passed"]  # worst first


@dataclass(frozen=True)
class Rate:
    """k of n. `lo` and `hi` are shares from 0 to 1; both None if n is 0. The lower bound counts no unclear trial, the
    upper bound counts all."""

    k: int
    n: int
    lo: float | None
    hi: float | None

    @property
    def counts(self) -> str:
        return f"{self.k:,} of {self.n:,}"

    @property
    def at_most(self) -> str:
        """What no failure in n trials still allows."""
        return self.still_allows("crashes")

    def still_allows(self, what: str) -> str:
        return f"up to {percent(self.hi)} of such {what} may still lose commits"

    def bounds(self, of: str = "") -> str:
        """What these trials say of the share of all such crashes: `95 % interval 20 % to 80 %`, `95 % lower bound 29 %`
        if all of 3 failed, `3 power losses are too few to be sure` if none did; "" if nothing was tried. `of`: of what
        these are shares."""
        if self.lo is None or self.hi is None:
            return ""
        share = f" of {of}" if of else ""
        if not self.lo:
            if binomial.shows_rare(self.hi):
                return f"{CONFIDENCE} upper bound {percent(self.hi)}{share}"
            return f"{self.n:,} {of} are too few to be sure" if of and self.n > 1 else "too few to be sure"
        if self.hi == 1:
            return f"{CONFIDENCE} lower bound {percent(self.lo)}{share}"
        return f"{CONFIDENCE} interval {percent(self.lo)} to {percent(self.hi)}{share}"

    def state(self, unclear: int) -> RateState:
        """`unclear`: further trials. With one of them the state is not passed."""
        return "failed" if self.k else "passed" if self.n and not unclear else "unknown"

    def look(self, unclear: int) -> str:
        """Of its badge. A few trials without a loss do not look like a proof."""
        state = self.state(unclear)
        return "info" if state == "passed" and not binomial.shows_rare(self.hi) else state

    def outcome(self, kind: str, lost: int, read: int, unclear: int) -> str:
        """In words: `nothing lost in 3 power losses, too few to be sure; 1 more unclear`. `lost`: how many of the k
        lost commits; `read`: how many others lost commits only that others had read; `unclear`: further trials."""
        more = f"; {unclear:,} more unclear" if unclear else ""
        if not self.n:
            return f"{number_of(kind, unclear)} unclear"
        trials = number_of(kind, self.n)
        if not self.k:
            few = "" if binomial.shows_rare(self.hi) else ", too few to be sure"
            return f"{NOTHING_LOST} in {trials}{few}{more}"
        words = [COMMITS_LOST] if lost else []
        words += [READ_THEN_LOST] if read else []
        words += [OTHER_FAILURE] if lost + read < self.k else []
        return f"{' or '.join(words)} in {self.k:,} of {trials}{more}"


def rate(k: int, n: int, unknown: int = 0) -> Rate:
    """`unknown`: further trials without a verdict, for instance because the server hung in recovery."""
    if not n:
        return Rate(k, n, None, None)
    return Rate(k, n, binomial.interval(k, n + unknown)[0], binomial.interval(k + unknown, n + unknown)[1])
