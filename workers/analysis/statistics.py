"""Mean throughput of a point and the ratio of two points, each with a 95 % interval.

**Method.** A two-level residual bootstrap. Between repeats: the repeats' deviations from the common mean are
drawn with replacement, scaled so that their variance is the one that a random-effects analysis of variance
finds (plain resampling of few repeats is wrong by (R-1)/R and counts the noise within repeats twice: Davison
and Hinkley 1997, section 3.8; Carpenter, Goldstein and Rasbash 2003). Within a repeat: a circular block
bootstrap (Politis and Romano 1992). Both parts are widened by Student's t for the number of repeats and of
blocks, since percentile intervals of few observations are too short (Hesterberg 2015); two repeats are widened
like three, because Student's 12.7 for a single difference would say nothing at all.

**It assumes** that a repeat is stationary after the warm-up (`steady.settled` looks for a drift), that dependence
dies out within a block, and that repeats are exchangeable. Two points measured in the same blocks of the plan
share their drift: then the *ratios* of the blocks are resampled, and the drift cancels.

**It cannot** see more variation than was measured. The interval of a single repeat speaks of that one run.
With two repeats that differ far more than their seconds do, the 95 % interval of a mean holds the truth less
often (about 85 % of the time): measure more repeats, or read the paired ratio.
`tests/unit/analysis` measures the coverage. Too little data gives None, which means unknown.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from workers.analysis.blocks import MIN_BLOCKS, Floats, Sample, block_length, circular_means

RESAMPLES = 2000
MIN_SECONDS = 8
SEED = 20170  # fixed: the same runs give the same interval on every visit
_Z = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval; `lo` and `hi` are None where too little was measured to know."""

    value: float
    lo: float | None = None
    hi: float | None = None


def mean_tps(repeats: Sample, seed: int = SEED) -> Estimate | None:
    """Mean over repeats of the steady commits per second. None: nothing was measured."""
    if not repeats:
        return None
    means = np.array([series.mean() for series in repeats.values()])
    value = float(means.mean())
    if not enough(repeats):
        return Estimate(value)
    rng = np.random.default_rng(seed)
    noise = _within(repeats, rng)
    spread = _between(means, _noise_variance(noise), rng) + noise.mean(axis=0)
    lo, hi = np.quantile(value + spread, (0.025, 0.975))
    return Estimate(value, max(float(lo), 0.0), float(hi))


def ratio(of: Sample, to: Sample, seed: int = SEED) -> Estimate | None:
    """Mean throughput of one point over that of another, worked out on the log scale; paired where both were
    measured in the same repeats. None: one of them has no throughput to divide."""
    if not of or not to:
        return None
    means = [np.array([series.mean() for series in one.values()]) for one in (of, to)]
    if any((one <= 0).any() for one in means):
        return None
    value = float(means[0].mean() / means[1].mean())
    if not (enough(of) and enough(to)):
        return Estimate(value)
    lo, hi = np.quantile(_log_spread(of, to, means, np.random.default_rng(seed)), (0.025, 0.975))
    return Estimate(value, value * float(np.exp(lo)), value * float(np.exp(hi)))


def enough(repeats: Sample) -> bool:
    """Whether an interval can be worked out at all."""
    seconds = [series.size for series in repeats.values()]
    return sum(seconds) >= MIN_SECONDS and min(seconds, default=0) >= MIN_BLOCKS


def _log_spread(of: Sample, to: Sample, means: list[Floats], rng: np.random.Generator) -> Floats:
    noises = [_within(one, rng) / mean[:, None] for one, mean in zip((of, to), means, strict=True)]  # dlog x = dx/x
    paired = list(of) == list(to)
    if paired:
        noise = _noise_variance(noises[0]) + _noise_variance(noises[1])
        between = _between(np.log(means[0] / means[1]), noise, rng)
    else:
        parts = [_between(np.log(mean), _noise_variance(noise), rng) for mean, noise in zip(means, noises, strict=True)]
        between = parts[0] - parts[1]
    return between + noises[0].mean(axis=0) - noises[1].mean(axis=0)


def _within(repeats: Sample, rng: np.random.Generator) -> Floats:
    """Deviations of bootstrapped repeat means from the repeat means: shape (repeats, RESAMPLES)."""
    length = block_length(repeats)
    blocks = sum(series.size / length for series in repeats.values())
    widen = np.sqrt(blocks / (blocks - 1)) * _student(blocks)
    return np.stack([_block_bootstrap(series, length, rng) for series in repeats.values()]) * widen


def _block_bootstrap(series: Floats, length: int, rng: np.random.Generator) -> Floats:
    blocks = -(-series.size // length)
    draws = circular_means(series, length)[rng.integers(series.size, size=(RESAMPLES, blocks))]
    overhang = np.sqrt(blocks * length / series.size)  # whole blocks hold a little more than the series
    return (draws.mean(axis=1) - series.mean()) * overhang


def _student(observations: float) -> float:
    """How much wider an interval of so few observations must be than one that knows the variance."""
    return float(scipy.special.stdtrit(observations - 1, 0.975) / _Z)


def _noise_variance(noise: Floats) -> float:
    """What noise within repeats contributes to the variance of a repeat's mean."""
    return float(noise.var(axis=1).mean())


def _between(means: Floats, noise_variance: float, rng: np.random.Generator) -> Floats:
    """Deviations of the common mean that come from repeats differing from each other: shape (RESAMPLES,)."""
    repeats = means.size
    if repeats < 2 or (variance := float(means.var(ddof=1))) <= noise_variance:
        return np.zeros(RESAMPLES)
    scale = np.sqrt((variance - noise_variance) / variance * repeats / (repeats - 1)) * _student(max(repeats, 3))
    drawn = (means - means.mean())[rng.integers(repeats, size=(RESAMPLES, repeats))]
    return drawn.mean(axis=1) * scale
