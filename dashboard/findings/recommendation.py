"""Which of the tested settings to choose, and under which condition: from speed and from what crashes took. Every
comparison has the chosen setting as its base.

A setting is chosen only if no crash trial failed under it, none was unclear, and no client read a commit that a
failover then lost. A setting that flushes both logs at every commit comes before all others: a few trials without a
loss are no reason to stop flushing. Among equals the faster one wins if their 95 % intervals do not overlap.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.findings.crash.recorded import points_in_full, points_of_kind
from dashboard.findings.point import ThroughputRatio
from dashboard.records.experiments.kind_names import FIRST, number_of, plural
from dashboard.text.numbers import CONFIDENCE, at, sig
from dashboard.text.ratios import rounded, times_as_fast
from dashboard.text.words import listed
from workers.analysis.binomial import shows_rare
from workers.analysis.compare import Decision
from workers.analysis.statistics import Estimate
from workers.bench.trial_kinds import POWER_LOSSES

MOST_OTHERS = 3  # settings of which a page tells at once
LEAST = 3  # after fewer trials of a crash kind, a choice is not recommended yet
UNJUDGED: tuple[Decision, ...] = ("measured once", "too few to judge")


@dataclass(frozen=True)
class Speed:
    """Commits per second at a number of threads, with the 95 % interval. `ratio`: to the baseline at these threads, as
    in the first sentence of the page; None: the baseline itself, or not compared."""

    threads: int
    tps: float
    lo: float | None
    hi: float | None
    ratio: ThroughputRatio | None = None
    is_baseline: bool = False

    def exceeds(self, other: "Speed") -> bool:
        """Beyond chance: by the ratio to the baseline if one of the two is the baseline, else by intervals that do not
        overlap."""
        if self.ratio and other.is_baseline:
            return self.ratio.decision == "differs" and self.ratio.value > 1
        if other.ratio and self.is_baseline:
            return other.ratio.decision == "differs" and other.ratio.value < 1
        return self.lo is not None and other.hi is not None and self.lo > other.hi

    def times(self, other: "Speed") -> Estimate:
        """How many times as fast as the other, which made commits."""
        if self.ratio and other.is_baseline:
            return self.ratio
        if (ratio := other.ratio) and ratio.value and self.is_baseline:
            ends = (1 / ratio.hi, 1 / ratio.lo) if ratio.lo and ratio.hi else (None, None)
            return Estimate(1 / ratio.value, *ends)
        return Estimate(self.tps / other.tps, None, None)

    def may_exceed(self, other: "Speed") -> bool:
        """Faster in the measurement, but its ratio to the baseline is not decidable: more repeats would tell."""
        ratio = self._ratio_with(other)
        return ratio is not None and ratio.decision == "not decidable" and self.tps > other.tps

    def is_comparable(self, other: "Speed") -> bool:
        """Whether enough repeats were measured to tell a difference from chance."""
        if ratio := self._ratio_with(other):
            return ratio.decision not in UNJUDGED
        return self.lo is not None and other.hi is not None

    def _ratio_with(self, other: "Speed") -> ThroughputRatio | None:
        return self.ratio if other.is_baseline else other.ratio if self.is_baseline else None


@dataclass(frozen=True)
class Crashes:
    """Trials of one kind under one setting. `kind`: a key of CRASH_KINDS. `failed`: those that lost commits or
    failed otherwise; `lost`: those that lost commits; `most`: the upper bound of the share of crashes that fail. Of
    recorded loads: their crash points that were tried, those that lost commits, those at which losses are not known,
    and all that were found. `stopped`: trials whose crashed replica stopped with an error. `phantoms`: of failovers,
    trials that lost commits that clients had read, but no acknowledged one; None: not known. `differs`: of failovers
    without a loss, trials whose old primary followed with other rows."""

    kind: str
    tried: int
    failed: int
    unclear: int
    most: float | None
    lost: int = 0
    points: int = 0
    points_lost: int = 0
    stopped: int = 0
    phantoms: int | None = None
    differs: int = 0
    points_uncounted: int = 0
    points_found: int = 0

    @property
    def held(self) -> bool:
        bad = self.failed or self.unclear or self.stopped or self.phantoms or self.points_uncounted
        return self.tried > 0 and not bad


@dataclass(frozen=True)
class Option:
    """One tested setting. `speeds` ascend by threads; `flushes`: both logs are flushed at every commit; `is_yours`: the
    present setting of the server."""

    name: str
    speeds: tuple[Speed, ...]
    crashes: tuple[Crashes, ...]
    flushes: bool = False
    is_yours: bool = False

    @property
    def held(self) -> bool:
        return bool(self.crashes) and all(each.held for each in self.crashes)

    @property
    def lost(self) -> bool:
        return any(each.lost for each in self.crashes)

    @property
    def title(self) -> str:
        """As the subject of a sentence."""
        return f"The present setting {self.name}" if self.is_yours else self.name

    def speed(self, threads: int) -> Speed | None:
        return next((speed for speed in self.speeds if speed.threads == threads), None)


@dataclass(frozen=True)
class Recommendation:
    """`choice`: one short sentence. `reasons`: sentences. `option`: the name of the chosen setting, "" for none;
    `is_open`: nothing was judged, so that nothing speaks against a setting either. `is_weak`: a crash kind was tried
    too rarely to be sure, as badges and the crash matrix show too. `folded`: how many of the last reasons a page shows
    only when asked."""

    choice: str
    reasons: tuple[str, ...]
    option: str = ""
    is_open: bool = False
    is_weak: bool = False
    folded: int = 0

    @property
    def at_once(self) -> tuple[str, ...]:
        return self.reasons[: len(self.reasons) - self.folded]

    @property
    def when_asked(self) -> tuple[str, ...]:
        return self.reasons[len(self.reasons) - self.folded :]


def recommend(
    options: Sequence[Option], threads: int, counts: str = "commits", load: str = "clients inserted rows"
) -> Recommendation | None:
    """At that number of threads. None: no crash was tried, so that no choice rests on evidence. `load`: what the
    clients of the crash trials did."""
    if not any(each.tried or each.unclear for one in options for each in one.crashes):
        return None
    held = [one for one in options if one.held]
    if not held:
        return Recommendation(
            "None of these settings can be recommended.",
            tuple(f"{one.title} {risk}." for one in _present_first(options) if (risk := _risk(one))),
        )
    chosen = best(held, threads)
    rivals = [one for one in _present_first(options) if one is not chosen]
    own = (_bound(chosen, load), _untried(chosen), _more(chosen, threads, counts))
    told = ((_speed_and_risk(one, chosen, threads), _unclear(one)) for one in rivals)
    against = tuple(" ".join(filter(None, both)) for both in told if any(both))
    weak = any(not shows_rare(each.most) for each in chosen.crashes)
    choice = _choice(chosen, next((one.name for one in rivals if one.is_yours), ""), weak)
    if rivals and all(one.lost for one in rivals):
        choice += " Every other tested setting lost commits." if len(rivals) > 1 else f" {rivals[0].name} lost commits."
    folded = len(against) - 1 if len(against) > MOST_OTHERS else 0  # the present setting stands first
    return Recommendation(choice, (*filter(None, own), *against), chosen.name, is_weak=weak, folded=folded)


def _present_first(options: Sequence[Option]) -> list[Option]:
    return sorted(options, key=lambda one: not one.is_yours)


def best(held: Sequence[Option], threads: int) -> Option:
    """Of settings that lost nothing: those that flush before others, then the faster one."""
    equals = [one for one in held if one.flushes] or held
    first, *others = equals
    for one in others:
        mine, best = one.speed(threads), first.speed(threads)
        if mine and best and mine.exceeds(best):
            first = one
    return first


def _choice(chosen: Option, present: str, weak: bool) -> str:
    """`present`: the present setting, "" if it is the chosen one or not known. `weak`: a rare loss may be missed. Crash
    points of one load are not added to independent crashes."""
    fewest = min(chosen.crashes, key=lambda each: each.points or each.tried)
    if (fewest.points or fewest.tried) < LEAST:
        few = number_of(fewest.kind, fewest.tried)
        return f"{chosen.name} lost nothing, but {few} cannot decide: repeat before you choose."
    ordered = sorted(chosen.crashes, key=lambda each: each.points > 0)
    instead = f" instead of the present {present}" if present else ""
    verb = "Keep" if chosen.is_yours else "Use"
    where = listed(_few([f"in {number_of(each.kind, each.tried)}" for each in ordered], 2))
    unsure = ", too few to prove that it loses none" if weak and any(each.points for each in ordered) else ""
    return f"{verb} {chosen.name}{instead}: nothing lost {where}{unsure}."


def _bound(chosen: Option, load: str) -> str:
    """What the trials still allow: the choice tells how many there were. Beside recorded loads the fewest trials are
    not judged: crash points say more than the number of trials."""
    weakest = max(chosen.crashes, key=lambda each: (each.most or 0.0, each.kind in POWER_LOSSES))
    read = "No client read a commit that was then gone." if any(each.phantoms == 0 for each in chosen.crashes) else ""
    return " ".join(filter(None, (read, _allowed(chosen, weakest, load))))


def _allowed(chosen: Option, weakest: Crashes, load: str) -> str:
    if any(each.points for each in chosen.crashes):
        return f"In the crash trials, {load}. Other workloads were not tried."
    if weakest.most is None:
        return ""
    if not shows_rare(weakest.most):
        few = number_of(weakest.kind, weakest.tried)
        return f"{few} cannot rule out that {chosen.name} loses commits too. Run more crash trials."
    seldom = f"at most 1 of {math.floor(1 / weakest.most):,} {plural(weakest.kind)}"
    return f"Only a setting that loses commits in {seldom} can pass {weakest.tried:,} by luck."


def where_tried(crashes: Sequence[Crashes]) -> str:
    """`in 3 power losses, nor at any of 636 crash points (...)`: what follows "lost nothing"."""
    apart = [number_of(each.kind, each.tried) for each in crashes if not each.points]
    recorded = [
        f"at any of {points_in_full(each.points, each.kind, each.tried, each.points_found)}"
        for each in crashes
        if each.points
    ]
    return ", nor ".join([*([f"in {listed(apart)}"] if apart else []), *recorded])


def _untried(chosen: Option) -> str:
    """A crash that leaves the page cache shows nothing of what a host loses with its power."""
    lose_power = any(each.kind in POWER_LOSSES for each in chosen.crashes)
    return "" if lose_power else f"No power loss was tried: what {chosen.name} loses then is not known."


def _more(chosen: Option, threads: int, counts: str) -> str:
    here = chosen.speed(threads)
    faster = [one for one in chosen.speeds if here and one.exceeds(here)]
    if not here or not faster:
        return ""
    best = max(faster, key=lambda one: one.tps)
    return (
        f"For more speed use more client threads: {chosen.name} makes {sig(here.tps)} {counts}/s at "
        f"{at(threads)}, {sig(best.tps)} at {best.threads:,}."
    )


def _unclear(one: Option) -> str:
    """A sentence of its own: the one before it is long."""
    crashes = [(each.unclear, number_of(each.kind, each.unclear)) for each in one.crashes if each.unclear]
    found = [f"{count:,} more {told.partition(' ')[2]}" for count, told in crashes]
    return f"{listed(found)} of {one.title} could not be judged." if found else ""


def _speed_and_risk(one: Option, chosen: Option, threads: int) -> str:
    risk = _risk(one)
    speed, base = one.speed(threads), chosen.speed(threads)
    if speed is None or base is None or base.tps <= 0:
        return f"{one.title} {risk}." if risk else ""
    gain = f"{one.title} {_gain(speed, base, chosen.name)}"
    if not risk:
        return f"{gain}, and it lost nothing either." if one.held else ""
    return f"{gain}, {'but' if speed.exceeds(base) else 'and'} it {risk}."


def _gain(speed: Speed, base: Speed, than: str) -> str:
    ratio = speed.times(base)
    value, interval = rounded(ratio.value, ratio.lo, ratio.hi)
    times = f"{times_as_fast(ratio.value, ratio.lo, ratio.hi)} as {than}"
    within = f"{CONFIDENCE} confidence interval {interval}"
    if speed.exceeds(base):
        return f"is {times} ({within})" if interval else f"is {times}"
    if base.exceeds(speed):
        return f"is slower than {than}"
    if speed.may_exceed(base):
        return f"seems {times}, but more repeats must confirm this"
    if not speed.is_comparable(base):
        return f"was measured too rarely to compare its speed with {than}"
    factor = f"{value} times as fast, {within}" if interval else f"{value} times as fast"
    return f"is not proven to be faster than {than} ({factor})"


def _risk(one: Option) -> str:
    """What speaks against a setting, as the end of a sentence; "" where nothing was tried or everything held."""
    ordered = sorted(one.crashes, key=lambda each: each.kind != FIRST)  # the kind that the page leads with
    lost = _few([_lost(each) for each in ordered if each.lost], 1)  # the crash matrix tells all
    otherwise = _in_trials(one, lambda each: each.failed - each.lost - (each.phantoms or 0) - each.differs)
    read = _in_trials(one, lambda each: each.phantoms or 0)
    uncounted = [
        f"at {each.points_uncounted:,} of {points_of_kind(each.points, each.kind)}"
        for each in one.crashes
        if each.points_uncounted
    ]
    failed = "failed in another way" if lost or uncounted or read else "failed (not by a lost commit)"
    told = (
        ("lost commits", lost),
        (failed, otherwise),
        ("has unknown losses", uncounted),
        ("left a replica that must be rebuilt", _in_trials(one, lambda each: each.stopped)),
        ("let the old primary follow with other rows, without an error,", _in_trials(one, lambda each: each.differs)),
        ("let clients read commits that were then gone", read),
    )  # fmt: skip
    return ", ".join(f"{what} {listed(which)}" for what, which in told if which)


def _in_trials(one: Option, count: Callable[[Crashes], int]) -> list[str]:
    counts = ((count(each), number_of(each.kind, each.tried)) for each in one.crashes)
    return [f"in {some:,} of {trials}" for some, trials in counts if some > 0]


def _few(kinds: Sequence[str], named: int) -> Sequence[str]:
    """Of many kinds the others are only counted."""
    more = len(kinds) - named
    return kinds if more < 2 else [*kinds[:named], f"in {more} other kinds of crash"]


def _lost(each: Crashes) -> str:
    if each.points:
        return f"at {each.points_lost:,} of {points_of_kind(each.points, each.kind)}"
    return f"in {each.lost:,} of {number_of(each.kind, each.tried)}"
