"""The chart of two compared experiments: the ratio of B to A over the threads, a line for each variant."""

from collections.abc import Sequence

from dashboard.charts.chart import Axis, ChartSeries, ChartTable, Dot, Row
from dashboard.charts.compared import KEY, ComparedChart
from dashboard.findings.compare.choice import Choice
from dashboard.findings.compare.figures import FIGURES, ComparedFigure
from dashboard.findings.compare.pairs import PairedExperiments, PointPair
from dashboard.findings.grouped import grouped
from dashboard.findings.looks import STYLES
from dashboard.text.numbers import CONFIDENCE


def paired_picture(found: PairedExperiments, choice: Choice) -> ComparedChart:
    figure = FIGURES[choice.figure]
    series = _series(found, figure)
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
        table=_table(found.pairs, figure),
        series=series,
        empty="" if series else "No source has this figure in A and B.",
        note="The line at 1 means that A and B are equal."
        + (f" Bars: {CONFIDENCE} confidence intervals." if choice.figure == "throughput" else ""),
        points_of=tuple((place,) for place in range(len(series))),
        hidden=choice.hidden,
    )


def _series(found: PairedExperiments, figure: ComparedFigure) -> tuple[ChartSeries, ...]:
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


def _table(pairs: Sequence[PointPair], figure: ComparedFigure) -> ChartTable:
    name, said = figure.title.lower(), figure.format
    titles = (("setting", "text"), ("workload", "text"), ("threads", "whole"), (f"{name} of A", said))
    ratios = ((f"{name} of B", said), ("B/A", "times"), ("95 % from", "times"), ("95 % to", "times"))
    return ChartTable((*titles, *ratios), tuple(_row(pair, figure) for pair in pairs))


def _row(pair: PointPair, figure: ComparedFigure) -> Row:
    ratio = _ratio(pair, figure) or (None, None, None)
    values = (figure.value(pair.a)[0], figure.value(pair.b)[0])
    return (pair.place.name, pair.workload, pair.threads, *values, *ratio)
