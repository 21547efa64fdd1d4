"""The Universal Scalability Law: X(N) = lN / (1 + s(N-1) + kN(N-1)), throughput by threads.

**Source.** Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6. l is what one thread alone commits, s the
share of the work that only one can do at a time (contention, Amdahl's law), k the price of agreeing with each other
(coherency): with k > 0 throughput has a peak at N = sqrt((1-s)/k) and falls after it.

**Method.** N/X is linear in (1, N-1, N(N-1)) with coefficients (1, s, k)/l. Fitted by least squares on relative errors,
coefficients not negative (Lawson and Hanson 1974): one optimum, no starting values.

**Intervals.** Only where every point has one. A bootstrap from the fitted curve. The spread of a point is what is
larger: the law's own misfit, widened by Student's t for the few points, or the point's measured interval. A peak is
told only as far as it was measured: one that lies beyond twice the highest number of threads, or may, is no peak that
this experiment has seen.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import SEED, Estimate
from workers.analysis.student import Floats

MIN_COUNTS = 4  # three coefficients, and one point to contradict them
MIN_SPAN = 4  # highest number of threads over the lowest
MOST_MISFIT = 0.25
BEYOND = 2  # times the highest number of threads measured
RESAMPLES = 500
_Z = 1.959964


@dataclass(frozen=True)
class Throughput:
    """Commits per second at a number of threads; `lo` and `hi`: its 95 % interval, None where it is not known."""

    threads: int
    tps: float
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class ScalingLaw:
    """`peak_threads` None: no peak within twice the measured threads. `bend_threads`: where the line of one thread's
    throughput reaches the highest throughput of the law: up to there threads pay, after it hardly. None: it is not
    within twice the measured threads either. `misfit`: the largest relative distance of a point."""

    per_thread_tps: Estimate
    contention: Estimate
    coherency: Estimate
    peak_threads: Estimate | None
    peak_tps: float | None
    bend_threads: float | None
    misfit: float

    def tps(self, threads: float) -> float:
        return float(_law(np.array([threads]), self._coefficients)[0])

    @property
    def _coefficients(self) -> Floats:
        per_thread = self.per_thread_tps.value
        return np.array([1, self.contention.value, self.coherency.value]) / per_thread


def fit(points: Sequence[Throughput]) -> ScalingLaw | NotComputable:
    """The law through one point for each number of threads."""
    if why := _why_not(points):
        return NotComputable(why)
    points = sorted(points, key=lambda point: point.threads)
    threads = np.array([point.threads for point in points], dtype=float)
    tps = np.array([point.tps for point in points])
    best = _coefficients(threads, tps)
    if best[0] <= 0:
        return NotComputable("Throughput rises faster than the number of threads: the law does not describe that.")
    off = tps / _law(threads, best) - 1
    worst = int(np.abs(off).argmax())
    if abs(off[worst]) > MOST_MISFIT:
        at = points[worst].threads
        return NotComputable(
            f"The law does not fit: with {at} thread{'s' if at > 1 else ''} it is off by {abs(off[worst]):.0%}."
        )
    spreads = _spreads(points, off)
    draws = None if spreads is None else _drawn_again(threads, _law(threads, best), spreads)
    return _described(best, draws, threads.max(), float(abs(off[worst])))


def _why_not(points: Sequence[Throughput]) -> str:
    counts = [point.threads for point in points]
    if len(set(counts)) < MIN_COUNTS or max(counts) < MIN_SPAN * min(counts):
        return f"Measure at {MIN_COUNTS} numbers of threads or more, the highest {MIN_SPAN} times the lowest."
    if len(set(counts)) < len(counts) or min(counts) < 1:
        return "There must be one throughput for each number of threads."
    if not all(np.isfinite(point.tps) and point.tps > 0 for point in points):
        return "At some number of threads nothing was committed."
    return ""


def _terms(threads: Floats) -> Floats:
    return np.stack([np.ones_like(threads), threads - 1, threads * (threads - 1)], axis=-1)


def _law(threads: Floats, coefficients: Floats) -> Floats:
    return threads / (_terms(threads) @ coefficients)


def _coefficients(threads: Floats, tps: Floats) -> Floats:
    """(1, s, k)/l that make the relative error of N/X least."""
    relative = _terms(threads) * (tps / threads)[:, None]
    try:
        found: Floats = scipy.optimize.nnls(relative, np.ones_like(tps))[0]
        return found
    except RuntimeError:  # seldom: it goes in circles where several solutions are equal but for rounding
        return _best_subset(relative)


def _best_subset(terms: Floats) -> Floats:
    """The non-negative coefficients that bring `terms` nearest to 1, by trying every choice of terms that are not 0."""
    best, least = np.zeros(terms.shape[1]), np.inf
    for size in range(1, terms.shape[1] + 1):
        for chosen in map(list, itertools.combinations(range(terms.shape[1]), size)):
            found = np.zeros(terms.shape[1])
            found[chosen] = np.linalg.lstsq(terms[:, chosen], np.ones(len(terms)), rcond=None)[0]
            off = float(np.sum((terms @ found - 1) ** 2))
            if found.min() >= 0 and off < least:
                best, least = found, off
    return best


def _spreads(points: Sequence[Throughput], off: Floats) -> Floats | None:
    """Relative standard deviation of each point; None where one of them has no interval."""
    measured = [(one.hi - one.lo) / (2 * _Z * one.tps) for one in points if one.lo is not None and one.hi is not None]
    if len(measured) < len(points):
        return None
    free = max(len(points) - 3, 2)  # Student's 12.7 for a single degree of freedom would say nothing at all
    misfit = float(np.sqrt(float(off @ off) / (len(points) - 3)) * scipy.special.stdtrit(free, 0.975) / _Z)
    widest: Floats = np.maximum(np.array(measured), misfit)
    return widest


def _drawn_again(threads: Floats, fitted: Floats, spreads: Floats) -> Floats:
    """Coefficients (RESAMPLES x 3) of throughputs drawn about the fitted curve."""
    rng = np.random.default_rng(SEED)
    drawn = fitted * np.exp(spreads * rng.normal(size=(RESAMPLES, threads.size)))
    found = np.array([_coefficients(threads, one) for one in drawn])
    return found[found[:, 0] > 0]


def _described(best: Floats, draws: Floats | None, most_threads: float, misfit: float) -> ScalingLaw:
    """`draws` None: without intervals."""
    reach = BEYOND * most_threads
    peak = _peak_estimate(best, draws)
    seen = peak.value <= reach and (peak.hi is None or peak.hi <= reach)
    top = _top_tps(best)
    ratios = None if draws is None else draws / draws[:, :1]
    return ScalingLaw(
        per_thread_tps=_estimate(1 / best[0], None if draws is None else 1 / draws[:, 0]),
        contention=_estimate(best[1] / best[0], None if ratios is None else ratios[:, 1]),
        coherency=_estimate(best[2] / best[0], None if ratios is None else ratios[:, 2]),
        peak_threads=peak if seen else None,
        peak_tps=float(_law(np.array([peak.value]), best)[0]) if seen else None,
        bend_threads=float(top * best[0]) if top * best[0] <= reach else None,
        misfit=misfit,
    )


def _peak_estimate(best: Floats, draws: Floats | None) -> Estimate:
    peak = _peak(best)
    if draws is None:
        return Estimate(peak)
    lo, hi = np.quantile([_peak(one) for one in draws], (0.025, 0.975), method="nearest")
    return Estimate(peak, min(float(lo), peak), max(float(hi), peak))


def _peak(coefficients: Floats) -> float:
    """Number of threads at the highest throughput: at least 1, infinite where the law knows none."""
    one, contention, coherency = coefficients
    return float(np.sqrt(max(one - contention, 0) / coherency).clip(1)) if coherency > 0 else float("inf")


def _top_tps(coefficients: Floats) -> float:
    """The highest throughput of the law: at its peak, or what Amdahl's law tends to, or infinite."""
    peak = _peak(coefficients)
    if np.isfinite(peak):
        return float(_law(np.array([peak]), coefficients)[0])
    return float(1 / coefficients[1]) if coefficients[1] > 0 else float("inf")


def _estimate(value: float, draws: Floats | None) -> Estimate:
    if draws is None:
        return Estimate(float(value))
    lo, hi = np.quantile(draws, (0.025, 0.975))
    return Estimate(float(value), min(float(lo), float(value)), max(float(hi), float(value)))
