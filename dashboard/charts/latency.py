"""A percentile of the transactions' latency by threads: one small chart for each of p50, p95 and p99."""

from collections.abc import Sequence

from dashboard.charts.chart import Chart, by_threads, described
from dashboard.findings.lines import VariantLine


def latency(lines: Sequence[VariantLine], percentile: str) -> Chart:
    series = (by_threads(line, lambda point: point.latency_ms.get(percentile)) for line in lines)
    drawn = [one for one in series if one.dots]
    rows = [(one.name, dot.x, dot.y) for one in drawn for dot in one.dots]
    return described("latency", rows, drawn, key=f"latency-{percentile}", percentile=percentile)
