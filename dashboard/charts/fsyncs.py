"""Fsyncs per commit by threads, split into redo log, binary log and data as far as sources separate them."""

from collections.abc import Sequence

from dashboard.charts.chart import NOT_AVAILABLE, NOTHING_MEASURED, Chart, ChartSeries, Dot, Row, described, sources
from dashboard.findings.lines import VariantLine, points_of, threads_of
from dashboard.findings.per_commit import FILES, FSYNCS
from dashboard.findings.point import Point


def fsyncs(lines: Sequence[VariantLine]) -> Chart:
    points = points_of(lines)
    used = [files for files in FSYNCS if any(files in point.fsyncs for point in points)]
    series = [_series(line, files) for line in lines for files in used]  # all, so that a class keeps its fill
    return described(
        "fsyncs",
        [row for line in lines for point in line.points for row in _rows(line, point)],
        series,
        empty="" if series else _why_not(points),
        source=sources([one.source for point in points for one in point.fsyncs.values()]),
        categories=map(str, threads_of(lines)),
    )


def _series(line: VariantLine, files: str) -> ChartSeries:
    dots = tuple(Dot(str(p.threads), p.fsyncs[files].value) for p in line.points if files in p.fsyncs)
    return ChartSeries(f"{line.name} {FILES.get(files, files)}", line.colour, dots, stack=line.name)


def _rows(line: VariantLine, point: Point) -> list[Row]:
    known = point.fsyncs
    rows: list[Row] = [
        (line.name, point.threads, FILES.get(name, name), one.value, one.source, _note(point, name, one.note))
        for name, one in known.items()
    ]
    return rows or [(line.name, point.threads, NOT_AVAILABLE, None, "", "; ".join(point.missing))]


def _note(point: Point, files: str, note: str) -> str:
    """The source's own, and where another source contradicts it."""
    said = (one.says for one in point.contradictions if one.files == files)
    return " ".join(filter(None, (note, *said)))


def _why_not(points: Sequence[Point]) -> str:
    if not points:
        return NOTHING_MEASURED
    reasons = dict.fromkeys(reason for point in points for reason in point.missing)
    said = f" ({'; '.join(reasons)})" if reasons else ""
    return f"Fsyncs per commit are {NOT_AVAILABLE}{said}."
