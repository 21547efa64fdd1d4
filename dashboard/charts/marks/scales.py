"""Axes of marks: from a value to a place in percent of the picture's width, with ticks.

Places are percents, so that marks keep their size in CSS pixels at any width."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

ZERO = 3.6  # where a logarithmic axis keeps its zero, apart from the rest
ZERO_WIDTH = 10.0  # of its column, from the left edge
FIRST = 16.0  # where its first power of ten stands
LAST = 96.0
MOST_TICKS = 5
STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Tick:
    value: float
    at: float


class Scale(Protocol):
    @property
    def ticks(self) -> Sequence[Tick]: ...

    def at(self, value: float) -> float: ...


@dataclass(frozen=True)
class Linear:
    """From zero to `most`, at `last` percent."""

    most: float
    last: float = LAST
    steps: int = 4

    def at(self, value: float) -> float:
        return _rounded(max(0.0, min(value / self.most, 1.05)) * self.last) if self.most > 0 else 0.0

    @property
    def ticks(self) -> list[Tick]:
        if self.most <= 0:
            return [Tick(0, 0)]
        rough = self.most / self.steps
        size = 10 ** math.floor(math.log10(rough))
        step = next(one * size for one in STEPS if one * size >= rough * 0.999)
        return [Tick(nth * step, self.at(nth * step)) for nth in range(int(self.most / step * 1.0001) + 1)]


@dataclass(frozen=True)
class WithZero:
    """Logarithmic from `least` to `most`, with a column of its own for zero. `most` 0: nothing but zero."""

    least: float
    most: float

    @classmethod
    def over(cls, values: Sequence[float]) -> "WithZero":
        """Over at least two powers of ten: a small difference must not look like a large one."""
        positive = [one for one in values if one > 0]
        if not positive:
            return cls(1, 0)
        top = max(positive)
        lowest = math.floor(math.log10(min(positive)))
        return cls(10.0 ** min(lowest, math.floor(math.log10(top)) - 1), top)

    def at(self, value: float) -> float:
        if value <= 0 or self.most <= 0:
            return ZERO
        span = math.log10(self.most * 1.15 / self.least)
        return _rounded(FIRST + (LAST - FIRST) * max(0.0, math.log10(value / self.least)) / span)

    @property
    def ticks(self) -> list[Tick]:
        zero = Tick(0, ZERO)
        if self.most <= 0:
            return [zero]
        first, last = round(math.log10(self.least)), math.floor(math.log10(self.most * 1.15))
        every = -(-(last - first + 1) // (MOST_TICKS - 1))
        return [zero, *(Tick(10.0**power, self.at(10.0**power)) for power in range(first, last + 1, every))]


def _rounded(place: float) -> float:
    return round(place, 1)
