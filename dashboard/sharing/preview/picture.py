"""The whole picture, 1200 x 630: the size that messengers ask for."""

from dataclasses import dataclass, replace
from functools import lru_cache

from dashboard.results.charts.chart import Chart, Table
from dashboard.sharing.preview.canvas import Canvas, width
from dashboard.sharing.preview.kinds import KINDS, Plot
from dashboard.sharing.preview.tokens import colours
from dashboard.sharing.preview.words import cut, drawable, wrapped

WIDTH, HEIGHT = 1200, 630
SIDE = 60
SENTENCE = ((40, 3), (32, 4))  # size and lines: the first that the whole sentence fits in, else the last
KEPT = 64  # pictures of some 30 kB


@dataclass(frozen=True)
class Glance:
    """What is seen of a link before it is opened. `chart` is empty where nothing can be drawn."""

    sentence: str
    name: str
    chart: Chart


def png(glance: Glance) -> bytes:
    """Drawn once for the same content."""
    return _drawn(replace(glance, chart=replace(glance.chart, table=Table(()))))


@lru_cache(maxsize=KEPT)
def _drawn(glance: Glance) -> bytes:
    canvas = Canvas(WIDTH, HEIGHT, colours()["surface"])
    canvas.box((0, 0), (WIDTH, 10), colours()["accent"])
    below = _words(canvas, glance.sentence)
    _chart(canvas, glance.chart, below)
    soft = colours()["ink-soft"]
    canvas.text((SIDE, HEIGHT - 26), "Durascope", 22, colours()["accent"], bold=True)
    name = cut(drawable(glance.name), WIDTH - 2 * SIDE - 160, lambda text: width(text, 22))
    canvas.text((WIDTH - SIDE, HEIGHT - 26), name, 22, soft, "rs")
    return canvas.png()


def _words(canvas: Canvas, sentence: str) -> float:
    """The sentence; where it ends."""
    size, lines = next(filter(None, (_fitting(sentence, *one) for one in SENTENCE)), None) or (
        SENTENCE[-1][0],
        _wrapped(sentence, *SENTENCE[-1]),
    )
    for n, line in enumerate(lines):
        canvas.text((SIDE, 68 + n * size * 1.25), line, size, colours()["ink"], bold=True)
    return 68 + (len(lines) - 1) * size * 1.25


def _fitting(sentence: str, size: float, lines: int) -> tuple[float, list[str]] | None:
    found = _wrapped(sentence, size, lines + 1)
    return (size, found) if len(found) <= lines else None


def _wrapped(sentence: str, size: float, lines: int) -> list[str]:
    return wrapped(drawable(sentence), WIDTH - 2 * SIDE, lines, lambda text: width(text, size))


def _chart(canvas: Canvas, chart: Chart, below: float) -> None:
    plot = Plot(SIDE + 90, below + 74, WIDTH - SIDE, HEIGHT - 128)
    hidden = set(getattr(chart, "hidden", ()))
    shown = [one for n, one in enumerate(chart.series) if n not in hidden]
    if chart.empty or not shown or chart.kind not in KINDS:
        canvas.text((SIDE, below + 74), chart.empty or chart.title, 24, colours()["ink-soft"])
        return
    KINDS[chart.kind](canvas, plot, chart, shown)
