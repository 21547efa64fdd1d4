"""From values to pixels, and where an axis has its ticks."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Values `low` to `high` at pixels `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel; a log axis has no place below its low end, so that such a value stands there."""
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        here = math.log(max(value, self.low)) if self.log else value
        return self.start + (self.end - self.start) * ((here - low) / (high - low) if high > low else 0.5)


def from_zero(values: Iterable[float], start: float, end: float) -> Scale:
    return Scale(0, max([*values, 0]) * 1.05 or 1, start, end)


def logarithmic(values: Iterable[float], start: float, end: float, room: float = 1.2) -> Scale:
    positive = [value for value in values if value > 0] or [1]
    return Scale(min(positive) / room, max(positive) * room, start, end, log=True)


def ticks(scale: Scale, few: int = 5) -> list[float]:
    return _decades(scale) if scale.log else _rounds(scale, few)


def _rounds(scale: Scale, few: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten."""
    rough = scale.high / few
    power = 10 ** math.floor(math.log10(rough))
    step = next(one * power for one in (1, 2, 5, 10) if one * power >= rough)
    return [step * n for n in range(int(scale.high / step) + 1)]


def _decades(scale: Scale) -> list[float]:
    first, last = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    steps = (1,) if last - first > 3 else (1, 2, 5)
    found = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [value for value in found if scale.low <= value <= scale.high]


def apart(wanted: list[float], least: float, top: float, bottom: float) -> list[float]:
    """Places near those wanted, each `least` or more below the one before it, from top to bottom where that can be."""
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    places = [0.0] * len(wanted)
    before = -math.inf
    for n in order:
        before = places[n] = max(wanted[n], before + least, top)
    after = bottom + least
    for n in reversed(order):
        after = places[n] = min(places[n], after - least)
    return places
