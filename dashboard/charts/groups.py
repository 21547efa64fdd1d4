"""Commits per binlog group by threads: how many commits share the cost of a binlog flush."""

from collections.abc import Sequence

from dashboard.charts.chart import NOT_AVAILABLE, Axis, Chart, ChartTable, by_threads, sources
from dashboard.findings.lines import VariantLine, points_of
from dashboard.findings.point import Point

COLUMNS = (
    ("variant", "text"), ("threads", "whole"), ("commits per group", "number"), ("source", "text"), ("note", "text"),
)  # fmt: skip


def groups(lines: Sequence[VariantLine]) -> Chart:
    points = points_of(lines)
    series = [by_threads(line, lambda point: point.group.value if point.group else None) for line in lines]
    drawn = tuple(one for one in series if one.dots)
    rows = [
        (line.name, p.threads, p.group.value, p.group.source, p.group.note)
        if p.group
        else (line.name, p.threads, None, NOT_AVAILABLE, "")
        for line in lines
        for p in line.points
    ]
    return Chart(
        key="groups",
        title="Commits per binlog group",
        kind="scaling",
        x=Axis("threads", scale="log2"),
        y=Axis("commits per group", can_toggle_log=True),
        table=ChartTable(COLUMNS, tuple(rows)),
        series=drawn,
        empty="" if drawn else _why_not(points),
        source=sources([point.group.source for point in points if point.group]),
    )


def _why_not(points: Sequence[Point]) -> str:
    if not points:
        return "Nothing has been measured yet."
    return f"Commits per group are {NOT_AVAILABLE}: the server counts no binlog groups, or its binlog is off."
