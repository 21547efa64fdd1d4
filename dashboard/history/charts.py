"""A figure over the nights: one line a variant, changes marked. The page holds the levels between changes as its
table; the nights themselves are loaded when the picture comes into sight, and are in the files."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from dashboard.history import words
from dashboard.history.figures import FIGURES, Figure
from dashboard.history.models import Change, Entry
from dashboard.history.queries import Value, figured
from dashboard.history.shown import Line, Marked, Shown
from dashboard.results.charts.chart import Axis, Chart, Dot, Mark, Series, Table


def outline(key: str, shown: Shown) -> Chart:
    """Without the nights: the levels between changes."""
    return _chart(key, shown, _levels(key, shown), ())


def chart(key: str, shown: Shown) -> Chart:
    """With every night in sight."""
    return _chart(key, shown, _nights(key, shown), tuple(_series(key, shown, line) for line in shown.lines_of(key)))


def _chart(key: str, shown: Shown, table: Table, series: tuple[Series, ...]) -> Chart:
    figure, lines = FIGURES[key], shown.lines_of(key)
    name = words.name(figure, lines[0].track) if lines else figure.name
    known = any(figured(key, line.entries) for line in lines)
    return Chart(
        key=key,
        title=figure.title,
        kind="nights",
        x=Axis("", scale="date"),
        y=Axis(name, figure.unit, can_toggle_log=True),
        table=table,
        series=series,
        empty="" if known else "No night in sight knows this figure.",
        source=figure.source,
        note=_note(shown.marked(key)),
        marks=tuple(_mark(lines, one) for one in shown.marked(key)),
    )


def _note(marked: Sequence[Marked]) -> str:
    """What a mark on the picture means stands right above it."""
    return " ".join(
        f"{one.number}: {one.change.track.variant} {words.moved(one.change)} on {one.change.first.at:%Y-%m-%d} "
        f"({one.change.get_state_display()}); differed: {words.differed(one.differed[:2])}"
        f"{f' and {len(one.differed) - 2} more' if len(one.differed) > 2 else ''}."
        for one in marked
    )


def _mark(lines: Sequence[Line], one: Marked) -> Mark:
    place = next(n for n, line in enumerate(lines) if line.track.pk == one.change.track_id)
    return Mark(_x(one.change.first), str(one.number), place, one.change.state != Change.State.SUSPECTED)


def _x(at: Entry | Value) -> float:
    """Milliseconds since 1970, as JavaScript counts."""
    return round(at.at.timestamp() * 1000)


def _series(key: str, shown: Shown, line: Line) -> Series:
    said = {one.change.first_id: f"change {one.number}" for one in shown.marked(key) if _is_of(one, line)}
    dots = (Dot(_x(one), one.value, mark=said.get(one.entry_id, "")) for one in figured(key, line.entries))
    return Series(line.name, line.colour, tuple(dots), line.dash)


def _is_of(one: Marked, line: Line) -> bool:
    return one.change.track_id == line.track.pk


def _levels(key: str, shown: Shown) -> Table:
    figure = FIGURES[key]
    columns = (
        ("variant", "text"), ("from", "text"), ("to", "text"), ("nights", "whole"), ("median", figure.form),
        ("lowest", figure.form), ("highest", figure.form), ("begins with", "text"),
    )  # fmt: skip
    rows = [row for line in shown.lines_of(key) for row in _levels_of(key, shown, line)]
    return Table(columns, tuple(rows))


def _levels_of(key: str, shown: Shown, line: Line) -> list[tuple[Any, ...]]:
    found = figured(key, line.entries)
    places = {one.entry_id: n for n, one in enumerate(found)}
    marked = [one for one in shown.marked(key) if _is_of(one, line) and one.change.first_id in places]
    begins = {places[one.change.first_id]: one for one in marked if one.change.state != Change.State.SUSPECTED}
    bounds = sorted({0, len(found), *begins})
    spans = [(found[start:end], begins.get(start)) for start, end in pairwise(bounds)]
    return [_level(line.name, span, begin) for span, begin in spans]


def _level(name: str, span: Sequence[Value], begin: Marked | None) -> tuple[Any, ...]:
    numbers = [one.value for one in span]
    days = (f"{span[0].at:%Y-%m-%d}", f"{span[-1].at:%Y-%m-%d}")
    says = f"change {begin.number}, {begin.change.get_state_display()}" if begin else ""
    return (name, *days, len(span), median(numbers), min(numbers), max(numbers), says)


def _nights(key: str, shown: Shown) -> Table:
    figure = FIGURES[key]
    columns = [("measured at", "text"), ("experiment", "whole"), ("variant", "text"), ("settings", "text")]
    columns += [(figure.title.lower(), figure.form), *_interval(figure), ("repeats", "whole")]
    columns += [("source", "text"), ("change", "text")]
    said = {(one.change.track_id, one.change.first_id): one for one in shown.marked(key)}
    rows = [
        (
            entry.at.isoformat(), entry.experiment_id, line.name, line.track.means, getattr(entry, figure.column),
            *((entry.tps_lo, entry.tps_hi) if key == "throughput" else ()), entry.repeats,
            entry.fsyncs_from if key == "fsyncs" else figure.source, _says(said.get((line.track.pk, entry.pk))),
        )
        for line in shown.lines_of(key)
        for entry in line.entries
    ]  # fmt: skip
    return Table(tuple(columns), tuple(rows))


def _interval(figure: Figure) -> list[tuple[str, str]]:
    return [("95 % from", "number"), ("95 % to", "number")] if figure.column == "tps" else []


def _says(one: Marked | None) -> str:
    if one is None:
        return ""
    return f"{one.change.get_state_display()}: {words.moved(one.change)}; differed: {words.differed(one.differed)}"
