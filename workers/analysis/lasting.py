"""Could lasting noise have made a step? A disturbance often lasts for several nights, which then look like a change.

The statistic is the largest difference between the means before and after any place, over its standard error. It is
compared with simulated series without a change, in which neighbouring nights correlate by `CORRELATION` (AR(1),
normal). For independent nights the answer is on the safe side. Nights that correlate more, and rare nights far from
all others, are taken for a change. So `change_points` asks this only of places that pass its permutation test.
"""

from functools import lru_cache

import numpy as np

from workers.analysis.student import Floats

CORRELATION = 0.6
LEAST = 2  # values on each side
SERIES = 20_000
SEED = 1976
EACH_SIZE, LARGEST = 40, 400  # sizes of simulated series: each up to 40, then in steps of a tenth up to 400


def p_value(values: Floats) -> float:
    """Share of simulated series whose largest difference is as large. 1 for equal values."""
    null = _null(_simulated_size(values.size))
    as_large = null.size - int(np.searchsorted(null, _largest(values[None, :])[0]))
    return (as_large + 1) / (null.size + 1)


def alike(rng: np.random.Generator, series: int, size: int, correlation: float = CORRELATION) -> Floats:
    """Normal AR(1) series of variance 1: (series, size)."""
    drawn = rng.normal(size=(series, size))
    drawn[:, 1:] *= np.sqrt(1 - correlation**2)
    for night in range(1, size):
        drawn[:, night] += correlation * drawn[:, night - 1]
    return drawn


def _simulated_size(size: int) -> int:
    """At most that size: chance makes larger differences in shorter series, so p is on the safe side."""
    if size <= EACH_SIZE:
        return size
    steps = int(np.log(min(size, LARGEST) / EACH_SIZE) / np.log(1.1))
    return int(EACH_SIZE * 1.1**steps)


@lru_cache(maxsize=128)
def _null(size: int) -> Floats:
    return np.sort(_largest(alike(np.random.default_rng(SEED), SERIES, size)))


def _largest(series: Floats) -> Floats:
    """The largest difference between both sides of any place of each series, over its standard error."""
    size = series.shape[1]
    weights, factors = _weights(size)
    before = np.arange(LEAST, size - LEAST + 1)
    centred = series - series.mean(axis=1, keepdims=True)
    within = (centred**2).sum(axis=1, keepdims=True) - np.cumsum(centred, axis=1)[:, before - 1] ** 2 * (
        1 / before + 1 / (size - before)
    )
    errors = factors * np.sqrt(np.maximum(within, 0) / (size - 2))
    apart = np.abs(centred @ weights.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(apart > 1e-9 * np.abs(series).max(axis=1, keepdims=True), apart / errors, 0.0)
    largest: Floats = t.max(axis=1)
    return largest


@lru_cache(maxsize=8)
def _weights(size: int) -> tuple[Floats, Floats]:
    """For each number of values before the place: the weights that give the difference of both means, and its standard
    error for correlated values of variance 1."""
    before = np.arange(LEAST, size - LEAST + 1)[:, None]
    place = np.arange(size)
    weights = np.where(place < before, -1 / before, 1 / (size - before))
    covariance = CORRELATION ** np.abs(np.subtract.outer(place, place))
    return weights, np.sqrt(((weights @ covariance) * weights).sum(axis=1))
