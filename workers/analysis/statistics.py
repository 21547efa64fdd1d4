"""Mean throughput of a point and the ratio of two points, each with a 95 % interval.

**Method.** Student's t on the means of the repeats. How far the repeats lie apart holds everything that makes a repeat
uncertain: the noise of its seconds, however they depend on each other, and what changed between the repeats. The ratio
is worked out on the log scale. Points that were measured in the same blocks of the plan share the drift of the machine:
the log ratios of the blocks are averaged, and the drift cancels. Points of different blocks are compared by Welch's t.

**It assumes** that repeats are exchangeable and that their means are about normal, which means of seconds are.
`steady.settled` looks for a repeat that still climbs.

**It cannot** tell from one repeat how far another would lie from it, and hardly from two: Student's factor is then
12.7. Fewer than MIN_REPEATS repeats have no interval. Measured coverage:
docs/research/models.md, tests/bench/coverage.py.
"""

from dataclasses import dataclass

import numpy as np

from workers.analysis.blocks import Sample
from workers.analysis.student import Floats, Student, of_difference, of_mean

MIN_REPEATS = 3
SEED = 20170  # of the models' bootstraps: the same runs give the same interval on every visit


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval; `lo` and `hi` are None where too little was measured to know."""

    value: float
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class RatioEstimate:
    """`p`: two-sided, that both points are equally fast; None where the estimate has no interval."""

    estimate: Estimate
    p: float | None = None


def mean_tps(repeats: Sample) -> Estimate | None:
    """Mean over repeats of the steady commits per second. None: nothing was measured."""
    if not repeats:
        return None
    means = _means(repeats)
    if means.size < MIN_REPEATS:
        return Estimate(float(means.mean()))
    found = of_mean(means)
    lo, hi = found.interval()
    return Estimate(float(found.centre), max(float(lo), 0.0), float(hi))


def ratio(of: Sample, to: Sample) -> Estimate | None:
    """Throughput of one point over that of another. None: one of them has no throughput to divide."""
    found = compared(of, to)
    return found.estimate if found else None


def compared(of: Sample, to: Sample) -> RatioEstimate | None:
    """The ratio with its p. Repeats that both points have are paired where there are enough of them."""
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


def _told(found: Student) -> RatioEstimate:
    lo, hi = found.interval()
    return RatioEstimate(Estimate(*(float(np.exp(one)) for one in (found.centre, lo, hi))), float(found.p()))


def _means(repeats: Sample) -> Floats:
    return np.array([series.mean() for series in repeats.values()])
