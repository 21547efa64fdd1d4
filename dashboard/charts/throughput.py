"""Commits per second by threads, with 95 % intervals."""

from collections.abc import Sequence

from dashboard.charts.ceilings import ceiling_of, shared
from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable, throughput_of
from dashboard.findings.lines import VariantLine, points_of
from dashboard.findings.point import Point
from workers.analysis.statistics import MIN_REPEATS

DOTTED = " Dotted: threads / time of the fsyncs that a commit waits for: the ceiling with group commit."
ROOM = 1.5  # times the highest curve: a ceiling is drawn up to there


def throughput(lines: Sequence[VariantLine], counts: str) -> Chart:
    what = f"{counts} per second"
    series = [throughput_of(line, line.dash) for line in lines]
    bounds = _ceilings(lines)
    rows = [
        (line.name, p.threads, p.tps, p.lo, p.hi, p.repeats, p.seconds, p.stalls.seconds, _remark(p))
        for line in lines
        for p in line.points
    ]
    return Chart(
        key="throughput",
        title="Throughput by threads",
        kind="scaling",
        x=Axis("threads", scale="log2"),
        y=Axis(what, "/s", can_toggle_log=True),
        table=ChartTable(_columns(what), tuple(rows)),
        series=(*series, *bounds),
        empty="" if series else "Nothing has been measured yet.",
        source="sysbench" if series else "",
        note=f"Mean of the repeats, without their warm-up; bars are 95 % intervals, from {MIN_REPEATS} repeats on."
        + (DOTTED if bounds else ""),
    )


def _ceilings(lines: Sequence[VariantLine]) -> list[ChartSeries]:
    most_tps = ROOM * max((point.tps for point in points_of(lines)), default=0)
    known = [(line, bound) for line in lines if (bound := ceiling_of(line))]
    return [series for line, bound in known if len((series := shared(line, bound, most_tps)).dots) > 1]


def _columns(what: str) -> tuple[tuple[str, str], ...]:
    return (
        ("variant", "text"), ("threads", "whole"), (what, "number"), ("95 % from", "number"), ("95 % to", "number"),
        ("repeats", "whole"), ("seconds", "whole"), ("stalled seconds", "whole"), ("remark", "text"),
    )  # fmt: skip


def _remark(point: Point) -> str:
    remarks = []
    if point.lo is None:
        remarks.append(f"fewer than {MIN_REPEATS} repeats: no interval")
    if point.settled is False:
        remarks.append("had not settled")
    if point.errors:
        remarks.append(f"{point.errors:,} errors")
    return ", ".join(remarks)
