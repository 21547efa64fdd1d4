"""Was the warm-up long enough? A run that still climbs is not in a steady state."""

import numpy as np

from workers.analysis.blocks import MIN_BLOCKS, Sample, block_length, block_means
from workers.analysis.student import Floats, Student

DRIFT = 0.1  # of the mean, over the whole run; a smaller drift does not matter to a reader
LEVEL = 0.01


def drift(series: Floats) -> float | None:
    """The rise (positive) or fall of a run from its first to its last second, as a share of its mean. 0: the trend of
    block means is not significant. None: too few blocks, or no throughput."""
    length = block_length({0: series})
    means = block_means({0: series}, length)
    if means.size < MIN_BLOCKS or means.mean() <= 0:
        return None
    slope, p = trend(means)
    if p >= LEVEL:
        return 0.0
    return float(slope * (means.size - 1) / means.mean())


def trend(values: Floats) -> tuple[float, float]:
    """The slope of the least-squares line through values at equal distances, and its two-sided p."""
    x = np.arange(values.size) - (values.size - 1) / 2
    freedom = values.size - 2
    slope = x @ values / (x @ x)
    rest = values - values.mean() - slope * x
    line = Student(slope, np.sqrt(rest @ rest / freedom / (x @ x)), np.asarray(freedom))
    return float(slope), float(line.p())


def settled(repeats: Sample) -> bool | None:
    """False when any repeat drifts by a tenth of its mean or more; None: not known."""
    drifts = [drift(series) for series in repeats.values()]
    if not drifts or None in drifts:
        return None
    return all(abs(d) < DRIFT for d in drifts if d is not None)
