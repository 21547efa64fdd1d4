"""The time that a device takes to make N bytes durable: t = K + N/R, K in milliseconds, R in bytes per second.

**Source.** Claim F1 of the seed articles ("fsync time = N/R + K"), which is Hockney's (r_inf, n_half) model of a
transfer (Hockney 1994, "The communication challenge for MPP", Parallel Computing 20): K*R is the size at which half
of the time is latency and half is transfer.

**Method.** The median of each size, so that a stall does not count. An error of a tenth matters as much at 512 bytes as
at 16 MiB, so the fit minimises *relative* residuals. Squares have weights 1/fitted² (quasi-likelihood with a constant
coefficient of variation: McCullagh and Nelder 1989, chapter 9). Huber's weights bound the influence of a size that is
unlike the others (Huber 1964; Cantoni and Ronchetti 2001). It is solved by iterated weighted least squares, with K and
1/R not below zero. Theil-Sen has no weights, and its largest sizes dominate.

**Intervals.** Every round measures every size once. Whole rounds are resampled (Efron and Tibshirani 1993), so the
interval holds a drift of the device. It is widened for few rounds by Student's t. It holds for the line; `follows` and
the residuals say whether the device follows a line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import SEED, Estimate, estimate
from workers.analysis.student import Floats, Z

RESAMPLES = 1000
MIN_SIZES = 4
MIN_SPAN = 64  # largest size over smallest; a smaller span cannot separate K from N/R
MIN_ROUNDS = 5  # for an interval
TOLERANCE = 0.25  # of the line's time: the largest error of a cost that is read from the line
_HUBER = 1.345  # 95 % as good as least squares where errors are normal
_STEPS = 25
Follows = Literal["follows", "does not follow", "unknown"]


@dataclass(frozen=True)
class SizeSample:
    """The time to make `size_bytes` durable, one value a round; all sizes have the same rounds."""

    size_bytes: int
    times_ms: tuple[float, ...]


@dataclass(frozen=True)
class Residual:
    """`share`: how far the median lies above (positive) or below the line, as a share of the line's time."""

    size_bytes: int
    median_ms: float
    line_ms: float
    share: Estimate


@dataclass(frozen=True)
class FsyncModel:
    """`ms_per_byte`: 1/R; 0, also as an end of the interval, when bytes have no measurable cost. `residuals` ascend by
    size."""

    k_ms: Estimate
    ms_per_byte: Estimate
    residuals: tuple[Residual, ...]
    follows: Follows
    rounds: int

    def ms(self, size_bytes: float) -> float:
        """Time on the line."""
        return self.k_ms.value + size_bytes * self.ms_per_byte.value

    @property
    def half_bytes(self) -> float | None:
        """The size at which latency and transfer take equally long. None: bytes have no measurable cost."""
        slope = self.ms_per_byte.value
        return self.k_ms.value / slope if slope else None


def fit(points: Sequence[SizeSample]) -> FsyncModel | NotComputable:
    """The line through at least four sizes that span a factor of 64. Intervals need five rounds."""
    points = sorted(points, key=lambda point: point.size_bytes)
    if why := _why_not(points):
        return NotComputable(why)
    sizes = np.array([point.size_bytes for point in points], dtype=float)
    times = np.array([point.times_ms for point in points], dtype=float)
    medians = np.median(times, axis=1)
    k, slope = (float(one[0]) for one in _lines(sizes, medians[None, :]))
    line = k + slope * sizes
    known = times.shape[1] >= MIN_ROUNDS
    drawn = _drawn_again(sizes, times) if known else None
    residuals = _residuals(sizes, medians, line, drawn)
    return FsyncModel(
        k_ms=estimate(k, drawn[0] if drawn else None),
        ms_per_byte=estimate(slope, drawn[1] if drawn else None),
        residuals=residuals,
        follows=_follows(residuals),
        rounds=times.shape[1],
    )


def _why_not(points: Sequence[SizeSample]) -> str:
    sizes = {point.size_bytes for point in points}
    if len(sizes) < MIN_SIZES or max(sizes) < MIN_SPAN * min(sizes):
        return f"Fewer than {MIN_SIZES} sizes that span a factor of {MIN_SPAN} were measured."
    if min(sizes) <= 0 or len(sizes) < len(points):
        return "Sizes must be positive and different."
    if len({len(point.times_ms) for point in points}) > 1 or not points[0].times_ms:
        return "Not every size was measured in every round."
    if not all(np.isfinite(time) and time > 0 for point in points for time in point.times_ms):
        return "A time is not a positive number."
    return ""


def _lines(sizes: Floats, medians: Floats) -> tuple[Floats, Floats]:
    """K (ms) and slope (ms per byte) of each row of `medians`, all rows at once."""
    weights = 1 / medians**2
    for _ in range(_STEPS):
        k, slope = _weighted(sizes, medians, weights)
        fitted = np.maximum(k[:, None] + slope[:, None] * sizes, 1e-12)
        relative = medians / fitted - 1
        scale = np.maximum(1.4826 * np.median(np.abs(relative), axis=1, keepdims=True), 1e-4)
        huber = np.minimum(1, _HUBER * scale / np.maximum(np.abs(relative), 1e-12))
        weights = huber / fitted**2
    return _weighted(sizes, medians, weights)


def _weighted(x: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Weighted least squares, K and slope not below zero: when one is zero, the other is fitted alone."""
    total, sx, sy = w.sum(axis=1), (w * x).sum(axis=1), (w * y).sum(axis=1)
    sxx, sxy = (w * x * x).sum(axis=1), (w * x * y).sum(axis=1)
    slope = (total * sxy - sx * sy) / (total * sxx - sx * sx)
    k = (sy - slope * sx) / total
    flat, free = slope < 0, k < 0
    k = np.where(flat, sy / total, np.where(free, 0.0, k))
    slope = np.where(flat, 0.0, np.where(free, sxy / sxx, slope))
    return k, slope


def _drawn_again(sizes: Floats, times: Floats) -> tuple[Floats, Floats, Floats]:
    """K, slope and relative residuals (RESAMPLES x sizes) of rounds that are drawn with replacement."""
    rounds = times.shape[1]
    rng = np.random.default_rng(SEED)
    medians = np.median(times[:, rng.integers(rounds, size=(RESAMPLES, rounds))], axis=2).T
    k, slope = _lines(sizes, medians)
    widen = float(np.sqrt(rounds / (rounds - 1)) * scipy.special.stdtrit(rounds - 1, 0.975) / Z)
    relative = medians / (k[:, None] + slope[:, None] * sizes) - 1
    k, slope = (np.maximum(_widened(drawn, widen), 0) for drawn in (k, slope))
    return k, slope, _widened(relative, widen)


def _widened(draws: Floats, factor: float) -> Floats:
    middle = np.median(draws, axis=0)
    return middle + (draws - middle) * factor


def _residuals(
    sizes: Floats, medians: Floats, line: Floats, drawn: tuple[Floats, Floats, Floats] | None
) -> tuple[Residual, ...]:
    shares = medians / line - 1
    drawn_shares = drawn[2].T if drawn else [None] * sizes.size
    return tuple(
        Residual(int(size), float(median), float(at), estimate(share, draws))
        for size, median, at, share, draws in zip(sizes, medians, line, shares, drawn_shares, strict=True)
    )


def _follows(residuals: Sequence[Residual]) -> Follows:
    """A test of equivalence (Schuirmann 1987): the interval of every size must lie within the tolerance."""
    known = [one.share.interval for one in residuals if one.share.interval]
    if len(known) < len(residuals):
        return "unknown"
    if any(lo > TOLERANCE or hi < -TOLERANCE for lo, hi in known):
        return "does not follow"
    return "follows" if all(lo >= -TOLERANCE and hi <= TOLERANCE for lo, hi in known) else "unknown"
