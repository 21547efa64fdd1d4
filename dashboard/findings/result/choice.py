"""Which setting a result speaks for, and what it costs, as values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.findings.recommendation import LEAST, Crashes, Option, best
from dashboard.findings.result.comparison import is_enough
from workers.analysis.binomial import interval
from workers.analysis.statistics import Estimate

Why = Literal["kept", "too few", "none kept", "several servers", "controls failed", "not tried", "not measured"]
MOST_TRIALS = 1000


@dataclass(frozen=True)
class SafetyCost:
    """The chosen setting against a faster one at a number of threads. `share`: of the faster one's speed that is lost,
    from 0 to 1; `ms`: more per transaction, with the ends of its interval."""

    setting: str
    rival: str
    threads: int
    tps: float
    share: Estimate
    ms: Estimate


@dataclass(frozen=True)
class Choice:
    """`setting`: the chosen one, "" for none; `kept` and `lost`: the tested settings that lost nothing, and those that
    lost commits; `unclear`: the others. `tried`: crashes of the kind that was tried least with the chosen setting, and
    `bound`: what share of them may still lose commits; `missing`: how many more without a loss would bring that below
    5 %."""

    why: Why
    setting: str = ""
    is_present: bool = False
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    kind: str = ""
    tried: int = 0
    bound: float | None = None
    missing: int = 0
    cost: SafetyCost | None = None


NOT_TRIED, NOT_MEASURED = Choice("not tried"), Choice("not measured")


def choose(options: Sequence[Option], threads: int, servers: int, controls_failed: bool) -> Choice:
    """At that number of threads."""
    kept = tuple(one.name for one in options if one.held)
    lost = tuple(one.name for one in options if one.lost)
    unclear = tuple(one.name for one in options if one.crashes and one.name not in kept + lost)
    if not any(each.tried or each.unclear for one in options for each in one.crashes):
        return NOT_TRIED
    if controls_failed:
        return Choice("controls failed")
    if servers > 1:
        return Choice("several servers", kept=kept, lost=lost, unclear=unclear)
    if not kept:
        return Choice("none kept", lost=lost, unclear=unclear)
    chosen = best([one for one in options if one.held], threads)
    weakest = weakest_of(chosen)
    return Choice(
        why="kept" if weakest.tried >= LEAST else "too few",  # moments of a load are no crashes
        setting=chosen.name,
        is_present=chosen.is_yours,
        kept=kept,
        lost=lost,
        unclear=unclear,
        kind=weakest.kind,
        tried=weakest.tried,
        bound=weakest.most,
        missing=missing(weakest.tried),
    )


def weakest_of(chosen: Option) -> Crashes:
    """The kind of crash of which the fewest independent trials say anything."""
    independent = [each for each in chosen.crashes if not each.points] or list(chosen.crashes)
    return min(independent, key=lambda each: each.tried)


def missing(tried: int) -> int:
    """How many more crashes without a loss leave a chance of a loss below 5 %."""
    enough = next(n for n in range(1, MOST_TRIALS) if is_enough(interval(0, n)[1]))
    return max(0, enough - tried)
