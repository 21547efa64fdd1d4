"""Does one point differ from another? The answer of a comparison, from the repeats of both points.

**Method.** The interval of the ratio (`statistics`) and its p say the same: p is below 0.05 where the interval leaves 1
out. Over all comparisons of an experiment the p-values are adjusted for the false discovery rate (Benjamini and
Hochberg 1995): nine comparisons of the same thing would otherwise show a difference in one experiment out of three.
Where the interval leaves 1 out and the adjusted p is not below 0.05, the answer is *not decidable*: measure more
repeats.

*No difference shown* is not the same as none: the interval says how large one could still be. Of two repeats the answer
is *too few to judge*, and of one only that it was *measured once*: neither has an interval.
"""

from collections.abc import Sequence
from typing import Literal

from workers.analysis.statistics import MIN_REPEATS, Estimate

Decision = Literal["differs", "no difference shown", "not decidable", "too few to judge", "measured once"]
LEVEL = 0.05


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini-Hochberg adjusted p-values, in the given order; unknown ones stay unknown and do not count."""
    known = [(p, place) for place, p in enumerate(p_values) if p is not None]
    answer: list[float | None] = [None] * len(p_values)
    smallest = 1.0
    for rank, (p, place) in sorted(enumerate(sorted(known), start=1), reverse=True):
        smallest = min(smallest, p * len(known) / rank)
        answer[place] = smallest
    return answer


def decide(p: float | None, ratio: Estimate | None, repeats: int) -> Decision:
    """From an adjusted p, the ratio's interval, and how often the point of the two was measured that has fewer."""
    if repeats < MIN_REPEATS:
        return "too few to judge" if repeats > 1 else "measured once"
    if p is None or ratio is None or ratio.lo is None or ratio.hi is None:
        return "not decidable"
    apart = not ratio.lo <= 1 <= ratio.hi
    if apart != (p < LEVEL):
        return "not decidable"
    return "differs" if apart else "no difference shown"
