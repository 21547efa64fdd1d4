"""Throughput against the baseline variant by threads, with the 95 % interval of each ratio."""

from collections.abc import Sequence

from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable, Dot, Row
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import ThroughputRatio

COLUMNS = (
    ("variant", "text"), ("threads", "whole"), ("ratio", "times"), ("95 % from", "times"), ("95 % to", "times"),
    ("p (adjusted)", "p"), ("decision", "text"),
)  # fmt: skip


def ratio(lines: Sequence[VariantLine], baseline: str) -> Chart:
    drawn = tuple(series for line in lines if (series := _series(line)).dots)
    return Chart(
        key="ratio",
        title=f"Throughput against {baseline}",
        kind="ratio",
        x=Axis("threads", scale="log2"),
        y=Axis(f"times as fast as {baseline}", "\N{MULTIPLICATION SIGN}", scale="log", can_toggle_log=True),
        table=ChartTable(COLUMNS, tuple(_row(line, *one) for line in lines for one in _compared(line))),
        series=drawn,
        empty="" if drawn else f"There is nothing to compare with {baseline} yet.",
        source="sysbench" if drawn else "",
        note="1 is as fast. Bars: 95 % intervals from the repeats; p is adjusted for the number of comparisons.",
    )


def _compared(line: VariantLine) -> list[tuple[int, ThroughputRatio]]:
    return [(point.threads, point.ratio) for point in line.points if point.ratio]


def _series(line: VariantLine) -> ChartSeries:
    dots = tuple(Dot(threads, one.value, one.lo, one.hi) for threads, one in _compared(line))
    return ChartSeries(line.name, line.colour, dots, line.dash)


def _row(line: VariantLine, threads: int, ratio: ThroughputRatio) -> Row:
    return (line.name, threads, ratio.value, ratio.lo, ratio.hi, ratio.p, ratio.decision)
