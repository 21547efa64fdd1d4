"""Where a figure changed over the nights, and whether another measurement says so too.

**Method.** E-divisive (Matteson and James, *A Nonparametric Approach for Multiple Change Point Analysis of
Multivariate Data*, JASA 109, 2014; used for benchmarks of databases by Daly et al., ICPE 2020). The place that splits
the values best is the one of the largest scaled energy distance between both sides,

    q = n m / (n + m) (2 mean|x - y| - mean|x - x'| - mean|y - y'|),    n values x before it, m values y from it on,

and it is a change point when few permutations of the same values have as large a maximum: then each side is searched
again. (As Daly et al. do, y goes on to the end; the paper also tries every shorter end, at n times the cost.) Only
ranks of q among permutations decide, so nothing is assumed of the noise but that nights are exchangeable where nothing
changed: outliers and skewed figures are flagged no more often than others. Nothing is tuned but the level.

A permutation takes neighbouring nights to be no more alike than others. They often are, so a place counts only if
noise that lasts would hardly have made it (`lasting`). A series is looked at every night: the levels are such that at
most one of a hundred is suspected in 60 nights in which nothing changed (tests/bench/change_points.py).

**It assumes** that neighbouring nights correlate by no more than `lasting.CORRELATION`. A neighbour on the host for a
week is found as a change, which it was. A drift is found as a staircase: its steps mean nothing.

**It cannot** see a change before there are `LEAST` nights of it, nor in a handful of nights: a split must be rarer than
the level among all orders of the values, so two nights after a change need about 20 before it, and three about 10.
Fewer than `FEWEST` nights tell nothing, however far a figure falls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from math import comb

import numpy as np

from workers.analysis import lasting
from workers.analysis.lasting import LEAST
from workers.analysis.student import Floats

LEVEL = 0.01  # of chance, where nights are independent
TOLD_LEVEL = 0.002  # with one more measurement
LASTING_LEVEL = 0.001  # of noise that lasts: lower, for a level of a single look is met often in 60 of them
NEAR = 2  # nights that the place of a change may move when more is known
PERMUTATIONS = 999
# Values in all. A split's k values come up before it, or mirrored after it, in 2 of C(n, k) orders: its q is as large
# there. With fewer values even the rarest split, that in the middle, is no rarer than the level.
FEWEST = next(n for n in count(2 * LEAST) if 2 / comb(n, n // 2) <= LEVEL)
SEED = 2014  # fixed: the same nights give the same answer on every visit


@dataclass(frozen=True)
class ChangePoint:
    """`at`: place of the first value after the change; `p`: of chance or of noise that lasts, whichever is larger."""

    at: int
    p: float


def change_points(
    values: Sequence[float], level: float = LEVEL, lasting_level: float = LASTING_LEVEL, seed: int = SEED
) -> list[ChangePoint]:
    """Ascending places; none where too little is known."""
    series = np.asarray(values, dtype=float)
    if not np.isfinite(series).all():
        raise ValueError("A figure that is not known is no value: leave the night out.")
    return _standing(series, _search(series, 0, level, np.random.default_rng(seed)), lasting_level)


def _standing(series: Floats, found: list[ChangePoint], level: float) -> list[ChangePoint]:
    """Without those that noise that lasts would have made as well. Each is judged by the values between its neighbours;
    the least sure one goes first, and its neighbours are judged anew."""
    while found:
        bounds = [0, *(one.at for one in found), series.size]
        ps = [lasting.p_value(series[start:end]) for start, end in zip(bounds, bounds[2:], strict=False)]
        worst = int(np.argmax(ps))
        if ps[worst] <= level:
            return [ChangePoint(one.at, max(one.p, p)) for one, p in zip(found, ps, strict=True)]
        found = found[:worst] + found[worst + 1 :]
    return []


def _search(series: Floats, start: int, level: float, rng: np.random.Generator) -> list[ChangePoint]:
    if series.size < 2 * LEAST:
        return []
    apart = np.abs(series[:, None] - series[None, :])
    place, largest = _split(apart)
    p = _p_value(apart, largest, level, rng)
    if p > level:
        return []
    left = _search(series[:place], start, level, rng)
    right = _search(series[place:], start + place, level, rng)
    return [*left, ChangePoint(start + place, p), *right]


def _split(apart: Floats) -> tuple[int, float]:
    """The place of the best split, and its q. `apart`: distances between all values, in their order."""
    q = _energy(apart)
    best = int(np.argmax(q))
    return best + LEAST, float(q[best])


def _energy(apart: Floats) -> Floats:
    """q for each number of values before the split, from LEAST on."""
    size = len(apart)
    n = np.arange(LEAST, size - LEAST + 1)
    m = size - n
    within = 2 * np.cumsum(np.einsum("ij,ij->i", apart, _below(size)))[n - 1]  # of all pairs before, both ways
    touching = np.cumsum(apart.sum(axis=1))[n - 1]  # of the values before with all others
    across = touching - within
    after = apart.sum() - within - 2 * across
    q: Floats = n * m / size * (2 * across / (n * m) - within / (n * (n - 1)) - after / (m * (m - 1)))
    return q


@lru_cache(maxsize=2)
def _below(size: int) -> Floats:
    """1 below the diagonal, 0 elsewhere."""
    return np.tri(size, k=-1)


def _p_value(apart: Floats, largest: float, level: float, rng: np.random.Generator) -> float:
    """Share of permutations whose largest q is as large. Given up, with a p above the level, as soon as that is
    certain: mostly after a few."""
    too_many = int(level * (PERMUTATIONS + 1))
    as_large = 0
    close = largest * (1 - 1e-9)  # sums of another order differ in their last digits
    for drawn in range(1, PERMUTATIONS + 1):
        order = rng.permutation(len(apart))
        as_large += float(_energy(apart[np.ix_(order, order)]).max()) >= close
        if as_large >= too_many:
            return as_large / drawn
    return (as_large + 1) / (PERMUTATIONS + 1)


def holds(values: Sequence[float], at: int) -> bool:
    """Whether the last value, measured after a change had been found at `at`, says so too: it is nearer to what came
    since than to what was before, and with it the change is rarer than `TOLD_LEVEL`, within `NEAR` of its place."""
    before, since, again = np.median(values[:at]), np.median(values[at:-1]), values[-1]
    if abs(again - since) >= abs(again - before):
        return False
    return any(abs(one.at - at) <= NEAR and one.p <= TOLD_LEVEL for one in change_points(values))
