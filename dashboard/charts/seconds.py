"""A run second by second with its stalls, which a mean hides: one run, or the first run of each variant. The page has
an outline with the stalls of all repeats; the seconds are loaded when the chart is scrolled into view."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dashboard.charts.chart import NOTHING_MEASURED, Chart, ChartSeries, Dot, described
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import Point
from dashboard.records.experiments.models import Series as StoredSeries
from dashboard.text.numbers import at
from workers.analysis.stalls import BELOW, stalls


def seconds(
    columns: Mapping[str, Sequence[float]], name: str, colour: int = 0, what: str = "commits", warmup_s: int = 0
) -> Chart:
    """`columns`: as `Series.columns` of a run stores them. Columns may be missing or lack the last second."""
    tps = columns.get("tps", [])
    times = columns.get("t_s") or list(range(1, len(tps) + 1))
    stalled = {stall.start + n for stall in stalls(tps) for n in range(stall.seconds)}
    marks = ["stall" if place in stalled else "" for place in range(len(tps))]
    dots = tuple(Dot(round(t, 1), y, mark=mark) for t, y, mark in zip(times, tps, marks, strict=False))
    p95, errors = (_padded(columns.get(key, []), len(tps)) for key in ("p95_ms", "errors"))
    return described(
        "seconds",
        zip(times, tps, p95, errors, marks, strict=False),
        [ChartSeries(name, colour, dots)] if dots else [],
        commits=what.capitalize(),
        counts=what,
        stalled=f"A stall is a second below {100 * BELOW:.0f} % of the median. " if stalled else "",
        warm_up=f"A point stands at the end of its second. The warm-up ({warmup_s} s) is a run before this one. "
        if warmup_s
        else "",
    )


def _padded(column: Sequence[float], length: int) -> list[float | None]:
    return [*column[:length], *([None] * (length - len(column)))]


def outline(lines: Sequence[VariantLine], threads: int, counts: str) -> Chart:
    """Without seconds: the stalls of all repeats, from the analysis."""
    rows = [
        (line.name, p.repeats, p.seconds, p.stalls.count, p.stalls.seconds, p.stalls.longest_s)
        for line, p in _chosen(lines, threads)
    ]
    empty, source = ("", "sysbench") if rows else (NOTHING_MEASURED, "")
    said = {"at": at(threads), "counts": counts}
    return described("timeline-outline", rows, (), key="seconds", empty=empty, source=source, **said)


def timeline(lines: Sequence[VariantLine], threads: int, counts: str) -> Chart:
    """With the seconds of each variant's first repeat: one query."""
    chosen = [(line, point.run_ids[0]) for line, point in _chosen(lines, threads)]
    stored = StoredSeries.objects.filter(run_id__in=[run for _, run in chosen]).values_list("run_id", "columns")
    columns = dict(stored)
    drawn = [(line, seconds(columns[run], line.name, line.colour)) for line, run in chosen if run in columns]
    rows = [(line.name, *row) for line, one in drawn for row in one.table.rows]
    series = [replace(series, dash=line.dash) for line, one in drawn for series in one.series]
    return described("timeline", rows, series, key="seconds", at=at(threads), counts=counts)


def _chosen(lines: Sequence[VariantLine], threads: int) -> list[tuple[VariantLine, Point]]:
    return [(line, point) for line in lines for point in line.points if point.threads == threads]
