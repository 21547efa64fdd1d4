"""Latencies of several runs: their histograms are added, because percentiles must not be averaged."""

from collections.abc import Iterable, Sequence

Histogram = Sequence[Sequence[float]]  # (upper edge, count), any order


def merge(histograms: Iterable[Histogram]) -> dict[float, int]:
    """Upper edge -> count over all, ascending. Edges are the tool's own and equal in every run."""
    total: dict[float, int] = {}
    for histogram in histograms:
        for upper, count in histogram:
            total[float(upper)] = total.get(float(upper), 0) + int(count)
    return dict(sorted(total.items()))
