"""Throughput against the baseline variant by threads, with the 95 % interval of each ratio."""

from typing import Any

from dashboard.charts.chart import Axis, Chart, Dot, Series, Table
from dashboard.findings.point import Point, Ratio
from dashboard.findings.shown import Line, Shown

COLUMNS = (
    ("variant", "text"), ("threads", "whole"), ("ratio", "times"), ("95 % from", "times"), ("95 % to", "times"),
    ("p (adjusted)", "p"), ("decision", "text"),
)  # fmt: skip


def ratio(shown: Shown) -> Chart:
    lines = shown.lines()
    drawn = tuple(series for line in lines if (series := _series(line)).dots)
    return Chart(
        key="ratio",
        title=f"Throughput against {shown.baseline}",
        kind="ratio",
        x=Axis("threads", scale="log2"),
        y=Axis(f"times as fast as {shown.baseline}", "\N{MULTIPLICATION SIGN}", scale="log", can_toggle_log=True),
        table=Table(COLUMNS, tuple(_row(line, p.threads, p.ratio) for line in lines for p in _compared(line))),
        series=drawn,
        empty="" if drawn else f"There is nothing to compare with {shown.baseline} yet.",
        source="sysbench" if drawn else "",
        note="1 is as fast. Bars: 95 % intervals from the repeats; p is adjusted for the number of comparisons.",
    )


def _compared(line: Line) -> list[Point]:
    return [point for point in line.points if point.ratio]


def _series(line: Line) -> Series:
    dots = [Dot(p.threads, p.ratio.value, p.ratio.lo, p.ratio.hi) for p in _compared(line)]
    return Series(line.name, line.colour, tuple(dots), line.dash)


def _row(line: Line, threads: int, ratio: Ratio) -> tuple[Any, ...]:
    return (line.name, threads, ratio.value, ratio.lo, ratio.hi, ratio.p, ratio.decision)
