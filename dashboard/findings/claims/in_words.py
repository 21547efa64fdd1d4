"""Outcomes of claims in words: figures for pages, one line per claim for a terminal."""

from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.records.experiments.models import Experiment
from dashboard.text.numbers import UNKNOWN, percent, sig
from workers.analysis.predicates.bounds import Effect

UNITS = {"times": " times", "per second": "/s", "per commit": " per commit", "commits": " commits"}
SHARES = ("share", "deviation")  # read in per cent


def claim_lines(experiment: Experiment) -> list[str]:
    """One line each: G3 held: 24 times (22 to 27). At 64 threads ..."""
    told = []
    for one in outcomes_of(experiment):
        interval = interval_of(one.measured)
        figures = value_of(one.measured) + (f" ({interval})" if interval else "")
        why = f" {one.why[0].upper()}{one.why[1:]}." if one.why else ""
        told.append(f"{one.id} {one.outcome}: {figures}. {one.says}{why}")
    return told


def value_of(measured: Effect) -> str:
    """24.2 times; 0 of 30; a dash if nothing is known."""
    if measured.value is None:
        return UNKNOWN
    if measured.counts:
        return measured.counts
    if measured.unit in SHARES:
        return percent(measured.value)
    return f"{sig(measured.value)}{UNITS[measured.unit]}"


def interval_of(measured: Effect) -> str:
    """The 95 % interval; "" if none is known. Of a share: of all such crashes."""
    lo, hi = measured.lo, measured.hi
    if lo is None or hi is None:
        return ""
    if measured.unit == "deviation":
        return f"{percent(lo)} to {percent(hi)}"
    if measured.unit != "share":
        return f"{sig(lo)} to {sig(hi)}"
    return f"{percent(lo) if lo else '0'} to {percent(hi)}"
