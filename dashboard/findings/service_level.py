"""Whether the tested settings meet the service level of their server, target by target.

A figure meets its target only with its whole 95 % interval, and misses it only with its whole interval. In between, or
without an interval, it is unclear.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from django.utils.text import capfirst

from dashboard.findings.crash.rate import rate
from dashboard.findings.crash.recorded import noun_of
from dashboard.findings.crash.statistics import Tally, tallies
from dashboard.findings.crash.trials import Tried
from dashboard.findings.point import Point
from dashboard.findings.shown import ResultView
from dashboard.records.experiments.models import Run
from dashboard.records.servers import levels
from dashboard.records.servers.levels import DISASTERS, Wanted
from dashboard.records.servers.models import Server
from dashboard.text.numbers import at, ms, number, sig
from dashboard.text.words import listed
from workers.analysis.binomial import shows_rare
from workers.analysis.statistics import Estimate, mean

Met = Literal["missed", "unclear", "met"]
MANY_POINTS = 100  # crash points of recorded loads, and MANY_LOADS of these: points of one load are not independent
MANY_LOADS = 6  # the least of which none failed that show, with 95 %, that fewer than half of such loads do
NOT_TRIED = "Not tried."
LOOKS: dict[Met, str] = {"missed": "failed", "unclear": "unknown", "met": "passed"}
_WORST = list(LOOKS)  # the worst first


def worst(met: Sequence[Met]) -> Met:
    return min(met, key=_WORST.index)


@dataclass(frozen=True)
class LevelTarget:
    """`asked` and `measured`: in words."""

    asked: str
    measured: str
    met: Met

    @property
    def look(self) -> str:
        return LOOKS[self.met]


@dataclass(frozen=True)
class SettingLevel:
    name: str
    targets: tuple[LevelTarget, ...]

    @property
    def met(self) -> Met:
        return worst([one.met for one in self.targets])


@dataclass(frozen=True)
class LevelFinding:
    """Of one server. `asked`: the level in a sentence; `says`: which settings meet it; `has_rpo`: it limits the loss in
    a crash."""

    server: str
    asked: str
    says: str
    settings: tuple[SettingLevel, ...]
    has_rpo: bool

    @property
    def title(self) -> str:
        return f"Service level of {self.server}"

    @property
    def met(self) -> Met:
        """Met if a setting meets it."""
        return max((one.met for one in self.settings), key=_WORST.index)


def service_levels(view: ResultView) -> list[LevelFinding]:
    """One for each shown server that has a level."""
    found = levels.of_servers(view.servers)
    return [level_finding(view, server_id, found[server_id]) for server_id in view.servers if server_id in found]


def stored_words(server: Server) -> str:
    """The level of a server; "" if it has none."""
    wanted = levels.of(server.pk)
    return in_words(wanted) if wanted else ""


def in_words(wanted: Wanted) -> str:
    """`At least 4,000 commits/s with a p99 of at most 20 ms; nothing lost in a power loss.`"""
    told = [_speed_words(wanted)] if wanted.commits_per_s is not None else []
    if wanted.survives:
        told.append(f"{_loss_words(wanted.lost_s)} {listed([DISASTERS[one].says for one in wanted.survives])}")
    return f"{capfirst('; '.join(told))}."


def _speed_words(wanted: Wanted) -> str:
    p99 = f" with a p99 of at most {number(wanted.p99_ms)} ms" if wanted.p99_ms is not None else ""
    return f"at least {number(wanted.commits_per_s)} commits/s{p99}"


def _loss_words(lost_s: float) -> str:
    return f"at most the last {number(lost_s)} s of commits lost" if lost_s else "nothing lost"


def level_finding(view: ResultView, server_id: int, wanted: Wanted) -> LevelFinding:
    """`server_id`: a shown server."""
    points = {line.variant: line.points for line in view.lines if line.server_id == server_id}
    p99s = _p99s([point for line in points.values() for point in line]) if wanted.p99_ms is not None else {}
    tried = [tally for (server, _, _), tally in tallies(view.trials).items() if server == server_id]
    settings = tuple(
        SettingLevel(
            view.clean(variant.name),
            targets_of(
                wanted, points.get(variant.name, ()), p99s, [one for one in tried if one.variant == variant.name]
            ),
        )
        for variant in view.plan.variants
    )
    return LevelFinding(view.servers[server_id], in_words(wanted), _says(settings), settings, bool(wanted.survives))


def targets_of(
    wanted: Wanted, points: Sequence[Point] = (), p99s: Mapping[int, float] | None = None, tried: Sequence[Tally] = ()
) -> tuple[LevelTarget, ...]:
    """The speed, if the level has one, then each disaster that it survives. Without points or tallies: not measured."""
    speed = [_speed(wanted, points, p99s or {})] if wanted.commits_per_s is not None else []
    return (*speed, *(_loss(wanted, key, tried) for key in wanted.survives))


def _says(settings: Sequence[SettingLevel]) -> str:
    met, unclear, missed = ([one.name for one in settings if one.met == each] for each in reversed(_WORST))
    told = [f"{listed(met)} {'meets' if len(met) == 1 else 'meet'} it"] if met else []
    told += [f"for {listed(unclear)} it is unclear"] if unclear else []
    told += [f"{listed(missed)} {'misses' if len(missed) == 1 else 'miss'} it"] if missed else []
    return f"{capfirst('; '.join(told))}."


def _p99s(points: Iterable[Point]) -> dict[int, float]:
    """Run -> its p99 in milliseconds."""
    runs = Run.objects.filter(pk__in=[pk for point in points for pk in point.run_ids]).values_list("pk", "latency_ms")
    return {pk: latency["p99"] for pk, latency in runs if latency.get("p99") is not None}


def _speed(wanted: Wanted, points: Sequence[Point], p99s: Mapping[int, float]) -> LevelTarget:
    """At the number of threads that meets the target best: throughput and p99 must be met by the same load."""
    asked = capfirst(_speed_words(wanted))
    if any(point.counts != "commits" for point in points):
        return LevelTarget(asked, f"This load counts {points[0].counts}, not commits.", "unclear")
    judged = [_at_threads(wanted, point, p99s) for point in points]
    if not judged:
        return LevelTarget(asked, "Not measured.", "unclear")
    met, _, measured = max(judged, key=lambda one: (_WORST.index(one[0]), one[1]))
    return LevelTarget(asked, measured, met)


def _at_threads(wanted: Wanted, point: Point, p99s: Mapping[int, float]) -> tuple[Met, float, str]:
    tps = Estimate(point.tps, point.lo, point.hi)
    verdicts = [_within(tps, least=wanted.commits_per_s or 0.0)]
    measured = f"{_figure(tps)} commits/s"
    known = np.array([p99s[run] for run in point.run_ids if run in p99s])
    if wanted.p99_ms is not None:
        p99 = mean(known) if known.size == len(point.run_ids) else None
        verdicts.append(_within(p99, most=wanted.p99_ms) if p99 else "unclear")
        measured += f", p99 {_figure(p99)} ms" if p99 else ", p99 not known"
    often = "once" if point.repeats == 1 else f"{point.repeats:,} times"
    too_few = "" if point.lo is not None else f"; measured {often}, at least 3 times are needed"
    return worst(verdicts), point.tps, f"{measured} at {at(point.threads)}{too_few}"


def _within(one: Estimate, least: float = -math.inf, most: float = math.inf) -> Met:
    if one.lo is None or one.hi is None:
        return "unclear"
    return "met" if least <= one.lo and one.hi <= most else "missed" if one.hi < least or one.lo > most else "unclear"


def _figure(one: Estimate) -> str:
    interval = f" ({sig(one.lo)} to {sig(one.hi)})" if one.lo is not None and one.hi is not None else ""
    return f"{sig(one.value)}{interval}"


def _loss(wanted: Wanted, key: str, tried: Iterable[Tally]) -> LevelTarget:
    disaster = DISASTERS[key]
    asked = f"RPO {number(wanted.lost_s)} s: {_loss_words(wanted.lost_s)} {disaster.says}"
    known = [one for one in tried if one.kind in disaster.kinds]
    if not known:
        return LevelTarget(asked, NOT_TRIED, "unclear")
    return LevelTarget(asked, "; ".join(map(_lost, known)), _kept(known, wanted.lost_s))


def _lost(tally: Tally) -> str:
    spans = [span for trial in tally.hit if (span := _span_ms(trial)) is not None]
    most = f", at most the last {ms(max(spans))} of commits" if spans else ""
    points = f", {tally.points.tried:,} {noun_of(tally.kind)}s" if tally.points else ""
    held = tally.invalid.n and not tally.invalid.k
    bound = f"; {tally.invalid.still_allows('loads' if tally.points else 'crashes')}" if held else ""
    return f"{tally.outcome}{points}{most}{bound}"


def _kept(known: Sequence[Tally], lost_s: float) -> Met:
    """One kind of crash that was tried often enough is needed, and none that contradicts it."""
    if any(_exceeds(one, lost_s) for one in known):
        return "missed"
    if any(one.unknown or None in map(_span_ms, one.hit) for one in known):
        return "unclear"
    return "met" if any(map(_is_often, known)) else "unclear"


def _is_often(tally: Tally) -> bool:
    """Enough that a crash which takes more than it may is rare."""
    if tally.points:
        return tally.points.tried >= MANY_POINTS and len(tally.decided) >= MANY_LOADS
    return shows_rare(rate(0, len(tally.decided)).hi)


def _exceeds(tally: Tally, lost_s: float) -> bool:
    """A trial that failed without a loss counts too: its commits cannot be read."""
    if tally.invalid.k > len(tally.hit):
        return True
    return any(not lost_s or (_span_ms(trial) or 0.0) > 1000 * lost_s for trial in tally.hit)


def _span_ms(trial: Tried) -> float | None:
    """The time in which the lost commits were acknowledged, of the log that lost more of it. None: not known, as of a
    replica, and of a recorded load, of which the longest time is not stored."""
    if trial.lost_replica is not None or trial.points:
        return None
    known = [span for span in (trial.lost_engine_ms, trial.lost_binlog_ms) if span is not None]
    return max(known, default=None)
