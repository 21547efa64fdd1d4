"""A figure over the nights: one line per variant, with marked changes. The table in the page has the levels between
changes. The nights are loaded when the chart is scrolled into view, and are in the files."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable, Dot, Mark, Row
from dashboard.findings import changes as words
from dashboard.findings.nights import HistoryView, Marked, TrackLine
from dashboard.records.history.figures import FIGURES
from dashboard.records.history.models import Change, Entry
from dashboard.records.history.queries import ACCEPTED, EntryValue, figured

SHARED = "Below 1: commits share flushes, or do not wait for them."


def outline(key: str, view: HistoryView) -> Chart:
    """Without nights: the levels between changes."""
    return _chart(key, view, _levels(key, view), ())


def chart(key: str, view: HistoryView) -> Chart:
    return _chart(key, view, _nights(key, view), tuple(_series(key, view, line) for line in view.lines_of(key)))


def _chart(key: str, view: HistoryView, table: ChartTable, series: tuple[ChartSeries, ...]) -> Chart:
    figure, lines = FIGURES[key], view.lines_of(key)
    name = words.name(figure, lines[0].track) if lines else figure.name
    known = any(figured(key, line.entries) for line in lines)
    marked = view.marked(key)
    return Chart(
        key=key,
        title=figure.title,
        kind="nights",
        x=Axis("", scale="date"),
        y=Axis(name, figure.unit, can_toggle_log=True),
        table=table,
        series=series,
        empty="" if known else "No shown run has this figure.",
        source=_source(key, lines),
        note=" ".join(filter(None, (SHARED if key == "fsyncs" else "", _note(marked)))),
        marks=tuple(_mark(lines, one) for one in marked),
    )


def _source(key: str, lines: Sequence[TrackLine]) -> str:
    """That of the newest night, if nights can differ."""
    return FIGURES[key].source or _of_all_files(next((line.entries[-1].fsyncs_from for line in lines), ""))


def _of_all_files(told: str) -> str:
    """`binlog: trace:fsync; redo: trace:fsync` -> `trace:fsync`."""
    known = {one.partition(": ")[2] for one in told.split("; ")}
    return known.pop() if len(known) == 1 else told


def _note(marked: Sequence[Marked]) -> str:
    """The marks of the chart in words, for the line above it."""
    return " ".join(
        f"Change {one.number}, since {one.at:%Y-%m-%d}. Differences: {words.differed(one.differed, most=2)}."
        for one in marked
    )


def _mark(lines: Sequence[TrackLine], one: Marked) -> Mark:
    changed = {change.track_id for change in one.changes}
    places = tuple(n for n, line in enumerate(lines) if line.track.pk in changed)
    return Mark(_x(one.changes[0].first), str(one.number), places, one.is_sure)


def _x(at: Entry | EntryValue) -> float:
    """Milliseconds since 1970, as JavaScript counts."""
    return round(at.at.timestamp() * 1000)


def _series(key: str, view: HistoryView, line: TrackLine) -> ChartSeries:
    said = {change.first_id: f"change {one.number}" for one, change in _of_line(key, view, line)}
    dots = (Dot(_x(one), one.value, mark=said.get(one.entry_id, "")) for one in figured(key, line.entries))
    return ChartSeries(line.name, line.colour, tuple(dots), line.dash)


def _of_line(key: str, view: HistoryView, line: TrackLine) -> list[tuple[Marked, Change]]:
    found = ((one, change) for one in view.marked(key) for change in one.changes)
    return [(one, change) for one, change in found if change.track_id == line.track.pk]


def _levels(key: str, view: HistoryView) -> ChartTable:
    figure = FIGURES[key]
    columns = (
        ("setting", "text"), ("from", "text"), ("to", "text"), ("nights", "whole"), ("median", figure.form),
        ("lowest", figure.form), ("highest", figure.form), ("begins with", "text"),
    )  # fmt: skip
    rows = [row for line in view.lines_of(key) for row in _levels_of(key, view, line)]
    return ChartTable(columns, tuple(rows))


def _levels_of(key: str, view: HistoryView, line: TrackLine) -> list[Row]:
    found = figured(key, line.entries)
    places = {one.entry_id: n for n, one in enumerate(found)}
    accepted = [one for one in _of_line(key, view, line) if one[1].state in ACCEPTED and one[1].first_id in places]
    begins = {places[change.first_id]: (one, change) for one, change in accepted}
    bounds = sorted({0, len(found), *begins})
    spans = [(found[start:end], begins.get(start)) for start, end in pairwise(bounds)]
    return [_level(line.name, span, begin) for span, begin in spans]


def _level(name: str, span: Sequence[EntryValue], begin: tuple[Marked, Change] | None) -> Row:
    numbers = [one.value for one in span]
    days = (f"{span[0].at:%Y-%m-%d}", f"{span[-1].at:%Y-%m-%d}")
    says = f"change {begin[0].number}, {begin[1].get_state_display()}" if begin else ""
    return (name, *days, len(span), median(numbers), min(numbers), max(numbers), says)


def _nights(key: str, view: HistoryView) -> ChartTable:
    figure = FIGURES[key]
    columns = [("measured at", "text"), ("experiment", "whole"), ("setting", "text"), ("settings", "text")]
    columns += [(figure.title.lower(), figure.form)]
    columns += [("95 % from", "number"), ("95 % to", "number")] if key == "throughput" else []
    columns += [("repeats", "whole"), ("source", "text"), ("change", "text")]
    said = {change.first_id: _says(one, change) for one in view.marked(key) for change in one.changes}
    rows = [
        (
            entry.at.isoformat(), entry.experiment_id, line.name, line.track.means, getattr(entry, figure.column),
            *((entry.tps_lo, entry.tps_hi) if key == "throughput" else ()), entry.repeats,
            figure.source or entry.fsyncs_from, said.get(entry.pk, ""),
        )
        for line in view.lines_of(key)
        for entry in line.entries
    ]  # fmt: skip
    return ChartTable(tuple(columns), tuple(rows))


def _says(one: Marked, change: Change) -> str:
    return f"{change.get_state_display()}: {words.moved(change)}; differences: {words.differed(one.differed)}"
