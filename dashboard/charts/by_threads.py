"""Figures of a load by threads: throughput, its ratio to the baseline, latency, and how many commits share a binlog
flush."""

from collections.abc import Sequence

from dashboard.charts.chart import (
    NOT_AVAILABLE,
    NOTHING_MEASURED,
    Chart,
    ChartSeries,
    Dot,
    by_threads,
    described,
    sources,
    throughput_of,
)
from dashboard.findings.lines import VariantLine, points_of
from dashboard.findings.point import Point
from workers.analysis.statistics import MIN_REPEATS


def throughput(lines: Sequence[VariantLine], counts: str) -> Chart:
    series = [throughput_of(line, line.dash) for line in lines]
    rows = [
        (line.name, p.threads, p.tps, p.lo, p.hi, p.repeats, p.seconds, p.stalls.seconds, _remark(p))
        for line in lines
        for p in line.points
    ]
    return described("throughput", rows, series, counts=counts, least=str(MIN_REPEATS))


def _remark(point: Point) -> str:
    remarks = []
    if point.lo is None:
        remarks.append(f"fewer than {MIN_REPEATS} repeats: no interval")
    if point.settled is False:
        remarks.append("had not settled")
    if point.errors:
        remarks.append(f"{point.errors:,} errors")
    return ", ".join(remarks)


def ratio(lines: Sequence[VariantLine], baseline: str) -> Chart:
    rows, series = [], []
    for line in lines:
        known = [(point.threads, point.ratio) for point in line.points if point.ratio]
        rows += [(line.name, threads, one.value, one.lo, one.hi, one.p, one.decision) for threads, one in known]
        dots = tuple(Dot(threads, one.value, one.lo, one.hi) for threads, one in known)
        series += [ChartSeries(line.name, line.colour, dots, line.dash)] if dots else []
    return described("ratio", rows, series, baseline=baseline)


def latency(lines: Sequence[VariantLine], percentile: str) -> Chart:
    series = (by_threads(line, lambda point: point.latency_ms.get(percentile)) for line in lines)
    drawn = [one for one in series if one.dots]
    rows = [(one.name, dot.x, dot.y) for one in drawn for dot in one.dots]
    return described("latency", rows, drawn, key=f"latency-{percentile}", percentile=percentile)


def groups(lines: Sequence[VariantLine]) -> Chart:
    points = points_of(lines)
    series = (by_threads(line, lambda point: point.group.value if point.group else None) for line in lines)
    rows = [
        (line.name, p.threads, p.group.value, p.group.source, p.group.note)
        if p.group
        else (line.name, p.threads, None, NOT_AVAILABLE, "")
        for line in lines
        for p in line.points
    ]
    return described(
        "groups",
        rows,
        [one for one in series if one.dots],
        empty=None if points else NOTHING_MEASURED,
        source=sources([point.group.source for point in points if point.group]),
    )
