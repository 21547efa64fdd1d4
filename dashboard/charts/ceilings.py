"""Throughput under its ceilings: how fast commits could be if they waited for nothing but their fsyncs."""

from typing import Any

from dashboard.charts.chart import NOT_AVAILABLE, Axis, Chart, Dot, Series, Table, sources
from dashboard.findings.counted import counted
from dashboard.findings.line_models import Ceiling
from dashboard.findings.point import Point
from dashboard.findings.shown import Line, Shown
from workers.analysis.not_computable import NotComputable

COLUMNS = (
    ("variant", "text"), ("threads", "whole"), ("measured", "number"), ("ceiling with group commit", "number"),
    ("share of it", "percent"), ("ceiling without", "number"), ("fsyncs in series", "number"), ("they take", "ms"),
    ("remark", "text"),
)  # fmt: skip


def ceilings(shown: Shown) -> Chart:
    lines = shown.lines()
    drawn = tuple(series for line in lines if (bound := ceiling_of(shown, line)) for series in _series(line, bound))
    return Chart(
        key="ceilings",
        title="Throughput under its fsync ceilings",
        kind="scaling",
        x=Axis("threads", scale="log2"),
        y=Axis(f"{counted(shown.plan, shown.workload)} per second", "/s", scale="log", can_toggle_log=True),
        table=Table(COLUMNS, tuple(row for line in lines for row in _rows(shown, line))),
        series=drawn,
        empty="" if drawn else f"Ceilings are {NOT_AVAILABLE}: {_why_not(shown)}",
        source=sources([bound.source for line in lines if (bound := ceiling_of(shown, line))]),
        note="Dotted: threads / (fsyncs in series times their latency, as one thread alone found them), which group "
        "commit may reach; and the flat ceiling without group commit, when a log takes one commit with each fsync.",
    )  # fmt: skip


def ceiling_of(shown: Shown, line: Line) -> Ceiling | None:
    known = shown.models(line).ceiling
    return known if isinstance(known, Ceiling) else None


def shared(line: Line, bound: Ceiling, most_tps: float) -> Series:
    """The ceiling with group commit as far up as a picture of measured curves has room."""
    dots = tuple(Dot(p.threads, y) for p in line.points if (y := bound.shared_tps(p.threads)) <= most_tps)
    return Series(line.name, line.colour, dots, ceiling=True)


def _series(line: Line, bound: Ceiling) -> tuple[Series, ...]:
    measured = tuple(Dot(p.threads, p.tps, p.lo, p.hi) for p in line.points)
    flat = tuple(Dot(p.threads, bound.unshared_tps(p.threads)) for p in line.points)
    return (
        Series(line.name, line.colour, measured, line.dash),
        shared(line, bound, float("inf")),
        Series(line.name, line.colour, flat, ceiling=True),
    )


def _rows(shown: Shown, line: Line) -> list[tuple[Any, ...]]:
    bound = shown.models(line).ceiling
    if isinstance(bound, NotComputable):
        return [(line.name, None, None, None, None, None, None, None, bound.why)]
    return [_row(line, point, bound) for point in line.points]


def _row(line: Line, point: Point, bound: Ceiling) -> tuple[Any, ...]:
    threads, efficiency = point.threads, bound.efficiency(point.threads, point.tps)
    remark = "the device was slower when one thread was measured" if efficiency > 1 else ""
    return (
        line.name, threads, point.tps, bound.shared_tps(threads), efficiency, bound.unshared_tps(threads),
        bound.fsyncs, bound.demand_ms, remark,
    )  # fmt: skip


def _why_not(shown: Shown) -> str:
    reasons = dict.fromkeys(
        bound.why for line in shown.lines() if isinstance(bound := shown.models(line).ceiling, NotComputable)
    )
    return " ".join(reasons) or "nothing has been measured yet."
