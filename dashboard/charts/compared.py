"""The chart of a comparison: a bar for each point, or a line over the threads for each variant. Of two compared
experiments the ratio of B to A over the threads, a line for each variant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable, Dot, Row
from dashboard.findings.compare.choice import AskedComparison
from dashboard.findings.compare.figures import FIGURES, Column, ComparedFigure, named
from dashboard.findings.compare.pairs import PairedExperiments, PointPair
from dashboard.findings.grouped import grouped
from dashboard.findings.looks import STYLES, repeated
from dashboard.text.numbers import CONFIDENCE

KEY = "compared"
SLOT = "one"  # all bars share one stack, so each is as wide as possible


@dataclass(frozen=True)
class ComparedChart(Chart):
    """`points_of`: the places of each series' points; `hidden`: places of hidden points. A line is hidden if all its
    points are, so the same stays hidden when bars become lines."""

    points_of: tuple[tuple[int, ...], ...] = ()
    hidden: tuple[int, ...] = ()

    def payload(self) -> dict[str, object]:
        hidden = [n for n, points in enumerate(self.points_of) if set(points) <= set(self.hidden)]
        points_of = {"points_of": [list(points) for points in self.points_of]}
        return {**super().payload(), **points_of, **({"hidden": hidden} if hidden else {})}


def picture(columns: Sequence[Column], choice: AskedComparison) -> ComparedChart:
    """`columns` as their reader may see them."""
    figure = FIGURES[choice.figure]
    draw = _lines if choice.by == "threads" else _bars
    x, series, points_of = draw(columns, figure)
    known = any(dot.y is not None for one in series for dot in one.dots)
    return ComparedChart(
        key=KEY,
        title=f"{figure.title}{' by threads' if choice.by == 'threads' else ''}",
        kind="scaling" if choice.by == "threads" else "bars",
        x=x,
        y=replace(_y(columns, figure), scale="log" if choice.scale == "log" else "linear"),
        table=_table(columns, figure),
        series=series if known else (),
        empty="" if known else "Nothing is compared yet." if not columns else "No source has this figure here.",
        source="",
        note=f"Bars are {CONFIDENCE} confidence intervals." if choice.figure == "throughput" else "",
        points_of=points_of if known else (),
        hidden=choice.hidden,
    )


def _y(columns: Sequence[Column], figure: ComparedFigure) -> Axis:
    """The label names the unit of throughput if all columns have the same."""
    counted = {column.counts for column in columns}
    label = f"{counted.pop()} {figure.label}" if figure.unit == "/s" and len(counted) == 1 else figure.label
    return Axis(label, figure.unit, can_toggle_log=True)


Drawn = tuple[Axis, tuple[ChartSeries, ...], tuple[tuple[int, ...], ...]]  # with the places of each series' points


def _bars(columns: Sequence[Column], figure: ComparedFigure) -> Drawn:
    names = named(columns)
    series = tuple(
        ChartSeries(name, look.colour, (Dot(name, *figure.value(column)),), stack=SLOT)
        for name, column, look in zip(names, columns, repeated([one.variant for one in columns]), strict=True)
    )
    points_of = tuple((place,) for place in range(len(columns)))
    return Axis("variant, threads", scale="category", categories=tuple(names)), series, points_of


def _lines(columns: Sequence[Column], figure: ComparedFigure) -> Drawn:
    places = grouped(
        ((one.experiment, one.server_id, one.variant, one.workload), place) for place, one in enumerate(columns)
    )
    lines = [[columns[place] for place in line] for line in places.values()]
    series = tuple(
        ChartSeries(name, look.colour, _dots(line, figure), look.dash)
        for name, line, look in zip(
            _line_names(lines), lines, repeated([line[0].variant for line in lines]), strict=True
        )
    )
    return Axis("threads", scale="log2"), series, tuple(map(tuple, places.values()))


def _line_names(lines: Sequence[Sequence[Column]]) -> list[str]:
    """The variant, and the parts that differ between lines. Equal names are numbered."""
    firsts = [line[0] for line in lines]
    telling = [part for part in ("workload", "server", "name") if len({getattr(first, part) for first in firsts}) > 1]
    names = [", ".join([first.variant, *(getattr(first, part) for part in telling)]) for first in firsts]
    return [f"{name} ({n})" if names.count(name) > 1 else name for n, name in enumerate(names, start=1)]


def _dots(line: Sequence[Column], figure: ComparedFigure) -> tuple[Dot, ...]:
    ascending = sorted(line, key=lambda column: column.threads)
    dots = (Dot(column.threads, *figure.value(column)) for column in ascending)
    return tuple(dot for dot in dots if dot.y is not None)


def _table(columns: Sequence[Column], figure: ComparedFigure) -> ChartTable:
    titles = (("experiment", "text"), ("server", "text"), ("setting", "text"), ("workload", "text"))
    figures = ((figure.title.lower(), figure.format), ("95 % from", "number"), ("95 % to", "number"))
    rows = ((c.name, c.server, c.variant, c.workload, c.threads, *figure.value(c)) for c in columns)
    return ChartTable((*titles, ("threads", "whole"), *figures), tuple(rows))


def paired_picture(found: PairedExperiments, choice: AskedComparison) -> ComparedChart:
    figure = FIGURES[choice.figure]
    series = _ratio_lines(found, figure)
    return ComparedChart(
        key=KEY,
        title=f"{figure.title} of B against A",
        kind="ratio",
        x=Axis("threads", scale="log2"),
        y=Axis(
            "times A",
            "\N{MULTIPLICATION SIGN}",
            scale="log" if choice.scale == "log" else "linear",
            can_toggle_log=True,
        ),
        table=_ratio_table(found.pairs, figure),
        series=series,
        empty="" if series else "No source has this figure in A and B.",
        note="The line at 1 means that A and B are equal."
        + (f" Bars: {CONFIDENCE} confidence intervals." if choice.figure == "throughput" else ""),
        points_of=tuple((place,) for place in range(len(series))),
        hidden=choice.hidden,
    )


def _ratio_lines(found: PairedExperiments, figure: ComparedFigure) -> tuple[ChartSeries, ...]:
    ascending = sorted(found.pairs, key=lambda pair: pair.threads)
    lines = grouped(((pair.place.name, pair.workload), pair) for pair in ascending)
    several, drawn = len(found.workloads) > 1, []
    for pair in found.pairs:
        line = lines.pop((pair.place.name, pair.workload), [])
        dots = tuple(Dot(one.threads, *ratio) for one in line if (ratio := _ratio(one, figure)))
        if dots:
            name = f"{pair.place.name}, {pair.workload}" if several else pair.place.name
            dash = (pair.place.dash + found.workloads.index(pair.workload)) % STYLES
            drawn.append(ChartSeries(name, pair.place.colour, dots, dash))
    return tuple(drawn)


def _ratio(pair: PointPair, figure: ComparedFigure) -> tuple[float, float | None, float | None] | None:
    """With its interval, which only throughput has."""
    if figure is FIGURES["throughput"]:
        return (pair.ratio.value, pair.ratio.lo, pair.ratio.hi) if pair.ratio else None
    a, b = figure.value(pair.a)[0], figure.value(pair.b)[0]
    return (b / a, None, None) if a and b is not None else None


def _ratio_table(pairs: Sequence[PointPair], figure: ComparedFigure) -> ChartTable:
    name, said = figure.title.lower(), figure.format
    titles = (("setting", "text"), ("workload", "text"), ("threads", "whole"), (f"{name} of A", said))
    ratios = ((f"{name} of B", said), ("B/A", "times"), ("95 % from", "times"), ("95 % to", "times"))
    return ChartTable((*titles, *ratios), tuple(_ratio_row(pair, figure) for pair in pairs))


def _ratio_row(pair: PointPair, figure: ComparedFigure) -> Row:
    ratio = _ratio(pair, figure) or (None, None, None)
    values = (figure.value(pair.a)[0], figure.value(pair.b)[0])
    return (pair.place.name, pair.workload, pair.threads, *values, *ratio)
