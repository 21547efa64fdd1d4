"""Made-up seconds: AR(1) noise round a level, and repeats that differ."""

import numpy as np
from scipy.signal import lfilter


def ar1(rng, seconds, correlation, spread=100.0):
    noise = lfilter([1], [1, -correlation], rng.normal(size=seconds + 50))[50:]
    return noise * spread * np.sqrt(1 - correlation**2)


def point(rng, level=1000.0, repeats=3, seconds=60, correlation=0.3, spread=100.0, drift=None):
    """A sample: `drift` is one offset per repeat."""
    drift = np.zeros(repeats) if drift is None else drift
    return {r: level + drift[r] + ar1(rng, seconds, correlation, spread) for r in range(repeats)}
