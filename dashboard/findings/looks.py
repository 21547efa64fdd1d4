"""Colours and styles of the lines of many variants (docs/contributing/charts.md).

The place of a variant in the plan decides its look. Results and hidden lines do not change it. Up to eight variants
differ by colour. More variants can form a grid, such as "MySQL 8.0.33, off" and "MySQL 8.0.33, on". Then the text
before the last comma decides the colour, and the text after it the style.
"""

from collections.abc import Sequence
from dataclasses import dataclass

COLOURS = 8  # in static/css/tokens.css
STYLES = 8  # in static/js/charts/strokes.js
MOST_WAYS = 4  # different texts after the comma: strokes can show no more


@dataclass(frozen=True)
class Look:
    colour: int
    dash: int


def by_place(nth: int) -> Look:
    """All colours in one style, then in the next."""
    return Look(nth % COLOURS, nth // COLOURS % STYLES)


def looks(names: Sequence[str]) -> list[Look]:
    """One for each of the variants, in the plan's order."""
    return _grid(names) or [by_place(nth) for nth in range(len(names))]


def _grid(names: Sequence[str]) -> list[Look]:
    """Empty if the names are no grid, or if each can have its own colour."""
    pairs = [name.rpartition(", ")[::2] for name in names]
    heads, ways = (list(dict.fromkeys(part)) for part in zip(*pairs, strict=True)) if pairs else ([], [])
    whole = len(names) == len(set(pairs)) == len(heads) * len(ways)
    if len(names) <= COLOURS or not whole or not 1 < len(ways) <= MOST_WAYS or _rounds(heads) * len(ways) > STYLES:
        return []
    return [
        Look(heads.index(head) % COLOURS, heads.index(head) // COLOURS * len(ways) + ways.index(way))
        for head, way in pairs
    ]


def _rounds(heads: Sequence[str]) -> int:
    return -(-len(heads) // COLOURS)
