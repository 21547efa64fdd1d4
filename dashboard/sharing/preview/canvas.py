"""Lines, discs and words on a picture, in its own pixels. Drawn at twice the size and halved: Pillow's shapes have hard
edges."""

import io
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import hypot

from PIL import Image, ImageDraw, ImageFont

from dashboard.sharing.preview.words import drawable

FINE = 2
Spot = tuple[float, float]


@cache
def _font(size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.load_default(size * FINE)  # type: ignore[return-value]  # Pillow's own, where it has FreeType


def width(text: str, size: float) -> float:
    return _font(size).getlength(drawable(text)) / FINE


class Canvas:
    def __init__(self, width: int, height: int, ground: str) -> None:
        self._image = Image.new("RGB", (width * FINE, height * FINE), ground)
        self._draw = ImageDraw.Draw(self._image)

    def line(
        self, spots: Sequence[Spot], colour: str, width: float = 2, dash: tuple[float, float] | None = None
    ) -> None:
        for start, end in pairwise(spots) if dash is None else _dashes(spots, *dash):
            self._draw.line([_fine(start), _fine(end)], fill=colour, width=round(width * FINE))
        if dash is None and width > 2:  # round corners
            for spot in spots:
                self.disc(spot, width / 2, colour)

    def box(self, start: Spot, end: Spot, colour: str) -> None:
        self._draw.rectangle([_fine(start), _fine(end)], fill=colour)

    def disc(self, spot: Spot, radius: float, colour: str, ring: str = "", thick: float = 0) -> None:
        (x, y), r = _fine(spot), radius * FINE
        self._draw.ellipse([x - r, y - r, x + r, y + r], fill=colour, outline=ring or None, width=round(thick * FINE))

    def text(self, spot: Spot, text: str, size: float, colour: str, anchor: str = "ls", *, bold: bool = False) -> None:
        """`anchor` as Pillow has it: l, m or r for left, middle, right; s for the base line, m for the middle."""
        words = drawable(text)
        thick = size * FINE / 45 if bold else 0
        self._draw.text(_fine(spot), words, fill=colour, font=_font(size), anchor=anchor, stroke_width=thick)

    def png(self) -> bytes:
        out = io.BytesIO()
        self._image.reduce(FINE).save(out, "PNG")
        return out.getvalue()


def _fine(spot: Spot) -> Spot:
    return spot[0] * FINE, spot[1] * FINE


def _dashes(spots: Sequence[Spot], on: float, off: float) -> list[tuple[Spot, Spot]]:
    """The drawn parts of a broken line; the pattern runs on around corners."""
    parts, at = [], 0.0
    for (x0, y0), (x1, y1) in pairwise(spots):
        length = hypot(x1 - x0, y1 - y0)
        done = 0.0
        while done < length:
            phase = at % (on + off)
            step = min(length - done, (on if phase < on else on + off) - phase)
            if phase < on:
                start, end = done / length, (done + step) / length
                parts.append(
                    ((x0 + (x1 - x0) * start, y0 + (y1 - y0) * start), (x0 + (x1 - x0) * end, y0 + (y1 - y0) * end))
                )
            done, at = done + max(step, 0.01), at + max(step, 0.01)
    return parts
