"""How often does a "95 %" interval hold the truth, and how often is a difference told that is none?

    python tests/bench/coverage.py [replications]

Made-up runs whose truth is known: seconds of AR(1) noise, repeats that differ, machines that drift. Everything is drawn
from one seed: the same number of replications prints the same figures. "±" is the 95 % error of a figure itself. The
functions of workers/analysis are asked for all replications at once; the first few are compared with what the product
answers for one point (`_agree`).
"""

import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import scipy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from workers.analysis import binomial, compare, statistics, student
from workers.analysis.student import Floats, Student

SEED = 1934
TPS = 1000.0
CHECKED = 20


def seconds(rng: np.random.Generator, shape: tuple[int, ...], correlation: float, spread: float = 0.1) -> Floats:
    """Relative noise of each second, AR(1) along the last axis, in its steady state from the first second on."""
    noise = rng.normal(size=shape)
    noise[..., 1:] *= np.sqrt(1 - correlation**2)
    return spread * scipy.signal.lfilter([1], [1, -correlation], noise, axis=-1)


def repeats(
    rng: np.random.Generator,
    tries: int,
    count: int,
    between: float,
    correlation: float,
    length: int = 30,
    drift: Floats | float = 0.0,
) -> Floats:
    """Seconds of so many repeats, (tries, count, length). `between`: how far repeats differ, as a share of the mean;
    `drift`: of the machine, a factor for each repeat."""
    level = TPS * np.exp(rng.normal(size=(tries, count, 1)) * between - between**2 / 2)
    return level * (1 + drift) * (1 + seconds(rng, (tries, count, length), correlation))


def means_hold(rng: np.random.Generator, tries: int, count: int, between: float, correlation: float) -> Floats:
    runs = repeats(rng, tries, count, between, correlation)
    found = student.of_mean(runs.mean(axis=-1))
    _agree(found.interval(), [statistics.mean_tps(dict(enumerate(run))) for run in runs[:CHECKED]])
    return _holds(found, TPS)


def ratios_hold(rng: np.random.Generator, tries: int, count: int, between: float, correlation: float) -> Floats:
    """Paired: both points share the drift of the machine, 20 % from repeat to repeat."""
    drift = rng.lognormal(sigma=0.2, size=(tries, count, 1)) - 1
    of, to = (repeats(rng, tries, count, between, correlation, drift=drift) for _ in range(2))
    found = student.of_mean(np.log(1.5 * of.mean(axis=-1)) - np.log(to.mean(axis=-1)))
    told = [
        statistics.ratio(dict(enumerate(1.5 * a)), dict(enumerate(b))) for a, b in zip(of[:CHECKED], to, strict=False)
    ]
    _agree(np.exp(found.interval()), told)
    return _holds(found, np.log(1.5))


def unpaired_ratios_hold(rng: np.random.Generator, tries: int, count: int, between: float, other: float) -> Floats:
    of, to = (repeats(rng, tries, count, one, 0.6).mean(axis=-1) for one in (between, other))
    return _holds(student.of_difference(np.log(of), np.log(to)), (other**2 - between**2) / 2)


def falsely_differs(rng: np.random.Generator, tries: int, count: int, comparisons: int, correlation: float) -> Floats:
    """Share of experiments in which any of so many comparisons of the same thing is told to differ."""
    of, to = (repeats(rng, tries * comparisons, count, 0.03, correlation).mean(axis=-1) for _ in range(2))
    found = student.of_mean(np.log(of) - np.log(to))
    p = found.p().reshape(tries, comparisons)
    lo, hi = (end.reshape(tries, comparisons) for end in found.interval())
    adjusted = scipy.stats.false_discovery_control(p, axis=-1)
    assert np.allclose(adjusted[0], compare.adjusted(list(p[0])))
    return ((adjusted < compare.LEVEL) & ((lo > 0) | (hi < 0))).any(axis=-1)


def shares_hold(n: int) -> tuple[float, float, float]:
    """Worst, mean and best coverage of the exact binomial interval over true shares of 0.001 to 0.999: counted, not
    drawn."""
    ends = np.array([binomial.interval(k, n) for k in range(n + 1)])
    shares = np.linspace(0.001, 0.999, 999)[:, None]
    inside = (ends[:, 0] <= shares) & (shares <= ends[:, 1])
    held = (scipy.stats.binom.pmf(np.arange(n + 1), n, shares) * inside).sum(axis=1)
    return float(held.min()), float(held.mean()), float(held.max())


def _holds(found: Student, truth: float) -> Floats:
    lo, hi = found.interval()
    return (lo <= truth) & (truth <= hi)


def _agree(interval: tuple[Floats, Floats], told: list[statistics.Estimate | None]) -> None:
    ends = np.array([(one.lo, one.hi) for one in told if one])
    assert np.allclose(ends, np.stack(interval, axis=-1)[:CHECKED])


def _print(case: str, found: Floats) -> None:
    share = found.mean()
    error = 1.96 * np.sqrt(share * (1 - share) / found.size)
    print(f"{case:<54} {100 * share:6.2f} % ±{100 * error:.2f}")


def _hold(rng: np.random.Generator, tries: int, held: Callable[..., Floats], name: str) -> None:
    for count, between, correlation in product((3, 5), (0.0, 0.03, 0.1), (0.0, 0.6, 0.9)):
        case = f"{name}: {count} repeats, {100 * between:2.0f} % between them, AR(1) {correlation}"
        _print(case, held(rng, tries, count, between, correlation))


def main() -> None:
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
    rng = np.random.default_rng(SEED)
    print(f"{tries} replications, seed {SEED}; 30 s a repeat, 10 % noise in it.\nThe interval holds the truth in")
    _hold(rng, tries, means_hold, "mean")
    _hold(rng, tries, ratios_hold, "ratio, paired")
    for count, (between, other) in product((3, 5), ((0.1, 0.1), (0.03, 0.1), (0.0, 0.1))):
        case = f"ratio, unpaired: {count} repeats, {100 * between:.0f} and {100 * other:.0f} % between"
        _print(case, unpaired_ratios_hold(rng, tries, count, between, other))
    for n in (3, 10, 30, 36, 100):
        worst, mean, best = (100 * one for one in shares_hold(n))
        print(f"share of {n} crashes: {worst:.1f} to {best:.1f} %, {mean:.1f} % over all shares (counted, not drawn)")
    print("A difference that is none is told in (share of experiments)")
    for count, comparisons, correlation in product((3, 5), (1, 9), (0.0, 0.6, 0.9)):
        case = f"A/A: {count} repeats, {comparisons} comparisons, AR(1) {correlation}"
        _print(case, falsely_differs(rng, tries, count, comparisons, correlation))


if __name__ == "__main__":
    main()
