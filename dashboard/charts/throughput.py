"""Commits per second by threads, with 95 % intervals."""

from dashboard.charts.ceilings import ceiling_of, shared
from dashboard.charts.chart import Axis, Chart, Dot, Series, Table
from dashboard.findings.counted import counted
from dashboard.findings.point import Point
from dashboard.findings.shown import Line, Shown
from workers.analysis.statistics import MIN_REPEATS

DOTTED = " Dotted: threads / time of the fsyncs that a commit waits for, which group commit may reach."
ROOM = 1.5  # times the highest curve: a ceiling is drawn up to there


def throughput(shown: Shown) -> Chart:
    lines = shown.lines()
    what = f"{counted(shown.plan, shown.workload)} per second"
    series = [
        Series(
            line.name,
            line.colour,
            tuple(Dot(p.threads, p.tps, p.lo, p.hi) for p in line.points),
            line.dash,
        )
        for line in lines
    ]
    bounds = _ceilings(shown, lines)
    rows = [
        (line.name, p.threads, p.tps, p.lo, p.hi, p.repeats, p.seconds, p.stalls.seconds,
         _remark(p))
        for line in lines
        for p in line.points
    ]  # fmt: skip
    return Chart(
        key="throughput",
        title="Throughput by threads",
        kind="scaling",
        x=Axis("threads", scale="log2"),
        y=Axis(what, "/s", can_toggle_log=True),
        table=Table(_columns(what), tuple(rows)),
        series=(*series, *bounds),
        empty="" if series else "Nothing has been measured yet.",
        source="sysbench" if series else "",
        note=f"Mean of the repeats, without their warm-up; bars are 95 % intervals, from {MIN_REPEATS} repeats on."
        + (DOTTED if bounds else ""),
    )


def _ceilings(shown: Shown, lines: list[Line]) -> list[Series]:
    most_tps = ROOM * max((point.tps for point in shown.points), default=0)
    known = [(line, bound) for line in lines if (bound := ceiling_of(shown, line))]
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
