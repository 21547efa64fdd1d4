"""Predicates on measured points: ratios, single figures, growth with threads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workers.analysis import statistics
from workers.analysis.blocks import Sample
from workers.analysis.predicates.bounds import Effect, Unit
from workers.analysis.predicates.measured import At, MeasuredResult
from workers.analysis.predicates.predicate import Predicate
from workers.analysis.statistics import Estimate

# Figures of `value`. Speeds are sampled every second and can be divided by one another.
SPEEDS = ("commits per second", "rows per second")
PER_COMMIT = (
    "fsyncs per commit",  # redo and binlog
    "redo fsyncs per commit",
    "binlog fsyncs per commit",
    "commits per group",
)
TOO_FEW = f"fewer than {statistics.MIN_REPEATS} repeats were measured, so there is no interval"


def _speed(measured: MeasuredResult, at: At, figure: str) -> Sample:
    commits = measured.commits(at)
    if figure == SPEEDS[0]:
        return commits
    rows = measured.rows(at)
    return {block: seconds * rows for block, seconds in commits.items()}


def gaps(measured: MeasuredResult, points: Sequence[At]) -> str:
    """Why some points are not fully measured, each reason once; "" when all are."""
    reasons: dict[str, dict[str, None]] = {}
    for at in points:
        if gap := measured.gap(at):
            reasons.setdefault(gap, {})[at.in_words] = None
    return "; ".join(f"{' and '.join(names)}: {gap}" for gap, names in reasons.items())


def _effect(unit: Unit, estimate: Estimate | None, nothing: str) -> Effect:
    if estimate is None:
        return Effect(unit, why=nothing)
    return Effect(unit, estimate.value, estimate.lo, estimate.hi, "" if estimate.interval else TOO_FEW)


@dataclass(frozen=True)
class SpeedRatio(Predicate):
    """Throughput of one point over that of another, by `statistics.ratio`; with `than`, divided by that other ratio."""

    of: At
    over: At
    figure: str = SPEEDS[0]
    than: "SpeedRatio | None" = None

    def measure(self, measured: MeasuredResult) -> Effect:
        if why := gaps(measured, (self.of, self.over)):
            return Effect("times", why=why)
        parts = (_speed(measured, at, self.figure) for at in (self.of, self.over))
        effect = _effect("times", statistics.ratio(*parts), "one of the two points has no commits")
        return effect if self.than is None else _quotient(effect, self.than.measure(measured))

    @property
    def in_words(self) -> str:
        of, over, both = self.of.unlike(self.over), self.over.unlike(self.of), self.of.like(self.over)
        than = f"; that divided by {self.than.in_words}" if self.than else ""
        return f"{self.figure} of {of} divided by those of {over}{f' ({both})' if both else ''}{than}"

    @property
    def threads(self) -> tuple[int, ...]:
        return tuple(sorted({self.of.threads, self.over.threads, *(self.than.threads if self.than else ())}))

    def as_dict(self) -> Mapping[str, object]:
        than = {"than": self.than.as_dict()["ratio"]} if self.than else {}
        return {"ratio": {**vars(self.of), "over": vars(self.over), "figure": self.figure, **than}}


def _quotient(of: Effect, than: Effect) -> Effect:
    """Each end divided by the opposite end: too wide for independent measurements, never too narrow."""
    if of.value is None or than.value is None:
        return Effect("times", why=of.why or than.why)
    value = of.value / than.value
    if of.lo is None or of.hi is None or than.lo is None or than.hi is None:
        return Effect("times", value, why=of.why or than.why)
    return Effect("times", value, of.lo / than.hi, of.hi / than.lo)


@dataclass(frozen=True)
class PointFigure(Predicate):
    at: At
    figure: str = SPEEDS[0]

    def measure(self, measured: MeasuredResult) -> Effect:
        unit: Unit = "commits" if self.figure == "commits per group" else "per commit"
        if self.figure in SPEEDS:
            unit = "per second"
        if why := gaps(measured, (self.at,)):
            return Effect(unit, why=why)
        if self.figure in SPEEDS:
            return _effect(unit, statistics.mean_tps(_speed(measured, self.at, self.figure)), "nothing was measured")
        return _effect(unit, measured.per_commit(self.at, self.figure), f"no source has the {self.figure} here")

    @property
    def in_words(self) -> str:
        return f"{self.figure}: {self.at.in_words}"

    @property
    def threads(self) -> tuple[int, ...]:
        return (self.at.threads,)

    def as_dict(self) -> Mapping[str, object]:
        return {"value": {**vars(self.at), "figure": self.figure}}


@dataclass(frozen=True)
class Steps(Predicate):
    """The smallest growth of throughput from one number of threads to the next. It needs no correction for several
    steps: all grow at 95 % when each does by itself (intersection-union test, Berger 1982)."""

    points: tuple[At, ...]

    def measure(self, measured: MeasuredResult) -> Effect:
        if why := gaps(measured, self.points):
            return Effect("times", why=why)
        speeds = [measured.commits(at) for at in self.points]
        found = [statistics.ratio(after, before) for before, after in pairwise(speeds)]
        known = [(step.value, *step.interval) for step in found if step and step.interval]
        if len(known) < len(found):
            return Effect("times", why=TOO_FEW)
        values, los, his = zip(*known, strict=True)
        return Effect("times", min(values), min(los), min(his))

    @property
    def in_words(self) -> str:
        threads = ", ".join(map(str, self.threads))
        return f"smallest growth of commits per second over {threads} threads: {self.points[0].variant}"

    @property
    def threads(self) -> tuple[int, ...]:
        return tuple(at.threads for at in self.points)

    def as_dict(self) -> Mapping[str, object]:
        return {"steps": {**vars(self.points[0]), "threads": list(self.threads)}}
