"""Mean throughput of a point and the ratio of two points, each with a 95 % interval.

**Method.** Student's t on the means of the repeats. The spread of the repeats holds the noise of their seconds and all
changes between the repeats. The ratio is computed on the log scale. Points of the same blocks of a plan share the drift
of the machine: their log ratios are averaged block by block, and the drift cancels. Points of different blocks are
compared by Welch's t.

**It assumes** that repeats are exchangeable and their means about normal. `steady.settled` finds repeats that still
climb.

**It cannot** give an interval for one repeat, and hardly for two: Student's factor is then 12.7. Fewer than MIN_REPEATS
repeats have no interval. Measured coverage: docs/research/models.md, tests/bench/coverage.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workers.analysis.blocks import Sample
from workers.analysis.student import Floats, Student, of_difference, of_mean

Method = Literal["linear", "nearest"]
MIN_REPEATS = 3
SEED = 20170  # of the models' bootstraps: the same runs always give the same interval


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval; `lo` and `hi` are None when too little was measured."""

    value: float
    lo: float | None = None
    hi: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.lo is None or self.hi is None else (self.lo, self.hi)


def estimate(value: float, draws: Floats | None, method: Method = "linear") -> Estimate:
    """A value with the 95 % interval of its bootstrap `draws`; None: without an interval."""
    if draws is None:
        return Estimate(float(value))
    lo, hi = np.quantile(draws, (0.025, 0.975), method=method)
    return Estimate(float(value), min(float(lo), float(value)), max(float(hi), float(value)))


@dataclass(frozen=True)
class RatioEstimate:
    """`p`: two-sided, of equally fast points; None when the estimate has no interval."""

    estimate: Estimate
    p: float | None = None


def mean_tps(repeats: Sample) -> Estimate | None:
    """Mean over repeats of the steady commits per second. None: nothing was measured."""
    return mean(_means(repeats)) if repeats else None


def mean(values: Floats) -> Estimate:
    """Of one figure above zero per repeat."""
    if values.size < MIN_REPEATS:
        return Estimate(float(values.mean()))
    found = of_mean(values)
    lo, hi = found.interval()
    return Estimate(float(found.centre), max(float(lo), 0.0), float(hi))


def ratio(of: Sample, to: Sample) -> Estimate | None:
    """Throughput of one point over that of another. None: one of them has no throughput."""
    found = compared(of, to)
    return found.estimate if found else None


def compared(of: Sample, to: Sample) -> RatioEstimate | None:
    """The ratio with its p. Repeats that both points have are paired if there are enough."""
    if not of or not to:
        return None
    if min(_means(of).min(), _means(to).min()) <= 0:
        return None
    both = [block for block in of if block in to]
    if len(both) >= MIN_REPEATS:
        of, to = ({block: one[block] for block in both} for one in (of, to))
        return _told(of_mean(np.log(_means(of)) - np.log(_means(to))))
    logs = np.log(_means(of)), np.log(_means(to))
    if min(len(of), len(to)) < MIN_REPEATS:
        return RatioEstimate(Estimate(float(np.exp(logs[0].mean() - logs[1].mean()))))
    return _told(of_difference(*logs))


def overall(pairs: Sequence[tuple[Sample, Sample]]) -> RatioEstimate | None:
    """The geometric mean of the ratios of all pairs (of, to). The keys of their samples are repeats of the plan. None:
    too few repeats, or a point without throughput.

    All points of a repeat share the state of the machine, so they are no independent sample, as a sign test over pairs
    would assume. Each repeat therefore counts once, with the mean of its points. Only repeats with all points count.
    Blocks cannot be counted: points of two workloads or thread counts have none in common.
    """
    of, to = (_repeat_logs([pair[side] for pair in pairs]) for side in (0, 1))
    return _told(of_difference(of, to)) if min(of.size, to.size) >= MIN_REPEATS else None


def _repeat_logs(points: Sequence[Sample]) -> Floats:
    """Of each repeat the mean logarithm of its points; empty without points or throughput."""
    means = [{repeat: float(series.mean()) for repeat, series in point.items()} for point in points]
    repeats = [repeat for repeat in means[0] if all(repeat in one for one in means)] if means else []
    values = np.array([[one[repeat] for one in means] for repeat in repeats])
    return np.log(values).mean(axis=1) if values.size and values.min() > 0 else np.empty(0)


def _told(found: Student) -> RatioEstimate:
    lo, hi = found.interval()
    return RatioEstimate(Estimate(*(float(np.exp(one)) for one in (found.centre, lo, hi))), float(found.p()))


def _means(repeats: Sample) -> Floats:
    return np.array([series.mean() for series in repeats.values()])
