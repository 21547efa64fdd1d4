"""The first sentence of a comparison: the second point against the first, in the order of the address. The reader chose
that order before the result was known. Each further point gets a sentence of its own."""

from collections.abc import Sequence

from dashboard.findings.compare.figures import Column
from dashboard.findings.finding import TOO_FEW, Finding
from dashboard.findings.point import ThroughputRatio
from dashboard.text.numbers import at


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
    found = _told(name, names[0], ratio)
    further = [_told(other, names[0], one).sentence for other, one in others]
    return Finding(found.text, found.interval, (*found.more, *further, *([f"{unlike}."] if unlike else [])))


def _told(name: str, first: str, ratio: ThroughputRatio) -> Finding:
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
