"""Does one point differ from another? The answer comes from the repeats of both points.

**Method.** The p of the ratio (`statistics`) is below 0.05 exactly when its interval excludes 1. The p-values of many
comparisons are adjusted for the false discovery rate (Benjamini and Hochberg 1995). The comparison that the plan fixes
before the run is not among them: docs/models.md says why. When the interval excludes 1 and the adjusted p is not below
0.05, the answer is *not decidable*: measure more repeats.

*No difference shown* does not prove that there is none: the interval says how large it could be. Two repeats are *too
few to judge*, one is *measured once*: neither has an interval.
"""

from collections.abc import Sequence
from typing import Literal

from workers.analysis.statistics import MIN_REPEATS, Estimate

Decision = Literal["differs", "no difference shown", "not decidable", "too few to judge", "measured once"]
LEVEL = 0.05


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini-Hochberg adjusted p-values, in the given order. Unknown ones stay unknown and do not count."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    answers: list[float | None] = [None] * len(p_values)
    least = 1.0
    for rank, (p, place) in reversed(list(enumerate(known, 1))):
        answers[place] = least = min(least, p * len(known) / rank)
    return answers


def decide(p: float | None, ratio: Estimate | None, repeats: int) -> Decision:
    """From an adjusted p, the ratio's interval, and the smaller number of repeats of the two points."""
    if repeats < MIN_REPEATS:
        return "too few to judge" if repeats > 1 else "measured once"
    if p is None or ratio is None or ratio.lo is None or ratio.hi is None:
        return "not decidable"
    apart = not ratio.lo <= 1 <= ratio.hi
    if apart != (p < LEVEL):
        return "not decidable"
    return "differs" if apart else "no difference shown"
