"""Where a figure changed over the nights, and whether one more measurement confirms it.

**Method.** E-divisive (Matteson and James, *A Nonparametric Approach for Multiple Change Point Analysis of
Multivariate Data*, JASA 109, 2014; used for benchmarks of databases by Daly et al., ICPE 2020). The best split is the
place with the largest scaled energy distance between both sides,

    q = n m / (n + m) (2 mean|x - y| - mean|x - x'| - mean|y - y'|),    n values x before it, m values y from it on,

It is a change point when few permutations of the same values have as large a maximum. Then each side is searched
again. As in Daly et al., y goes to the end; the paper also tries every shorter end, at n times the cost. Only ranks of
q among permutations decide. So the noise may have any distribution, if nights are exchangeable while nothing changes.

Neighbouring nights are often more alike than a permutation assumes. So a place counts only if lasting noise would
hardly have made it (`lasting`). A series is tested every night. The levels suspect at most one of a hundred series in
60 nights without a change (tests/bench/change_points.py).

**It assumes** that neighbouring nights correlate by at most `lasting.CORRELATION`. Another load on the host for a week
is found as a change, which it was. A drift is found as a staircase, whose steps mean nothing.

**It cannot** find a change before `LEAST` nights of it, nor in a short series: a split must be rarer than the level
among all orders of the values. Two nights after a change need about 20 before it, three need about 10. Fewer than
`FEWEST` nights tell nothing, however far a figure falls.
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
CONFIRMED_LEVEL = 0.002  # with one more measurement
LASTING_LEVEL = 0.001  # of lasting noise; low, because 60 nights make 60 tests
NEAR = 2  # nights by which one more measurement may move the place of a change
PERMUTATIONS = 999
AT_ONCE = 9  # permutations: a quarter of the time for 24 nights, the same for 400; PERMUTATIONS is a multiple
ORDERS = PERMUTATIONS + 1  # with the measured one
# Of all values: 2 of C(n, k) orders have the same k values before or after the split, and so as large a q. With fewer
# values even the rarest split, in the middle, is no rarer than the level.
FEWEST = next(n for n in count(2 * LEAST) if 2 / comb(n, n // 2) <= LEVEL)
SEED = 2014  # fixed: the same nights always give the same answer


@dataclass(frozen=True)
class ChangePoint:
    """`at`: place of the first value after the change; `p`: of chance or of lasting noise, the larger one."""

    at: int
    p: float


def change_points(
    values: Sequence[float], level: float = LEVEL, lasting_level: float = LASTING_LEVEL, seed: int = SEED
) -> list[ChangePoint]:
    """Ascending by place; empty when there are too few values."""
    series = np.asarray(values, dtype=float)
    if not np.isfinite(series).all():
        raise ValueError("A figure is not a number: leave the night out.")
    return _standing(series, _search(series, 0, level, np.random.default_rng(seed)), lasting_level)


def _standing(series: Floats, found: list[ChangePoint], level: float) -> list[ChangePoint]:
    """Without change points that lasting noise could have made. Each is judged by the values between its neighbours.
    The least certain one is removed first, then its neighbours are judged again."""
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
    """The place of the best split, and its q. `apart`: distances between all values."""
    [q] = _energy(apart[None])
    best = int(np.argmax(q))
    return best + LEAST, float(q[best])


def _energy(apart: Floats) -> Floats:
    """For each order of the values: q for each number of values before the split, from LEAST on. `apart`: the distances
    between all values, in each order."""
    size = apart.shape[-1]
    n = np.arange(LEAST, size - LEAST + 1)
    m = size - n
    within = 2 * np.cumsum(np.einsum("kij,ij->ki", apart, _below(size)), axis=1)[:, n - 1]  # pairs before, both ways
    touching = np.cumsum(apart.sum(axis=2), axis=1)[:, n - 1]  # of the values before with all others
    across = touching - within
    after = apart.sum(axis=(1, 2))[:, None] - within - 2 * across
    q: Floats = n * m / size * (2 * across / (n * m) - within / (n * (n - 1)) - after / (m * (m - 1)))
    return q


@lru_cache(maxsize=2)
def _below(size: int) -> Floats:
    """1 below the diagonal, 0 elsewhere."""
    return np.tri(size, k=-1)


def _p_value(apart: Floats, largest: float, level: float, rng: np.random.Generator) -> float:
    """Share of permutations whose largest q is as large. It stops as soon as p is certainly above the level."""
    too_many = int(level * ORDERS)
    as_large = 0
    close = largest * (1 - 1e-9)  # sums in another order differ in the last digits
    for drawn in range(AT_ONCE, ORDERS, AT_ONCE):
        orders = np.stack([rng.permutation(len(apart)) for _ in range(AT_ONCE)])
        q = _energy(apart[orders[:, :, None], orders[:, None, :]])
        as_large += int((q.max(axis=1) >= close).sum())
        if as_large >= too_many:
            return as_large / drawn
    return (as_large + 1) / ORDERS


def confirms(values: Sequence[float], at: int) -> bool:
    """Whether the last value confirms the change at `at`. It must be nearer to the values since the change than to
    those before. With it, the change must be rarer than `CONFIRMED_LEVEL`, within `NEAR` of its place."""
    before, since, again = np.median(values[:at]), np.median(values[at:-1]), values[-1]
    if abs(again - since) >= abs(again - before):
        return False
    return any(abs(one.at - at) <= NEAR and one.p <= CONFIRMED_LEVEL for one in change_points(values))
