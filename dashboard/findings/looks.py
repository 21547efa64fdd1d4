"""How the lines of many variants are told apart: a colour, and a style of stroke and mark (docs/charts.md).

A look is a variant's place in the plan, for ever: nothing that is measured or hidden later changes it. Up to eight
variants differ by colour. More of them that are a grid, such as "MySQL 8.0.33, off" and "MySQL 8.0.33, on", have
the colour of what comes before the last comma and the style of what comes after it: one server is one colour, and the
same setting looks alike on neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

COLOURS = 8  # in static/css/tokens.css
STYLES = 8  # in static/js/charts/strokes.js
MOST_WAYS = 4  # behind the comma: what strokes alone can tell apart


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
    """Empty where the names are no grid, or so few that each has a colour of its own."""
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
    """How often the colours are gone through."""
    return -(-len(heads) // COLOURS)
