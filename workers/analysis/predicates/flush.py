"""Predicates on the device under a variant: the cost of its flushes, from the fitted time = N/R + K."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workers.analysis.fsync_model import FsyncModel
from workers.analysis.not_computable import NotComputable
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.measured import MeasuredResult
from workers.analysis.predicates.predicate import Predicate

PAGE_BYTES = 4096
TOO_SHORT = "too few rounds were measured for an interval"
NO_LEAST = "the times vary so much that the interval includes 0"
MANY_BYTES = 100_000  # "the latency to fsync() 100K sequential bytes"


@dataclass(frozen=True)
class FlushFigure(Predicate):
    """A figure of FLUSH_FIGURES of the device under a variant, when it overwrites in place as a redo log does."""

    variant: str
    figure: str

    def measure(self, measured: MeasuredResult) -> Effect:
        model = measured.flushes(self.variant)
        if isinstance(model, NotComputable):
            return Effect("times", why=model.why)
        return FLUSH_FIGURES[self.figure](model)

    @property
    def in_percent(self) -> bool:
        return self.figure in SHARES

    @property
    def in_words(self) -> str:
        return f"{self.figure}: device of {self.variant}"

    def as_dict(self) -> Mapping[str, object]:
        return {"flush": {"variant": self.variant, "figure": self.figure}}


def _per_second(model: FsyncModel) -> Effect:
    ends, value = _ends(model, PAGE_BYTES), 1000 / model.ms(PAGE_BYTES)
    if ends is None or ends[0] <= 0:
        return Effect("per second", value, why=NO_LEAST if ends else TOO_SHORT)
    return Effect("per second", value, 1000 / ends[1], 1000 / ends[0])


def _ends(model: FsyncModel, size_bytes: int) -> tuple[float, float] | None:
    """Shortest and longest time of that size within the intervals of K and R."""
    k, slope = model.k_ms.interval, model.ms_per_byte.interval
    return (k[0] + size_bytes * slope[0], k[1] + size_bytes * slope[1]) if k and slope else None


def _many_over_one(model: FsyncModel) -> Effect:
    """Each end over the opposite end of the other: too wide, never too narrow."""
    value = model.ms(MANY_BYTES) / model.ms(1)
    many, one = _ends(model, MANY_BYTES), _ends(model, 1)
    if many is None or one is None or one[0] <= 0:
        return Effect("times", value, why=NO_LEAST if one else TOO_SHORT)
    return Effect("times", value, many[0] / one[1], many[1] / one[0])


def _deviation(model: FsyncModel) -> Effect:
    """The largest distance of any size from the line. Each end of the interval is the largest of the sizes' ends."""
    value = max(abs(one.share.value) for one in model.residuals)
    ends = [one.share.interval for one in model.residuals if one.share.interval]
    if len(ends) < len(model.residuals):
        return Effect("deviation", value, why=TOO_SHORT)
    nearest = max(0.0 if lo <= 0 <= hi else min(abs(lo), abs(hi)) for lo, hi in ends)
    return Effect("deviation", value, nearest, max(max(abs(lo), abs(hi)) for lo, hi in ends))


FLUSH_FIGURES: dict[str, Callable[[FsyncModel], Effect]] = {
    "flushes per second": _per_second,
    "time of 100 KB over one byte": _many_over_one,
    "largest deviation from the line": _deviation,
}
SHARES = frozenset({"largest deviation from the line"})
