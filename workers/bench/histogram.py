"""sysbench's latency histogram: its buckets and their percentiles.

sysbench rounds the logarithm of each latency to 1024 steps from 0.001 ms to 100 s and prints a bucket's middle
(sb_histogram.c), so its own percentile can lie above the largest latency. Here a bucket is (middle / half step,
middle * half step]. A percentile is interpolated inside it, and never exceeds the maximum.
"""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain

HALF_STEP = math.exp(0.5 * math.log(100_000 / 0.001) / 1023)
PERCENTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}

Buckets = tuple[tuple[float, int], ...]  # (upper edge in ms, transactions), ascending

_LINE = re.compile(r"^\s*(\d{1,9}\.\d{3}) \|[* ]{40} (\d{1,18})\s*$", re.ASCII)


def is_bucket(line: str) -> bool:
    return _LINE.match(line) is not None


def read(lines: Iterable[str]) -> Buckets:
    """The buckets in the lines of an output. Equal printed middles (below 0.03 ms) are one bucket."""
    found = (match for line in lines if (match := _LINE.match(line)))
    middles = added([(float(one[1]), int(one[2]))] for one in found)
    return tuple((middle * HALF_STEP, count) for middle, count in middles)


def added(histograms: Iterable[Iterable[Sequence[float]]]) -> Buckets:
    """Several histograms as one. Edges are sysbench's own and equal in every run."""
    counts: dict[float, int] = {}
    for edge, count in chain.from_iterable(histograms):
        counts[edge] = counts.get(edge, 0) + int(count)
    return tuple(sorted(counts.items()))


def percentiles(buckets: Sequence[tuple[float, int]], max_ms: float) -> dict[str, float]:
    """p50, p95, p99 and p99.9 in ms; empty without transactions."""
    if not sum(count for _, count in buckets):
        return {}
    return {name: min(_quantile(buckets, share), max_ms) for name, share in PERCENTILES.items()}


def _quantile(buckets: Sequence[tuple[float, int]], share: float) -> float:
    wanted = share * sum(count for _, count in buckets)
    below = 0
    for edge, count in buckets:
        if count and below + count >= wanted:
            lower = edge / HALF_STEP**2
            return lower + (edge - lower) * (wanted - below) / count
        below += count
    return buckets[-1][0]
