"""Made-up seconds: AR(1) noise round a level, and repeats that differ."""

from itertools import accumulate

import numpy as np


def ar1(rng, seconds, correlation, spread=100.0):
    noise = list(accumulate(rng.normal(size=seconds + 50), lambda last, new: correlation * last + new))[50:]
    return np.array(noise) * spread * np.sqrt(1 - correlation**2)


def point(rng, level=1000.0, repeats=3, seconds=60, correlation=0.3, spread=100.0, drift=None):
    """A sample: `drift` is one offset per repeat."""
    drift = np.zeros(repeats) if drift is None else drift
    return {r: level + drift[r] + ar1(rng, seconds, correlation, spread) for r in range(repeats)}
