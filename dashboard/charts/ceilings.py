"""Throughput and its ceilings: the rate of commits that wait for their fsyncs only."""

from collections.abc import Sequence

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described, reasons, sources, throughput_of
from dashboard.findings.fitted import FsyncCeiling
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import Point
from workers.analysis.not_computable import NotComputable


def ceilings(lines: Sequence[VariantLine], counts: str) -> Chart:
    known = [(line, bound) for line in lines if isinstance(bound := line.models.ceiling, FsyncCeiling)]
    return described(
        "ceilings",
        [row for line in lines for row in _rows(line)],
        [series for line, bound in known for series in _series(line, bound)],
        source=sources([bound.source for _, bound in known]),
        counts=counts,
        reasons=reasons(line.models.ceiling for line in lines),
    )


def _series(line: VariantLine, bound: FsyncCeiling) -> tuple[ChartSeries, ...]:
    shared = tuple(Dot(p.threads, bound.shared_tps(p.threads)) for p in line.points)
    flat = tuple(Dot(p.threads, bound.unshared_tps(p.threads)) for p in line.points)
    return (
        throughput_of(line, line.dash),
        ChartSeries(line.name, line.colour, shared, ceiling=True),
        ChartSeries(line.name, line.colour, flat, ceiling=True),
    )


def _rows(line: VariantLine) -> list[Row]:
    bound = line.models.ceiling
    if isinstance(bound, NotComputable):
        return [(line.name, None, None, None, None, None, None, None, bound.why)]
    return [_row(line, point, bound) for point in line.points]


def _row(line: VariantLine, point: Point, bound: FsyncCeiling) -> Row:
    threads, efficiency = point.threads, bound.efficiency(point.threads, point.tps)
    remark = "the device was slower when one thread was measured" if efficiency > 1 else ""
    return (
        line.name, threads, point.tps, bound.shared_tps(threads), efficiency, bound.unshared_tps(threads),
        bound.fsyncs, bound.demand_ms, remark,
    )  # fmt: skip
