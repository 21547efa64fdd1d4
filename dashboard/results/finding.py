"""The sentence on top of a result page: what was found, with its interval, or why nothing can be said."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.results.counted import counted
from dashboard.results.shown import Shown
from dashboard.results.templatetags.figures import at, sig

Comparison = Mapping[str, Any]  # a point of the analysis that has a ratio


@dataclass(frozen=True)
class Progress:
    """Cells of the experiment. `error`: why it ended early, if it did."""

    cells: int
    measured: int
    is_over: bool
    error: str = ""


@dataclass(frozen=True)
class Finding:
    """`interval` is the 95 % interval of the number in `text`, "" where there is none; `more`: further sentences."""

    text: str
    interval: str = ""
    more: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return f"{self.text} ({self.interval})." if self.interval else f"{self.text}."


def finding(shown: Shown, progress: Progress) -> Finding:
    """The first of: nothing measured, a difference, no difference, not decidable, one variant's throughput."""
    points = shown.points
    if not points:
        return _nothing(progress)
    compared = [point for point in points if point["ratio"]]
    if not compared:
        found, told = _fastest(shown, points), []
    else:
        found, told = _compared(shown, compared)
    part = f"{progress.measured} of {progress.cells} cells were measured." if progress.measured < progress.cells else ""
    more = (*found.more, *_anatomy(shown, told), *_disturbed(shown, told), part)
    return Finding(found.text, found.interval, tuple(sentence for sentence in more if sentence))


def _nothing(progress: Progress) -> Finding:
    text = "Nothing was measured" if progress.is_over else "Nothing has been measured yet"
    return Finding(text, more=(progress.error,) if progress.error else ())


def _fastest(shown: Shown, points: Sequence[Comparison]) -> Finding:
    best = max(points, key=lambda point: point["tps"])
    name = shown.label(best["variant"], best["server_id"])
    text = f"{name} makes {sig(best['tps'])} {counted(shown.plan, shown.workload)} per second at {at(best['threads'])}"
    variants = {point["variant"] for point in points}
    unlike = "" if shown.baseline in variants else f"There is no comparison: {_base(shown)} was not measured."
    return Finding(text, _range(best["lo"], best["hi"], 3), (unlike,) if unlike else ())


def _compared(shown: Shown, compared: Sequence[Comparison]) -> tuple[Finding, list[Comparison]]:
    apart = [point for point in compared if point["ratio"]["decision"] == "differs"]
    if apart:
        largest = max(apart, key=lambda point: abs(math.log(point["ratio"]["value"])))
        return _difference(shown, largest), [_baseline_point(shown, largest), largest]
    ratios = [point["ratio"] for point in compared]
    if all(ratio["decision"] == "no difference shown" for ratio in ratios):
        text = f"No difference from {_base(shown)} was found at {_threads(compared)}"
        return Finding(text, more=(reach(ratios),)), []
    text = f"Not decidable: the runs are too few or too short to tell whether {_rivals(shown, compared)}"
    return Finding(f"{text} from {_base(shown)}", more=(reach(ratios),)), []


def _difference(shown: Shown, point: Comparison) -> Finding:
    """The faster one first, whichever is the baseline."""
    ratio = point["ratio"]
    value, lo, hi = ratio["value"], ratio["lo"], ratio["hi"]
    names = [shown.clean(point["variant"]), shown.clean(shown.baseline)]
    if value < 1:
        value, lo, hi = 1 / value, 1 / hi, 1 / lo if lo else None
        names.reverse()
    where = f" on {shown.names[point['server_id']]}" if shown.server_id is None and len(shown.names) > 1 else ""
    digits = 2 if value >= 2 else 3
    text = f"At {at(point['threads'])} {names[0]} is {sig(value, digits)} times as fast as {names[1]}{where}"
    return Finding(text, _range(lo, hi, digits))


def _anatomy(shown: Shown, told: Sequence[Comparison]) -> list[str]:
    """Where the difference comes from, as far as sources tell."""
    parts = [f"{shown.clean(p['variant'])} makes {fsyncs}" for p in told if (fsyncs := _fsyncs(p))]
    groups = [f"{sig(p['group']['value'], 2)} commits in {shown.clean(p['variant'])}" for p in told if p.get("group")]
    sentences = [f"Per commit {' and '.join(parts)}."] if len(parts) == len(told) and parts else []
    return sentences + ([f"A binlog group holds {' and '.join(groups)}."] if groups else [])


def _fsyncs(point: Comparison) -> str:
    kinds = [f"{sig(one['value'], 2)} {name}" for name, one in point["fsyncs"].items() if name != "data"]
    return f"{' and '.join(kinds)} fsyncs" if kinds else ""


def _disturbed(shown: Shown, told: Sequence[Comparison]) -> list[str]:
    stalled = [p for p in told if p["stalls"]["count"]]
    drifting = [p for p in told if p["settled"] is False]
    return [f"{shown.clean(p['variant'])} stood still for {p['stalls']['seconds']} s in all." for p in stalled] + [
        f"{shown.clean(p['variant'])} had not settled: a longer warm-up would help." for p in drifting
    ]


def _baseline_point(shown: Shown, point: Comparison) -> Comparison:
    same = (p for p in shown.points if p["variant"] == shown.baseline and p["threads"] == point["threads"])
    return next(p for p in same if p["server_id"] == point["server_id"])


def reach(ratios: Sequence[Mapping[str, Any]]) -> str:
    """How large a difference could still be."""
    known = [ratio for ratio in ratios if ratio["lo"] is not None]
    if len(known) < len(ratios):
        return "Measure longer or with more repeats: at least 8 seconds of each point are needed."
    lo, hi = min(ratio["lo"] for ratio in known), max(ratio["hi"] for ratio in known)
    return f"The 95 % intervals of the ratios reach from {sig(lo, 3)} to {sig(hi, 3)}."


def _rivals(shown: Shown, compared: Sequence[Comparison]) -> str:
    names = list(dict.fromkeys(shown.clean(point["variant"]) for point in compared))
    return f"{names[0]} differs" if len(names) == 1 else f"any of {', '.join(names)} differs"


def _base(shown: Shown) -> str:
    return shown.clean(shown.baseline)


def _range(lo: float | None, hi: float | None, digits: int) -> str:
    return "" if lo is None or hi is None else f"{sig(lo, digits)} to {sig(hi, digits)}"


def _threads(compared: Sequence[Comparison]) -> str:
    *first, last = sorted({point["threads"] for point in compared})
    return f"{', '.join(map(str, first))} or {last} threads" if first else at(last)
