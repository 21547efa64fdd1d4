"""Speed against risk as a PNG for messengers, which run no scripts: the figures, colours and axes of the page's chart.

It is drawn on the server, because links are also made by programs, and because an open link must show what is stored
now.
"""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import product

from PIL import Image, ImageDraw
from PIL.ImageFont import load_default

from dashboard.charts.chart import Chart
from dashboard.charts.risk import RiskDot, RiskSeries
from dashboard.findings.crash.trials import REPLICAS_SAY
from dashboard.text.numbers import whole

SIZE = (1200, 630)  # what messengers ask for
PLOT = (120, 120, 1150, 530)  # left, top, right, bottom
SHARP = 2  # drawn larger, then reduced: Pillow does not smooth edges
MARGIN = 15  # right of which no label stands
RADIUS = 13
RING = 8  # around a point, for the present setting
OUTLINE = 4  # of a mark that is not filled
LED = 14  # from which a label is joined to its point
ROOM = 1.6  # around the speeds of a log axis, as a factor
FEW = 4  # decades of speeds, below which 2 and 5 have ticks too
STEP = 10  # between the places that are tried for a label
SURFACE, INK, SOFT, LINE, BAND = "#ffffff", "#17202a", "#55606d", "#dfe3e8", "#eff1f4"
SERIES = ("#0072b2", "#836a46", "#4c1d95", "#c876a2", "#454b53", "#c08700", "#3a9bd6", "#4f4a00")  # tokens.css, light
ZERO_SHARE = 0.26  # of the axis, for losses of 0: risk-axis.js
GAP = 1.6  # between these and the first decade, as a factor: risk-axis.js
APART = 10  # without ground and axis between the band and the log axis: risk-ground.js
NEARER = 8  # by which a label is nearer to its own point than to any other
CLEAR = 60  # between a label and any other point, whose own label could stand there
BETWEEN = 20  # between two labels in one row, which would be read as one sentence
Box = tuple[float, float, float, float]
Point = tuple[float, float]


@dataclass(frozen=True)
class Place:
    """A setting, in pixels. `least` and `most`: the ends of its losses; `low` and `high`: of its speed."""

    name: str
    mark: str
    colour: str
    x: float
    y: float
    least: float
    most: float
    low: float
    high: float
    replica: str = ""
    mine: bool = False
    square: bool = False  # of several nodes

    @property
    def boxes(self) -> tuple[Box, Box, Box]:
        """What no label covers: the point with its ring, and its two bars."""
        reach = RADIUS + RING + 2 if self.mine else RADIUS
        point = (self.x - reach, self.y - reach, self.x + reach, self.y + reach)
        return point, (self.least, self.y - 4, self.most, self.y + 4), (self.x - 4, self.high, self.x + 4, self.low)


@dataclass(frozen=True)
class Scales:
    """`first`: the smallest decade of losses; `decades`: of the axis; `bottom`, `top`: the ends of the axis of
    speeds. It is linear if it begins at 0."""

    first: float
    decades: int
    top: float
    bottom: float = 0.0

    @property
    def band(self) -> float:
        """Where losses of 0 end."""
        left, _, right, _ = PLOT
        return left + ZERO_SHARE * (right - left)

    def x(self, loss: float) -> float:
        if loss <= 0:
            return (PLOT[0] + self.band) / 2
        share = math.log10(GAP * loss / self.first) / (math.log10(GAP) + self.decades)
        return self.band + (PLOT[2] - self.band) * share

    def y(self, speed: float) -> float:
        _, top, _, bottom = PLOT
        share = speed / self.top
        if self.bottom:
            share = math.log(max(speed, self.bottom) / self.bottom) / math.log(self.top / self.bottom)
        return bottom - (bottom - top) * min(max(share, 0), 1)

    @property
    def speeds(self) -> list[float]:
        """The ticks."""
        if not self.bottom:
            return [self.top * part / 4 for part in range(5)]
        powers = range(math.floor(math.log10(self.bottom)), math.ceil(math.log10(self.top)))
        steps = (1, 2, 5) if len(powers) < FEW else (1,)
        ticks = (step * 10.0**power for power in powers for step in steps)
        return [tick for tick in ticks if self.bottom <= tick <= self.top]


def risk_png(chart: Chart) -> bytes:
    """1200 x 630 pixels. The chart has series."""
    picture = Image.new("RGB", (SIZE[0] * SHARP, SIZE[1] * SHARP), SURFACE)
    pen = _Pen(ImageDraw.Draw(picture))
    scales = scales_of(chart)
    known = places(chart)
    _ground(pen, chart, scales, any(one.square for one in known))
    for one in known:
        _point(pen, one)
    for one, (left, top) in zip(known, labels(known), strict=True):
        wide, high = size_of(one)
        near = (min(max(one.x, left), left + wide), min(max(one.y, top), top + high))
        if math.dist(near, (one.x, one.y)) > RADIUS + LED:
            pen.line(near, (one.x, one.y), one.colour, 2)
        x, anchor = (left + wide, "ra") if left + wide <= one.x else (left, "la")
        pen.write((x, top), one.name, 26, INK, anchor)
        pen.write((x, top + 30), one.mark, 20, SOFT, anchor)
    file = BytesIO()
    picture.resize(SIZE, Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


def places(chart: Chart) -> list[Place]:
    scales, found = scales_of(chart), []
    for one in (series for series in chart.series if isinstance(series, RiskSeries)):
        for dot in _dots(one.dots):
            speed = dot.y or 0.0
            low = speed if dot.lo is None else dot.lo
            ends = (scales.x(dot.x_lo), scales.x(dot.x_hi), scales.y(low), scales.y(dot.hi or speed))
            colour, mark = SERIES[one.colour % len(SERIES)], _ascii(", ".join(filter(None, (dot.mark, _replicas(one)))))
            name = _ascii(f"{one.name} (present)" if one.mine else one.name)
            at = (scales.x(float(dot.x)), scales.y(speed))
            found.append(
                Place(name, mark, colour, *at, *ends, replica=one.replica, mine=one.mine, square=one.nodes == "several")
            )
    return found


def _replicas(one: RiskSeries) -> str:
    """In words, because the picture has no key of its marks. "" where they agree or were not tried in the chart."""
    return REPLICAS_SAY[one.replica] if one.replica and one.replica != "agree" else ""


def labels(known: Sequence[Place]) -> list[tuple[float, float]]:
    """Left and top of each label: the nearest free place that covers no point, bar or other label, and is nearer to its
    own point than to any other."""
    taken = [box for one in known for box in one.boxes]
    found: list[tuple[float, float]] = []
    for one in known:
        width, height = size_of(one)
        lefts = range(PLOT[0] + 4, int(SIZE[0] - MARGIN - width), STEP)
        tops = range(PLOT[1] + 28, PLOT[3] - height, STEP)
        offered = [(left, top, left + width, top + height) for left, top in product(lefts, tops)]
        rivals = [other for other in known if other is not one]
        best = min(offered, key=lambda box: _cost(box, one, rivals, taken))
        taken.append((best[0] - BETWEEN, best[1], best[2] + BETWEEN, best[3]))
        found.append(best[:2])
    return found


def _cost(box: Box, one: Place, rivals: Sequence[Place], taken: Sequence[Box]) -> tuple[float, float, float]:
    """Smaller is better: square pixels that it covers, pixels by which it is too near to another point, distance."""
    own = distance(box, one)
    covered = sum(_covered(box, other) for other in taken)
    apart = [other for other in rivals if math.dist((one.x, one.y), (other.x, other.y)) > RADIUS]
    stray = [max(own + NEARER, CLEAR) - distance(box, other) for other in apart]
    return covered, max([0.0, *stray]), own


def size_of(one: Place) -> tuple[float, int]:
    return max(load_default(26).getlength(one.name), load_default(20).getlength(one.mark)), 54


def _covered(one: Box, other: Box) -> float:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def distance(box: Box, one: Place) -> float:
    return math.hypot(max(box[0] - one.x, one.x - box[2], 0), max(box[1] - one.y, one.y - box[3], 0))


def scales_of(chart: Chart) -> Scales:
    """Whole decades of losses, as in risk-axis.js; speeds up to a round number, or on a log axis with room."""
    dots = [dot for one in chart.series for dot in _dots(one.dots)]
    losses = [loss for dot in dots for loss in (float(dot.x), dot.x_lo, dot.x_hi) if loss > 0]
    first = 10.0 ** math.floor(math.log10(min([*losses, 1000])))
    most = 10.0 ** math.ceil(math.log10(max([*losses, 1])))
    fastest = max(dot.hi or dot.y or 0.0 for dot in dots) or 1.0
    step = 10.0 ** math.floor(math.log10(fastest))
    decades = max(1, round(math.log10(most / first)))
    slowest = [dot.y for dot in dots if dot.y]
    if chart.y.scale == "log" and slowest:
        return Scales(first, decades, fastest * ROOM, min(slowest) / ROOM)
    return Scales(first, decades, math.ceil(fastest / step) * step)


def _dots(dots: Iterable[object]) -> list[RiskDot]:
    return [dot for dot in dots if isinstance(dot, RiskDot)]


def _ground(pen: "_Pen", chart: Chart, scales: Scales, has_squares: bool) -> None:
    left, top, right, bottom = PLOT
    pen.box((left, top, scales.band, bottom), BAND)
    for speed in scales.speeds:
        pen.line((left, scales.y(speed)), (right, scales.y(speed)), LINE, 2)
        pen.write((left - 12, scales.y(speed)), whole(speed), 20, SOFT, "rm")
    pen.line((left, bottom), (right, bottom), SOFT, 2)
    pen.box((scales.band - APART / 2, top, scales.band + APART / 2, bottom + 3), SURFACE)
    for loss in (scales.first * 10**power for power in range(scales.decades + 1)):
        pen.write((scales.x(loss), bottom + 10), whole(loss), 20, SOFT, "ma")
    pen.write((scales.x(0), bottom + 10), "none", 20, SOFT, "ma")
    pen.write(((left + scales.band) / 2, top + 4), "nothing lost", 20, SOFT, "ma")
    pen.write((30, 24), _ascii(chart.title), 34, INK)
    pen.write((30, 80), chart.y.label + (" (log scale)" if scales.bottom else ""), 20, SOFT)
    pen.write((right, bottom + 44), _ascii(f"{chart.x.label} (log scale)"), 20, SOFT, "ra")
    shapes = " Square: several nodes. Dot: one server." if has_squares else ""
    pen.write((30, 590), f"Durascope. Up (fast) and left (little lost) is better.{shapes}", 20, SOFT)


def _point(pen: "_Pen", one: Place) -> None:
    pen.line((one.least, one.y), (one.most, one.y), one.colour, 3)
    pen.line((one.x, one.low), (one.x, one.high), one.colour, 3)
    _mark(pen, one)
    if one.mine:
        pen.circle((one.x, one.y), RADIUS + RING, INK, None)


def _mark(pen: "_Pen", one: Place) -> None:
    """The marks of the page: static/js/charts/risk-marks.js."""
    middle, replica, colour = (one.x, one.y), one.replica, one.colour
    outline, left_half = (pen.square, pen.left_of_square) if one.square else (pen.circle, pen.left_half)
    outline(middle, RADIUS, colour, colour if replica in ("agree", "") else SURFACE)
    if replica in ("unknown", "not tried"):
        left_half(middle, RADIUS, colour)
    if replica == "diverge":
        (x, y), arm = middle, RADIUS / 2
        pen.line((x - arm, y - arm), (x + arm, y + arm), colour, OUTLINE)
        pen.line((x - arm, y + arm), (x + arm, y - arm), colour, OUTLINE)


def _ascii(text: str) -> str:
    """Pillow's own font knows no other letters. A font of the system may be missing."""
    parts = (each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return "".join(parts).encode("ascii", "replace").decode()


@dataclass(frozen=True)
class _Pen:
    """Draws at the places of the reduced picture."""

    draw: ImageDraw.ImageDraw

    def box(self, box: Box, colour: str) -> None:
        self.draw.rectangle(tuple(SHARP * each for each in box), fill=colour)

    def line(self, start: Point, end: Point, colour: str, width: int) -> None:
        self.draw.line([tuple(SHARP * each for each in point) for point in (start, end)], colour, width * SHARP)

    def circle(self, middle: Point, radius: float, colour: str, filling: str | None) -> None:
        self.draw.circle((middle[0] * SHARP, middle[1] * SHARP), radius * SHARP, filling, colour, OUTLINE * SHARP)

    def left_half(self, middle: Point, radius: float, colour: str) -> None:
        (x, y), r = (middle[0] * SHARP, middle[1] * SHARP), radius * SHARP
        self.draw.pieslice((x - r, y - r, x + r, y + r), 90, 270, colour)

    def square(self, middle: Point, radius: float, colour: str, filling: str | None) -> None:
        (x, y), r = (middle[0] * SHARP, middle[1] * SHARP), radius * SHARP
        self.draw.rectangle((x - r, y - r, x + r, y + r), filling, colour, OUTLINE * SHARP)

    def left_of_square(self, middle: Point, radius: float, colour: str) -> None:
        x, y = middle
        self.box((x - radius, y - radius, x, y + radius), colour)

    def write(self, at: Point, text: str, size: int, colour: str, anchor: str = "la") -> None:
        self.draw.text((at[0] * SHARP, at[1] * SHARP), text, colour, load_default(size * SHARP), anchor)
