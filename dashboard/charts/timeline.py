"""One run of each variant second by second, with stalls marked. The page has an outline with the stalls of all repeats.
The seconds are loaded when the chart is scrolled into view."""

from collections.abc import Sequence

from dashboard.charts.chart import NOTHING_MEASURED, Chart, described
from dashboard.charts.seconds import seconds
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import Point
from dashboard.records.experiments.models import Series as StoredSeries
from dashboard.text.numbers import at


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
    series = [series for _, one in drawn for series in one.series]
    return described("timeline", rows, series, key="seconds", at=at(threads), counts=counts)


def _chosen(lines: Sequence[VariantLine], threads: int) -> list[tuple[VariantLine, Point]]:
    return [(line, point) for line in lines for point in line.points if point.threads == threads]
