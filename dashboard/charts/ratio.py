"""Throughput against the baseline variant by threads, with the 95 % interval of each ratio."""

from collections.abc import Sequence

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import ThroughputRatio


def ratio(lines: Sequence[VariantLine], baseline: str) -> Chart:
    rows = [_row(line, *one) for line in lines for one in _compared(line)]
    return described("ratio", rows, [one for line in lines if (one := _series(line)).dots], baseline=baseline)


def _compared(line: VariantLine) -> list[tuple[int, ThroughputRatio]]:
    return [(point.threads, point.ratio) for point in line.points if point.ratio]


def _series(line: VariantLine) -> ChartSeries:
    dots = tuple(Dot(threads, one.value, one.lo, one.hi) for threads, one in _compared(line))
    return ChartSeries(line.name, line.colour, dots, line.dash)


def _row(line: VariantLine, threads: int, ratio: ThroughputRatio) -> Row:
    return (line.name, threads, ratio.value, ratio.lo, ratio.hi, ratio.p, ratio.decision)
