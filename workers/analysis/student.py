"""Student's t: the 95 % interval of a mean of few values, and of the difference of two such means.

The last axis of an array holds the values of one sample. Leading axes hold many samples, for simulations
(tests/bench/coverage.py).
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LEVEL = 0.95
Z = 1.959964  # of the normal distribution, for the same level


@dataclass(frozen=True)
class Student:
    """`centre`: the mean or the difference; `error`: its standard error; `freedom`: degrees of freedom."""

    centre: Floats
    error: Floats
    freedom: Floats

    def interval(self) -> tuple[Floats, Floats]:
        half = scipy.special.stdtrit(self.freedom, (1 + LEVEL) / 2) * self.error
        return self.centre - half, self.centre + half

    def p(self) -> Floats:
        """Two-sided p of a true centre of 0: below 0.05 exactly when the interval excludes 0."""
        away = np.abs(self.centre)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(away > 0, away / self.error, 0.0)
        tail: Floats = scipy.special.stdtr(self.freedom, -t)
        return 2 * tail


def of_mean(values: Floats) -> Student:
    """Two values or more of one sample."""
    n = values.shape[-1]
    error = np.sqrt(values.var(axis=-1, ddof=1) / n)
    return Student(values.mean(axis=-1), error, np.full_like(error, n - 1))


def of_difference(one: Floats, other: Floats) -> Student:
    """Of two independent samples whose variances may differ (Welch 1947)."""
    parts = [of_mean(one), of_mean(other)]
    squares = [part.error**2 for part in parts]
    variance = squares[0] + squares[1]
    shares = sum(square**2 / part.freedom for square, part in zip(squares, parts, strict=True))
    fewest = np.minimum(parts[0].freedom, parts[1].freedom)
    with np.errstate(invalid="ignore"):
        freedom = np.where(variance > 0, variance**2 / shares, fewest)
    return Student(parts[0].centre - parts[1].centre, np.sqrt(variance), freedom)
