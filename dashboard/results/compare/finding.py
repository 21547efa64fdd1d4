"""The sentence on top of a comparison."""

import math
from collections.abc import Sequence

from dashboard.results.compare.chart import named
from dashboard.results.compare.figures import Column
from dashboard.results.finding import Finding, reach
from dashboard.results.templatetags.figures import sig


def finding(columns: Sequence[Column]) -> Finding | None:
    """The largest difference in throughput from the first point; None where nothing is held against it."""
    if len(columns) < 2:
        return None
    names = named(columns)
    judged = [(name, column["ratio"]) for name, column in zip(names, columns, strict=True) if column["ratio"]]
    unlike = _unlike(columns)
    if unlike and not judged:
        return Finding(unlike)
    apart = [(name, ratio) for name, ratio in judged if ratio["decision"] == "differs"]
    if not apart:
        every = judged and all(ratio["decision"] == "no difference shown" for _, ratio in judged)
        text = "No difference in throughput was found" if every else "Whether throughput differs is not decidable"
        further = (reach([ratio for _, ratio in judged]),) if judged else ()
        return Finding(text, more=(*further, *_sentences(unlike)))
    name, ratio = max(apart, key=lambda one: abs(math.log(one[1]["value"])))
    digits = 2 if ratio["value"] >= 2 else 3
    known = ratio["lo"] is not None
    interval = f"{sig(ratio['lo'], digits)} to {sig(ratio['hi'], digits)}" if known else ""
    return Finding(
        f"{_of(name)} has {sig(ratio['value'], digits)} times the throughput of {_of(names[0])}",
        interval,
        _sentences(unlike),
    )


def _unlike(columns: Sequence[Column]) -> str:
    """Points whose throughput is a number of something else than the first's."""
    first, *others = (column["counts"] for column in columns)
    different = sorted({other for other in others if other != first})
    if not different:
        return ""
    return f"Throughput of {' and '.join(different)} is not held against throughput of {first}"


def _sentences(unlike: str) -> tuple[str, ...]:
    return (f"{unlike}.",) if unlike else ()


def _of(name: str) -> str:
    """2: 0/0, 8 threads -> 0/0 at 8 threads (2)."""
    number, _, rest = name.partition(": ")
    variant, _, threads = rest.rpartition(", ")
    return f"{variant} at {threads} ({number})"
