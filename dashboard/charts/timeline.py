"""One run of each variant second by second, with stalls marked. The page has an outline with the stalls of all repeats.
The seconds are loaded when the chart is scrolled into view."""

from collections.abc import Sequence

from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable
from dashboard.charts.seconds import heads, seconds
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import Point
from dashboard.records.experiments.models import Series as StoredSeries
from dashboard.text.numbers import at

OUTLINE = (
    ("variant", "text"), ("repeats", "whole"), ("seconds", "whole"), ("stalls", "whole"), ("stalled seconds", "whole"),
    ("longest, seconds", "whole"),
)  # fmt: skip


def outline(lines: Sequence[VariantLine], threads: int, counts: str) -> Chart:
    """Without seconds: the stalls of all repeats, from the analysis."""
    rows = [
        (line.name, p.repeats, p.seconds, p.stalls.count, p.stalls.seconds, p.stalls.longest_s)
        for line, p in _chosen(lines, threads)
    ]
    return _chart(
        threads, counts, ChartTable(OUTLINE, tuple(rows)), (), "" if rows else "Nothing has been measured yet."
    )


def timeline(lines: Sequence[VariantLine], threads: int, counts: str) -> Chart:
    """With the seconds of each variant's first repeat: one query."""
    chosen = [(line, point.run_ids[0]) for line, point in _chosen(lines, threads)]
    stored = StoredSeries.objects.filter(run_id__in=[run for _, run in chosen]).values_list("run_id", "columns")
    columns = dict(stored)
    drawn = [(line, seconds(columns[run], line.name, line.colour)) for line, run in chosen if run in columns]
    rows = tuple((line.name, *row) for line, one in drawn for row in one.table.rows)
    series = tuple(series for _, one in drawn for series in one.series)
    empty = "" if series else "Nothing has been measured yet."
    return _chart(threads, counts, ChartTable((("variant", "text"), *heads(counts)), rows), series, empty)


def _chosen(lines: Sequence[VariantLine], threads: int) -> list[tuple[VariantLine, Point]]:
    return [(line, point) for line in lines for point in line.points if point.threads == threads]


def _chart(threads: int, counts: str, table: ChartTable, series: Sequence[ChartSeries], empty: str) -> Chart:
    return Chart(
        key="seconds",
        title=f"Second by second at {at(threads)}",
        kind="time",
        x=Axis("seconds since the start", "s"),
        y=Axis(f"{counts} per second", "/s", can_toggle_log=True),
        table=table,
        series=tuple(series),
        empty=empty,
        source="" if empty else "sysbench",
        note="The first repeat of each variant; seconds below a tenth of the median are marked as stalls.",
    )
