"""The kinds of chart that a preview can show. A new one is a function and a line in KINDS."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.results.charts.chart import Chart, Dot, Series
from dashboard.results.templatetags.figures import number, size
from dashboard.sharing.preview.canvas import Canvas, width
from dashboard.sharing.preview.scales import Scale, apart, from_zero, logarithmic, ticks
from dashboard.sharing.preview.tokens import colours, series_colour
from dashboard.sharing.preview.words import cut

TEXT, SMALL = 22, 18  # pixels
ROOM = 330  # at most, for names at line ends
CAP = 6
DASH = {True: (14, 9), False: None}


@dataclass(frozen=True)
class Plot:
    """Where the plot is on the canvas."""

    left: float
    top: float
    right: float
    bottom: float


def lines(canvas: Canvas, plot: Plot, chart: Chart, shown: Sequence[Series]) -> None:
    room = min(40 + max((_text(one.name) for one in shown), default=0), ROOM)
    inner = Plot(plot.left, plot.top, plot.right - room, plot.bottom)
    xs = sorted({float(dot.x) for one in shown for dot in one.dots})
    x = logarithmic(xs, inner.left + 12, inner.right - 12, room=1.05)
    y = _upright(canvas, inner, chart, shown)
    _below(canvas, inner, [(x.at(value), number(value)) for value in _thinned(xs)], chart.x.label)
    for one in shown:
        spots = [(x.at(float(dot.x)), y.at(dot.y)) for dot in one.dots if dot.y is not None]
        if one.ceiling or one.fit:
            canvas.line(spots, series_colour(one.colour), 2, (3, 7))
            continue
        canvas.line(spots, series_colour(one.colour), 4, DASH[bool(one.dash)])
        for dot, spot in zip((dot for dot in one.dots if dot.y is not None), spots, strict=True):
            _interval(canvas, spot[0], dot, y, series_colour(one.colour))
            canvas.disc(spot, 6, series_colour(one.colour))
    _names(canvas, inner, [one for one in shown if not (one.ceiling or one.fit) and one.dots], y)


def bars(canvas: Canvas, plot: Plot, chart: Chart, shown: Sequence[Series]) -> None:
    """One bar a series: those of a comparison."""
    y = _upright(canvas, plot, chart, shown)
    step = (plot.right - plot.left) / max(len(chart.x.categories), 1)
    places = {name: plot.left + step * (n + 0.5) for n, name in enumerate(chart.x.categories)}
    half = min(step * 0.38, 60)
    for one in shown:
        for dot in one.dots:
            middle = places[str(dot.x)]
            if dot.y is None:
                canvas.text((middle, plot.bottom - 14), "?", TEXT, colours()["ink-soft"], "ms")
                continue
            canvas.box(
                (middle - half, min(y.at(dot.y), plot.bottom - 1)),
                (middle + half, plot.bottom),
                series_colour(one.colour),
            )
            _interval(canvas, middle, dot, y, colours()["ink"])
    fits = all(_small(name) < step - 12 for name in places)
    _below(canvas, plot, [(at, name if fits else name.partition(":")[0]) for name, at in places.items()], "")


def risk(canvas: Canvas, plot: Plot, chart: Chart, shown: Sequence[Series]) -> None:
    """Losses on a log axis, with a band left of it for none."""
    losses = [float(dot.x) for one in shown for dot in one.dots]
    x = logarithmic([loss for loss in losses if loss > 0] or [1, 1000], plot.left + 240, plot.right - 90, room=1.6)
    none = plot.left + 90
    canvas.box((plot.left, plot.top), (plot.left + 180, plot.bottom), colours()["sunken"])
    y = _upright(canvas, plot, chart, shown)
    marks = [(none, "0"), *((x.at(value), number(value)) for value in ticks(x))]
    _below(canvas, plot, marks, chart.x.label)
    spots = [(x.at(float(dot.x)) if float(dot.x) > 0 else none, y.at(dot.y or 0)) for one in shown for dot in one.dots]
    for one, spot in zip(shown, spots, strict=True):
        _risk_mark(canvas, one, spot)
    heights = apart([at for _, at in spots], TEXT + SMALL + 6, plot.top + TEXT, plot.bottom - SMALL - 8)
    for one, spot, height in zip(shown, spots, heights, strict=True):
        _risk_name(canvas, one, (spot[0], height), before=spot[0] > plot.right - 260)


def _risk_name(canvas: Canvas, one: Series, spot: tuple[float, float], *, before: bool) -> None:
    """With how often it was tried and the bound, without which a zero says nothing."""
    x, anchor = (spot[0] - 18, "rm") if before else (spot[0] + 18, "lm")
    canvas.text((x, spot[1]), cut(one.name, 240, _text), TEXT, colours()["ink"], anchor)
    canvas.text((x, spot[1] + SMALL + 3), cut(one.dots[0].mark, 300, _small), SMALL, colours()["ink-soft"], anchor)


def _risk_mark(canvas: Canvas, one: Series, spot: tuple[float, float]) -> None:
    """Filled where replicas agree, hollow where they do not or nobody knows: as on the page, in small."""
    agree = getattr(one, "replica", "agree") == "agree"
    colour = series_colour(one.colour)
    canvas.disc(spot, 10, colour if agree else colours()["surface"], colour, 3)


def _upright(canvas: Canvas, plot: Plot, chart: Chart, shown: Sequence[Series]) -> Scale:
    """The vertical axis with its lines and its name above it."""
    values = [value for one in shown for dot in one.dots for value in (dot.lo, dot.y, dot.hi) if value is not None]
    log = chart.y.scale == "log"
    y = logarithmic(values, plot.bottom, plot.top) if log else from_zero(values, plot.bottom, plot.top)
    for value in ticks(y):
        at = y.at(value)
        canvas.line([(plot.left, at), (plot.right, at)], colours()["line"], 1)
        canvas.text((plot.left - 12, at), _valued(value, chart.y.unit), SMALL, colours()["ink-soft"], "rm")
    unit = f" ({chart.y.unit})" if chart.y.unit and not chart.y.unit.startswith("/") else ""
    canvas.text((plot.left - 80, plot.top - 18), f"{chart.y.label}{unit}", SMALL, colours()["ink-soft"])
    return y


def _below(canvas: Canvas, plot: Plot, marks: Sequence[tuple[float, str]], label: str) -> None:
    canvas.line([(plot.left, plot.bottom), (plot.right, plot.bottom)], colours()["line-strong"], 2)
    end = -1e9
    for at, text in marks:
        if at - _small(text) / 2 > end:
            canvas.text((at, plot.bottom + 26), text, SMALL, colours()["ink-soft"], "ms")
            end = at + _small(text) / 2 + 8
    canvas.text((plot.right, plot.bottom + 52), label, SMALL, colours()["ink-soft"], "rs")


def _names(canvas: Canvas, plot: Plot, shown: Sequence[Series], y: Scale) -> None:
    """At the ends of the lines, apart from each other."""
    ends = [y.at(max(one.dots, key=lambda dot: float(dot.x)).y or 0) for one in shown]
    most = max(int((plot.bottom - plot.top) // TEXT), 1)
    for one, at in list(zip(shown, apart(ends, TEXT + 2, plot.top, plot.bottom), strict=True))[:most]:
        canvas.disc((plot.right + 18, at), 6, series_colour(one.colour))
        canvas.text((plot.right + 34, at), cut(one.name, ROOM - 40, _text), TEXT, colours()["ink"], "lm")


def _interval(canvas: Canvas, x: float, dot: Dot, y: Scale, colour: str) -> None:
    if dot.lo is None or dot.hi is None:
        return
    low, high = y.at(dot.lo), y.at(dot.hi)
    canvas.line([(x, low), (x, high)], colour, 2)
    for end in (low, high):
        canvas.line([(x - CAP, end), (x + CAP, end)], colour, 2)


def _thinned(values: Sequence[float], most: int = 9) -> Sequence[float]:
    return values[:: -(-len(values) // most)] if values else values


def _valued(value: float, unit: str) -> str:
    return size(value) if unit == "B" else number(value)


def _text(words: str) -> float:
    return width(words, TEXT)


def _small(words: str) -> float:
    return width(words, SMALL)


KINDS: dict[str, Callable[[Canvas, Plot, Chart, Sequence[Series]], None]] = {
    "scaling": lines,
    "bars": bars,
    "risk": risk,
}
