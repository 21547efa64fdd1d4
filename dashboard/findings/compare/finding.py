"""The first sentence of a comparison.

Of two experiments: how many pairs differ, the largest difference, crash trials, points without a pair. Of points: the
second against the first, in the order of the address, which the reader chose before the result was known. Each further
point gets a sentence of its own.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.findings.compare.crashes import CrashPairs
from dashboard.findings.compare.figures import Column
from dashboard.findings.compare.pairs import PairedExperiments, PointPair
from dashboard.findings.finding import TOO_FEW, Finding
from dashboard.findings.point import ThroughputRatio
from dashboard.text.numbers import CONFIDENCE, at, percent, sig
from dashboard.text.ratios import rounded
from workers.analysis.compare import Decision
from workers.analysis.statistics import Estimate

FURTHER: dict[Decision, str] = {
    "no difference shown": "no difference was shown",
    "not decidable": "not decidable: measure more repeats",
    "too few to judge": "two repeats are too few to judge",
    "measured once": "measured once, too few to judge",
}
MANY = 3  # points, from which a sentence tells of all together
UNJUDGED: tuple[Decision, ...] = ("not decidable", "too few to judge", "measured once")


@dataclass(frozen=True)
class Together:
    """Of all points: what B makes of the throughput of A, and whether this is shown to be a difference."""

    says: str
    interval: str
    shown: bool

    @property
    def no_difference(self) -> str:
        return f"{self.says[0].upper()}{self.says[1:]} ({self.interval}): no difference is shown either."


def paired_finding(found: PairedExperiments, crashes: CrashPairs) -> Finding:
    if not found.pairs:
        return _without_pairs(found, crashes)
    judged = [(pair, pair.ratio) for pair in found.pairs if pair.ratio]
    counted = Counter(ratio.decision for _, ratio in judged)
    rest = [f"{counted[decision]} of {len(found.pairs)} points: {words}." for decision, words in FURTHER.items()
            if counted[decision] and (counted["differs"] or decision != "no difference shown")]  # fmt: skip
    if len(judged) < len(found.pairs):
        rest.append(f"{len(found.pairs) - len(judged)} of {len(found.pairs)} points: A and B count different things.")
    few = [TOO_FEW] if counted["too few to judge"] or counted["measured once"] else []
    differing = [(pair, ratio) for pair, ratio in judged if ratio.decision == "differs"]
    text, interval = _largest(differing) if differing else ("", "")
    can_be_judged = len(judged) - sum(counted[decision] for decision in UNJUDGED)
    count = len(found.pairs)
    together = None if differing else _together(len(judged), found.overall)
    said = f"Whether the throughput differs is unclear at {count} of {count} points that A and B measured"
    if differing:
        said = f"The throughput differs at {len(differing)} of {count} points that A and B measured{text}"
    elif together and together.shown:
        said, interval = f"No point shows a difference by itself, but {together.says}", together.interval
    elif can_be_judged:
        said = f"No difference in throughput was shown at {can_be_judged} of {count} points that A and B measured"
    whole = (together.no_difference,) if together and not together.shown else ()
    return Finding(said, interval, (*whole, *rest, *few, *_crashes(crashes), *_alone(found.alone)))


def _without_pairs(found: PairedExperiments, crashes: CrashPairs) -> Finding:
    """Crash trials lead where they are all that A and B have in common."""
    crashed, alone = _crashes(crashes), _alone(found.alone)
    if not crashed:
        return Finding("A and B have no point and no crash trial in common", more=alone)
    return Finding(crashed[0].removesuffix("."), more=alone)


def _largest(differing: list[tuple[PointPair, ThroughputRatio]]) -> tuple[str, str]:
    """A factor and its inverse count as equally large."""
    pair, ratio = max(differing, key=lambda one: abs(math.log(one[1].value)))
    where = f"{pair.place.name} at {at(pair.threads)}"
    which = ": " if len(differing) == 1 else "; the largest of these differences is "
    # Below 1 as percent, because nobody divides by 0.0297.
    told, of, digits = (percent, "of", 2) if ratio.value < 1 else (sig, "times", 0)
    value, interval = rounded(ratio.value, ratio.lo, ratio.hi, told, digits)
    text = f"{which}{where}, where B has {value} {of} the throughput of A"
    return text, f"{CONFIDENCE} confidence interval {interval}"


def _together(points: int, overall: Estimate | None) -> Together | None:
    """Many points can lean to one side. None: too few points or repeats."""
    if points < MANY or overall is None or overall.lo is None or overall.hi is None:
        return None
    value, interval = rounded(overall.value, overall.lo, overall.hi, percent, 3)
    return Together(
        f"over all {points} points together B has {value} of the throughput of A",
        f"geometric mean, {CONFIDENCE} confidence interval {interval}",
        not overall.lo <= 1 <= overall.hi,
    )


def _crashes(found: CrashPairs) -> tuple[str, ...]:
    """Whether trials failed in one of A and B only. An unclear trial is no outcome: it is named by itself."""
    both = [row for row in found.rows if row.a.failed is not None and row.b.failed is not None]
    apart = [f"{row.name}, {row.kind}" for row in both if row.a.failed != row.b.failed]
    tried = f"of {len(both)} combination{'s' if len(both) != 1 else ''} of setting and crash that both tried"
    where = f"{len(apart)} {tried}: {'; '.join(apart)}" if apart else f"none {tried}"
    told = (f"Crash trials: A and B had different outcomes at {where}.",) if both else ()
    return (*told, *(text for side in "ab" if (text := _unclear(side, found))))


def _unclear(side: str, found: CrashPairs) -> str:
    """Unclear trials beside none that failed: one of them may have lost commits."""
    sides = [(row, getattr(row, side)) for row in found.rows]
    where = [(one.unclear, f"{row.name}, {row.kind}") for row, one in sides if one.unclear and not one.failed]
    if not where:
        return ""
    parts = (f"{count:,} unclear trial{'s' if count > 1 else ''} at {place}" for count, place in where)
    return f"{side.upper()} has {'; '.join(parts)}."


def _alone(alone: tuple[int, int]) -> tuple[str, ...]:
    said = [
        f"{count} point{'s' if count > 1 else ''} that only {side} has"
        for count, side in zip(alone, "AB", strict=True)
        if count
    ]
    return (f"Not compared: {', '.join(said)}.",) if said else ()


def finding(columns: Sequence[Column]) -> Finding | None:
    """None if no point is compared with the first."""
    if len(columns) < 2:
        return None
    names = [f"{column.variant} at {at(column.threads)} ({n})" for n, column in enumerate(columns, start=1)]
    judged = [(name, column.ratio) for name, column in zip(names, columns, strict=True) if column.ratio]
    unlike = _unlike(columns)
    if not judged:
        return Finding(unlike or "Whether throughput differs is not decidable")
    (name, ratio), *others = judged
    found = _against_first(name, names[0], ratio)
    further = [_against_first(other, names[0], one).sentence for other, one in others]
    return Finding(found.text, found.interval, (*found.more, *further, *([f"{unlike}."] if unlike else [])))


def _against_first(name: str, first: str, ratio: ThroughputRatio) -> Finding:
    value, interval = ratio.in_words
    throughput = f"{value} times the throughput of {first}"
    decision = ratio.decision
    if decision == "differs":
        return Finding(f"{name} has {throughput}", interval)
    if decision == "no difference shown":
        return Finding(f"No difference in throughput between {name} and {first} was found: {throughput}", interval)
    if decision == "not decidable":
        return Finding(f"Whether {name} differs in throughput from {first} is not decidable: {throughput}", interval)
    if decision == "too few to judge":
        return Finding(f"Two repeats are too few to judge whether {name} differs from {first}", more=(TOO_FEW,))
    return Finding(f"{name} made {throughput}, and one of them was measured once", more=(TOO_FEW,))


def _unlike(columns: Sequence[Column]) -> str:
    """Which points count something else than the first."""
    first, *others = (column.counts for column in columns)
    different = sorted({other for other in others if other != first})
    if not different:
        return ""
    return f"Throughput of {' and '.join(different)} is not compared with throughput of {first}"
