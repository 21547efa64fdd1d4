"""Does one point differ from another? *differs*, *no difference shown*, or *not decidable*.

Two looks that rest on different assumptions must agree: the Mann-Whitney U test on block means (Mann and
Whitney 1947; blocks because seconds depend on each other) and the 95 % interval of the ratio, which also
carries the variation between repeats. Over all comparisons of an experiment the p-values are adjusted for the
false discovery rate (Benjamini and Hochberg 1995): nine comparisons of the same thing would otherwise show a
difference in one experiment out of three. Where the two disagree, or too few blocks were measured to reach
p < 0.05 at all, the answer is *not decidable*: measure longer or more repeats.

*No difference shown* is not the same as none: the interval says how large one could still be.
"""

from collections.abc import Sequence
from typing import Literal

import scipy

from workers.analysis.blocks import MIN_BLOCKS, Sample, block_length, block_means
from workers.analysis.statistics import Estimate

Decision = Literal["differs", "no difference shown", "not decidable"]
LEVEL = 0.05


def p_value(of: Sample, to: Sample) -> float | None:
    """Two-sided p of Mann-Whitney U on block means; None with fewer than four blocks on a side, where even
    complete separation would not reach 0.05."""
    if not of or not to:
        return None
    length = max(block_length(of), block_length(to))
    means = block_means(of, length), block_means(to, length)
    if min(part.size for part in means) < MIN_BLOCKS:
        return None
    return float(scipy.stats.mannwhitneyu(*means, alternative="two-sided").pvalue)


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini-Hochberg adjusted p-values, in the given order; unknown ones stay unknown and do not count."""
    known = [(p, place) for place, p in enumerate(p_values) if p is not None]
    answer: list[float | None] = [None] * len(p_values)
    smallest = 1.0
    for rank, (p, place) in sorted(enumerate(sorted(known), start=1), reverse=True):
        smallest = min(smallest, p * len(known) / rank)
        answer[place] = smallest
    return answer


def decide(p: float | None, ratio: Estimate | None) -> Decision:
    """From an adjusted p and the ratio's interval."""
    if p is None or ratio is None or ratio.lo is None or ratio.hi is None:
        return "not decidable"
    apart = not ratio.lo <= 1 <= ratio.hi
    if apart != (p < LEVEL):
        return "not decidable"
    return "differs" if apart else "no difference shown"
