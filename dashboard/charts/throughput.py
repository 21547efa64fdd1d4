"""Commits per second by threads, with 95 % intervals."""

from collections.abc import Sequence

from dashboard.charts.ceilings import ceiling_of, shared
from dashboard.charts.chart import Chart, ChartSeries, described, throughput_of
from dashboard.findings.lines import VariantLine, points_of
from dashboard.findings.point import Point
from workers.analysis.statistics import MIN_REPEATS

DOTTED = " Dotted: threads / time of the fsyncs that a commit waits for: the ceiling with group commit."
ROOM = 1.5  # times the highest curve: a ceiling is drawn up to there


def throughput(lines: Sequence[VariantLine], counts: str) -> Chart:
    series = [throughput_of(line, line.dash) for line in lines]
    bounds = _ceilings(lines)
    rows = [
        (line.name, p.threads, p.tps, p.lo, p.hi, p.repeats, p.seconds, p.stalls.seconds, _remark(p))
        for line in lines
        for p in line.points
    ]
    dotted = DOTTED if bounds else ""
    return described("throughput", rows, [*series, *bounds], counts=counts, least=str(MIN_REPEATS), dotted=dotted)


def _ceilings(lines: Sequence[VariantLine]) -> list[ChartSeries]:
    most_tps = ROOM * max((point.tps for point in points_of(lines)), default=0)
    known = [(line, bound) for line in lines if (bound := ceiling_of(line))]
    return [series for line, bound in known if len((series := shared(line, bound, most_tps)).dots) > 1]


def _remark(point: Point) -> str:
    remarks = []
    if point.lo is None:
        remarks.append(f"fewer than {MIN_REPEATS} repeats: no interval")
    if point.settled is False:
        remarks.append("had not settled")
    if point.errors:
        remarks.append(f"{point.errors:,} errors")
    return ", ".join(remarks)
