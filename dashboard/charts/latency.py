"""A percentile of the transactions' latency by threads: one small chart for each of p50, p95 and p99."""

from collections.abc import Sequence

from dashboard.charts.chart import Axis, Chart, ChartTable, by_threads
from dashboard.findings.lines import VariantLine


def latency(lines: Sequence[VariantLine], percentile: str) -> Chart:
    series = [by_threads(line, lambda point: point.latency_ms.get(percentile)) for line in lines]
    drawn = tuple(one for one in series if one.dots)
    rows = [(one.name, dot.x, dot.y) for one in drawn for dot in one.dots]
    return Chart(
        key=f"latency-{percentile}",
        title=f"Latency {percentile} by threads",
        kind="scaling",
        x=Axis("threads", scale="log2"),
        y=Axis(f"{percentile} latency", "ms", can_toggle_log=True),
        table=ChartTable((("variant", "text"), ("threads", "whole"), (percentile, "ms")), tuple(rows)),
        series=drawn,
        empty="" if drawn else "No latency histogram was recorded.",
        source="sysbench histogram" if drawn else "",
        note="Of all transactions of all repeats together.",
    )
