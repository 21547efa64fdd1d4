"""Colours and styles of the lines of many variants (docs/contributing/charts.md).

The usual durability settings have the same colour in every experiment and on every page. Other variants get the colours
that are left, by their place in the plan. Results and hidden lines do not change a look. Up to eight variants differ by
colour. More variants can form a grid, such as "MySQL 8.0.33, off" and "MySQL 8.0.33, on". Then the text before the last
comma decides the colour, and the text after it the style.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

COLOURS = 8  # in static/css/tokens.css
STYLES = 8  # in static/js/charts/strokes.js
MOST_WAYS = 4  # different texts after the comma: strokes can show no more
USUAL = {"1/1": 0, "2/0": 1, "0/0": 2, "2/1": 3, "1/0": 5, "0/1": 6}  # name of the variant: its colour


@dataclass(frozen=True)
class Look:
    colour: int
    dash: int


def by_place(nth: int) -> Look:
    """All colours in one style, then in the next."""
    return Look(nth % COLOURS, nth // COLOURS % STYLES)


def looks(names: Sequence[str], taken: Collection[Look] = ()) -> list[Look]:
    """One for each of the variants, in the plan's order. `taken`: looks that others have."""
    return (_grid(names) if not taken else []) or _each(names, taken)


def repeated(names: Sequence[str], own: Mapping[str, Look] | None = None) -> Iterator[Look]:
    """One for each. A name that comes again, for another server or experiment, has its colour in another style. `own`:
    of each name, if it is known."""
    different = list(dict.fromkeys(names))
    own = own or dict(zip(different, looks(different), strict=True))
    rounds = 1 + max((own[name].dash for name in different), default=0)
    seen: Counter[str] = Counter()
    for name in names:
        yield Look(own[name].colour, (own[name].dash + rounds * seen[name]) % STYLES)
        seen[name] += 1


def _each(names: Sequence[str], taken: Collection[Look]) -> list[Look]:
    """The usual ones first."""
    usual = {name: Look(USUAL[name], 0) for name in names if name in USUAL and Look(USUAL[name], 0) not in taken}
    every = [by_place(nth) for nth in range(COLOURS * STYLES)]
    free = cycle([look for look in every if look not in taken and look not in usual.values()] or every)
    return [usual.pop(name) if name in usual else next(free) for name in names]


def _grid(names: Sequence[str]) -> list[Look]:
    """Empty if the names are no grid, or if each can have its own colour."""
    pairs = [name.rpartition(", ")[::2] for name in names]
    heads, ways = (list(dict.fromkeys(part)) for part in zip(*pairs, strict=True)) if pairs else ([], [])
    whole = len(names) == len(set(pairs)) == len(heads) * len(ways)
    rounds = -(-len(heads) // COLOURS)
    if len(names) <= COLOURS or not whole or not 1 < len(ways) <= MOST_WAYS or rounds * len(ways) > STYLES:
        return []
    own = dict(zip(heads, _each(heads, ()), strict=True))
    return [Look(own[head].colour, own[head].dash * len(ways) + ways.index(way)) for head, way in pairs]
