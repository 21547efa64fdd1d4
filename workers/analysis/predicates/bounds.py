"""An effect with its interval against the bounds of a claim."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["held", "not held", "not decidable"]
Unit = Literal["times", "share", "deviation", "per second", "per commit", "commits"]


@dataclass(frozen=True)
class Effect:
    """A measured value with its 95 % interval. `value` None: not measured; `lo` or `hi` None: no interval; `why` says
    the reason. `counts`: a share in numbers, 0 of 30. A *share* is of counted things; a *deviation* is relative to the
    expected value, and may exceed 100 %."""

    unit: Unit
    value: float | None = None
    lo: float | None = None
    hi: float | None = None
    why: str = ""
    counts: str = ""


@dataclass(frozen=True)
class Bounds:
    """The effect must lie above `above` and below `below`; None: no bound on that side."""

    above: float | None = None
    below: float | None = None

    def judge(self, effect: Effect) -> Outcome:
        if effect.value is None or effect.lo is None or effect.hi is None:
            return "not decidable"
        if self._admit(effect.lo) and self._admit(effect.hi):
            return "held"
        outside = (self.above is not None and effect.hi <= self.above) or (
            self.below is not None and effect.lo >= self.below
        )
        return "not held" if outside else "not decidable"

    def _admit(self, value: float) -> bool:
        return (self.above is None or value > self.above) and (self.below is None or value < self.below)

    def in_words(self, *, percent: bool = False) -> str:
        above, below = (_text(bound, percent) for bound in (self.above, self.below))
        if above and below:
            return f"between {above} and {below}"
        return f"above {above}" if above else f"below {below}"


def _text(bound: float | None, percent: bool) -> str:
    if bound is None:
        return ""
    return f"{100 * bound:g} %" if percent and bound else f"{bound:g}"
