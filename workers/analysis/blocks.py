"""Blocks of seconds: how long a block must be, and the means of blocks.

Throughput in one second resembles that of the second before (checkpoints, group commit, a noisy disk). A test that
takes seconds as independent finds trends that do not exist. Blocks of neighbouring seconds keep the dependence inside
(Künsch 1989; Hall, Horowitz and Jing 1995).
"""

from collections.abc import Hashable, Mapping

import numpy as np

from workers.analysis.student import Floats

# One point: repeat -> commits per second, one value a second, without warm-up. Repeats of two points have the same key
# when they were measured in the same block of the plan; for `statistics.overall`, in the same repeat of the plan.
Sample = Mapping[Hashable, Floats]
MIN_BLOCKS = 4


def sample(repeats: Mapping[Hashable, object]) -> dict[Hashable, Floats]:
    """Repeats as float arrays, without repeats that have no finite second."""
    arrays = {key: np.asarray(series, dtype=float) for key, series in repeats.items()}
    finite = {key: array[np.isfinite(array)] for key, array in arrays.items()}
    return {key: array for key, array in finite.items() if array.size}


def block_length(repeats: Sample) -> int:
    """Seconds per block, the same for all repeats of a point.

    n**(1/3), or more where neighbours are more alike: the length that minimises the error of a
    circular block bootstrap under an AR(1) model, (1.5 (2r/(1-r²))² n)**(1/3) with r the correlation of
    neighbours (Politis and White 2004, with the AR(1) plug-in of Andrews 1991). At most a quarter of the
    shortest repeat, so that four blocks are left.
    """
    shortest: int = min(series.size for series in repeats.values())
    r = lag_correlation(repeats)
    plug_in = (1.5 * (2 * r / (1 - r * r)) ** 2 * shortest) ** (1 / 3)
    wanted: int = round(max(shortest ** (1 / 3), plug_in))
    return max(1, min(wanted, shortest // MIN_BLOCKS))


def lag_correlation(repeats: Sample) -> float:
    """Correlation of neighbouring seconds, pooled over repeats, corrected for its bias in short series
    (Kendall 1954: about -(1+4r)/n), held within 0 and 0.9."""
    residuals = [series - series.mean() for series in repeats.values()]
    total = sum(float(r @ r) for r in residuals)
    if total <= 0:
        return 0.0
    raw = sum(float(r[1:] @ r[:-1]) for r in residuals) / total
    mean_seconds = sum(r.size for r in residuals) / len(residuals)
    return float(np.clip(raw + (1 + 4 * raw) / mean_seconds, 0.0, 0.9))


def block_means(repeats: Sample, length: int) -> Floats:
    """Means of all whole blocks of all repeats, without overlap."""
    parts = [s[: s.size // length * length].reshape(-1, length).mean(axis=1) for s in repeats.values()]
    return np.concatenate(parts) if parts else np.empty(0)
