"""The sentences on top of a page with crash trials: what is lost, what it buys, and whether that can be believed."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.results.counted import counted
from dashboard.results.crash.detector import detector
from dashboard.results.crash.settings import Setting, settings
from dashboard.results.crash.statistics import finished
from dashboard.results.finding import Finding
from dashboard.results.shown import Shown
from dashboard.results.templatetags.figures import at, sig


def crash_finding(shown: Shown, is_over: bool = True) -> Finding:
    """The first of: detector failed, no verdict, what speed costs, what held, what failed least."""
    trusted = detector(shown.trials)
    if trusted.failed:
        text, _, rest = trusted.says.partition(". ")
        return Finding(text, more=(rest,))
    known = [one for one in settings(shown) if one.tally.invalid.n]
    more = (trusted.says, *_left_over(shown))
    if not known:
        return Finding("No crash trial has a verdict" + ("" if is_over else " yet"), more=more)
    held = [one for one in known if one.tally.invalid.k == 0]
    failed = [one for one in known if one.tally.invalid.k]
    text, further = _told(shown, held, failed)
    return Finding(text, more=(*further, *more))


def _told(shown: Shown, held: Sequence[Setting], failed: Sequence[Setting]) -> tuple[str, list[str]]:
    safest = max(held, key=_worth, default=None)
    fastest = max(failed, key=lambda one: one.tps or 0, default=None)
    if fastest is None:
        return _says(safest), [f"{_says(one)}." for one in held if one is not safest]
    if safest is None:
        least = min(failed, key=lambda one: (one.tally.invalid.k / one.tally.invalid.n, _lost(one)))
        return f"Every setting failed. {_says(least)}", [f"{_says(fastest)}."] if fastest is not least else []
    faster = [(one, speed) for one in failed if (speed := _faster(shown, one, safest))]
    if faster:
        fastest, speed = max(faster, key=lambda known: known[0].tps or 0)
        return f"At {at(shown.at_threads)} {speed}, and {fastest.tally.says}", [f"{_says(safest)}."]
    return _says(safest), [f"{_says(fastest)}."]


def _worth(one: Setting) -> tuple[float, int]:
    """Faster first; where speeds are not known, tried more often."""
    return (one.tps or 0, one.tally.invalid.n)


def _lost(one: Setting) -> float:
    return one.loss.mean if one.loss else float("inf")


def _says(one: Setting) -> str:
    return f"{one.name} {one.tally.says}"


def _faster(shown: Shown, one: Setting, than: Setting) -> str:
    """How much faster, with its interval; "" where it was not shown to be."""
    if not (one.point and than.point):
        return ""
    lo, hi = one.point["lo"], than.point["hi"]
    if than.variant == shown.baseline and than.server_id == one.server_id:
        ratio = one.point["ratio"]
        is_faster = ratio and ratio["decision"] == "differs" and ratio["value"] > 1
        return f"{one.name} is {_times(ratio)} as fast as {than.name}{_interval(ratio)}" if is_faster else ""
    if lo is None or hi is None or lo <= hi:
        return ""
    kind = counted(shown.plan, shown.workload)
    return f"{one.name} makes {_tps(one.point)} {kind} per second and {than.name} {_tps(than.point)}"


def _times(ratio: Mapping[str, Any]) -> str:
    return f"{sig(ratio['value'], _digits(ratio))} times"


def _interval(ratio: Mapping[str, Any]) -> str:
    return f" ({sig(ratio['lo'], _digits(ratio))} to {sig(ratio['hi'], _digits(ratio))})"


def _digits(ratio: Mapping[str, Any]) -> int:
    return 2 if ratio["value"] >= 2 else 3


def _tps(point: Mapping[str, Any]) -> str:
    return f"{sig(point['tps'], 3)} ({sig(point['lo'], 3)} to {sig(point['hi'], 3)})"


def _left_over(shown: Shown) -> list[str]:
    """What was planned but told nothing."""
    unknown = sum(trial.is_unknown for trial in shown.trials)
    missing = len(shown.trials) - finished(shown.trials)
    return [
        sentence
        for count, sentence in (
            (unknown, f"{_trials(unknown)} could not tell, and count{'s' * (unknown == 1)} as failed in upper bounds."),
            (missing, f"{missing} of {len(shown.trials)} trials were not finished."),
        )
        if count
    ]


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"
