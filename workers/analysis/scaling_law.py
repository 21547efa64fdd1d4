"""The Universal Scalability Law: X(N) = lN / (1 + s(N-1) + kN(N-1)), throughput by threads.

**Source.** Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6. l is the throughput of one thread, s the
serial share of the work (contention, Amdahl's law), k the cost of keeping threads consistent (coherency). With k > 0
throughput has a peak at N = sqrt((1-s)/k) and falls after it.

**Method.** N/X is linear in (1, N-1, N(N-1)) with coefficients (1, s, k)/l. Fitted by least squares on relative errors,
coefficients not negative: one optimum, no starting values.

**Intervals.** Only when every point has one. They come from a bootstrap of the fitted curve. The spread of a point is
the larger of its measured interval and the law's misfit, widened by Student's t for few points. A peak that lies, or
may lie, beyond twice the highest number of threads is not reported.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import SEED, Estimate, estimate
from workers.analysis.student import Floats, Z

MIN_COUNTS = 4  # three coefficients, and one point to contradict them
MIN_SPAN = 4  # highest number of threads over the lowest
MOST_MISFIT = 0.25
BEYOND = 2  # times the highest number of threads measured
RESAMPLES = 500
NOT_ZERO = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]  # of the coefficients


@dataclass(frozen=True)
class Throughput:
    """Commits per second at a number of threads; `lo` and `hi`: its 95 % interval, None where it is not known."""

    threads: int
    tps: float
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class ScalingLaw:
    """`peak_threads`: None: no peak within twice the measured threads. `bend_threads`: where the line of one thread's
    throughput reaches the highest throughput of the law; more threads hardly pay. None: not within twice the measured
    threads. `misfit`: the largest relative distance of a point."""

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
        return NotComputable("Throughput rises faster than the number of threads, which the law does not describe.")
    off = tps / _law(threads, best) - 1
    worst = int(np.abs(off).argmax())
    if abs(off[worst]) > MOST_MISFIT:
        at = points[worst].threads
        return NotComputable(
            f"The law does not fit: with {at} thread{'s' if at > 1 else ''} it is off by {100 * abs(off[worst]):.0f} %."
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
    """(1, s, k)/l with the least relative error of N/X, for each row of `tps`. With some coefficients at zero there are
    seven solutions by least squares: the best of those without a negative coefficient."""
    relative = _terms(threads) * (tps / threads)[..., None]
    found = np.zeros((len(NOT_ZERO), *tps.shape[:-1], 3))
    for one, kept in zip(found, NOT_ZERO, strict=True):
        q, r = np.linalg.qr(relative[..., kept])
        one[..., kept] = np.linalg.solve(r, q.sum(axis=-2)[..., None])[..., 0]
    off = np.linalg.norm((relative @ found[..., None])[..., 0] - 1, axis=-1)
    off[(found < 0).any(axis=-1)] = np.inf
    best: Floats = np.take_along_axis(found, off.argmin(axis=0)[None, ..., None], axis=0)[0]
    return best


def _spreads(points: Sequence[Throughput], off: Floats) -> Floats | None:
    """Relative standard deviation of each point; None when a point has no interval."""
    measured = [(one.hi - one.lo) / (2 * Z * one.tps) for one in points if one.lo is not None and one.hi is not None]
    if len(measured) < len(points):
        return None
    free = max(len(points) - 3, 2)  # Student's 12.7 for one degree of freedom would make every interval useless
    misfit = float(np.sqrt(float(off @ off) / (len(points) - 3)) * scipy.special.stdtrit(free, 0.975) / Z)
    widest: Floats = np.maximum(np.array(measured), misfit)
    return widest


def _drawn_again(threads: Floats, fitted: Floats, spreads: Floats) -> Floats:
    """Coefficients (RESAMPLES x 3) of throughputs that are drawn around the fitted curve."""
    rng = np.random.default_rng(SEED)
    drawn = fitted * np.exp(spreads * rng.normal(size=(RESAMPLES, threads.size)))
    found = _coefficients(threads, drawn)
    return found[found[:, 0] > 0]


def _described(best: Floats, draws: Floats | None, most_threads: float, misfit: float) -> ScalingLaw:
    """`draws` None: without intervals."""
    reach = BEYOND * most_threads
    peak = estimate(_peak(best), None if draws is None else np.array([_peak(one) for one in draws]), "nearest")
    seen = peak.value <= reach and (peak.hi is None or peak.hi <= reach)
    top = _top_tps(best)
    ratios = None if draws is None else draws / draws[:, :1]
    return ScalingLaw(
        per_thread_tps=estimate(1 / best[0], None if draws is None else 1 / draws[:, 0]),
        contention=estimate(best[1] / best[0], None if ratios is None else ratios[:, 1]),
        coherency=estimate(best[2] / best[0], None if ratios is None else ratios[:, 2]),
        peak_threads=peak if seen else None,
        peak_tps=float(_law(np.array([peak.value]), best)[0]) if seen else None,
        bend_threads=float(top * best[0]) if top * best[0] <= reach else None,
        misfit=misfit,
    )


def _peak(coefficients: Floats) -> float:
    """Number of threads at the highest throughput: at least 1, infinite when the law has no peak."""
    one, contention, coherency = coefficients
    return float(np.sqrt(max(one - contention, 0) / coherency).clip(1)) if coherency > 0 else float("inf")


def _top_tps(coefficients: Floats) -> float:
    """The highest throughput of the law: at its peak, else the limit of Amdahl's law, else infinite."""
    peak = _peak(coefficients)
    if np.isfinite(peak):
        return float(_law(np.array([peak]), coefficients)[0])
    return float(1 / coefficients[1]) if coefficients[1] > 0 else float("inf")
