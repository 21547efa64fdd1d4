"""The cost of flushing at each commit on each server: 1/1 against the most relaxed setting in the newest experiment
that measured both. The ratio is that of the result page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from django.db.models import OuterRef, QuerySet, Subquery

from dashboard.findings.analysis import MadeOf, analysis_of, made_of_each
from dashboard.findings.finding import alike_or_unclear
from dashboard.findings.flushing import DURABLE, FLUSH, SYNC, level
from dashboard.findings.grouped import grouped
from dashboard.findings.headline import headline
from dashboard.findings.point import ThroughputRatio
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.models import Entry, Track
from dashboard.text.numbers import CONFIDENCE, at
from dashboard.text.ratios import times_as_fast
from workers.analysis.statistics import Estimate

AT_ONCE = 200  # sets of other settings in one query: SQLite takes 500
RELAXED = (("0", "0"), ("2", "0"), ("0", "1"), ("2", "1"), ("1", "0"))  # the most relaxed first


@dataclass(frozen=True)
class Cost:
    """`says`: how many times as fast the relaxed setting `rival` is, with interval and number of threads. `share`: of
    the rival's speed that 1/1 does not reach, from 0 to 1."""

    says: str
    decision: str
    experiment_id: int
    rival: str
    threads: int
    share: Estimate


@dataclass(frozen=True)
class Measured:
    """A variant on a server. `level`: (flush, sync); `rest`: all other settings of the variant."""

    server_id: int
    variant: str
    level: tuple[str, str]
    rest: frozenset[str]


Pair = tuple[int, Measured, Measured]  # id of the experiment, 1/1, the relaxed variant


def costs(server_ids: Iterable[int]) -> dict[int, Cost]:
    """Server id -> cost, for servers with such a pair."""
    pairs = _pairs(_measured(server_ids))
    experiments = Experiment.objects.in_bulk({pk for pk, _, _ in pairs})
    rest_on = made_of_each(experiments)
    found = {safe.server_id: _cost(experiments[pk], rest_on, safe, fast) for pk, safe, fast in pairs}
    return {server_id: cost for server_id, cost in found.items() if cost}


def _measured(server_ids: Iterable[int]) -> dict[int, Measured]:
    """Track id -> its variant."""
    tracks = Track.objects.filter(server__in=server_ids, kind=Track.Kind.LOAD, means__contains=SYNC)
    made = {one.pk: _of(one) for one in tracks}
    return {pk: one for pk, one in made.items() if one}


def _of(track: Track) -> Measured | None:
    """None: the settings of the variant do not say how it commits."""
    parts = frozenset(track.means.split(", "))
    values = dict(part.split("=", 1) for part in parts if "=" in part)
    known = level(values)
    if known is None:
        return None
    flush = next(name for name in FLUSH if name in values)
    rest = parts - {f"{flush}={known[0]}", f"{SYNC}={known[1]}"}
    return Measured(track.server_id, track.variant, known, rest)


def _pairs(known: Mapping[int, Measured]) -> list[Pair]:
    """For each server the newest experiment that has both: 1/1, and the same with the most relaxed levels."""
    alike = grouped((one.rest, pk) for pk, one in known.items()).values()
    asked = [one for pks in alike if (one := _newest_beside(known, pks)) is not None]
    parts = (asked[place : place + AT_ONCE] for place in range(0, len(asked), AT_ONCE))
    rows = chain.from_iterable(first.union(*others, all=True) for first, *others in parts)
    found = ((last, known[safe], known[fast]) for fast, last, safe in rows if last and safe)
    newest_last = sorted(found, key=lambda pair: (pair[0], -RELAXED.index(pair[2].level)))
    return list({safe.server_id: (last, safe, fast) for last, safe, fast in newest_last}.values())


def _newest_beside(
    known: Mapping[int, Measured], pks: Iterable[int]
) -> QuerySet[Track, tuple[int, int | None, int | None]] | None:
    """Each relaxed track, the newest experiment that has 1/1 under the same condition, and the track of this 1/1. An
    index gives the newest first: to read all experiments takes seconds where many were measured. None: there is nothing
    to compare."""
    levels = grouped((known[pk].level, pk) for pk in pks)
    relaxed = [pk for one in RELAXED for pk in levels[one]]
    if not (relaxed and levels[DURABLE]):
        return None
    place = {name: OuterRef(name) for name in ("experiment", "track__server", "track__condition")}
    beside = Entry.objects.filter(track__in=levels[DURABLE], **place).order_by().values("track")
    both = Entry.objects.exclude(experiment__in=Experiment.deleted.ids()).annotate(safe=Subquery(beside[:1]))
    newest = both.filter(track=OuterRef("pk"), safe__isnull=False).order_by("-experiment_id")
    tracks = Track.objects.filter(pk__in=relaxed).order_by()
    return tracks.values_list("pk", Subquery(newest.values("experiment")[:1]), Subquery(newest.values("safe")[:1]))


def _cost(experiment: Experiment, rest_on: Mapping[int, MadeOf], safe: Measured, fast: Measured) -> Cost | None:
    """At the number of threads of the plan's headline; None if one of the two was not measured there."""
    points = analysis_of(experiment, safe.variant, rest_on[experiment.pk]).points
    wanted = (safe.server_id, fast.variant, headline(experiment.as_plan()).threads)
    ratios = (one.ratio for one in points if (one.server_id, one.variant, one.threads) == wanted)
    ratio = next(filter(None, ratios), None)
    if not ratio:
        return None
    says = _says(safe, fast, ratio, wanted[2])
    return Cost(says, ratio.decision, experiment.pk, fast.variant, wanted[2], _share(ratio))


def _share(ratio: ThroughputRatio) -> Estimate:
    """1/1 at 2.6 times less than its rival has lost 62 % of the speed."""
    ends = (None if not end else 1 - 1 / end for end in (ratio.lo, ratio.hi))
    return Estimate(1 - 1 / ratio.value, *ends)


def _says(safe: Measured, fast: Measured, ratio: ThroughputRatio, threads: int) -> str:
    interval = ratio.in_words[1]
    if ratio.decision == "differs":
        text = f"{fast.variant} is {times_as_fast(ratio.value, ratio.lo, ratio.hi)} as {safe.variant}"
        return f"{text} at {at(threads)} ({CONFIDENCE} confidence interval {interval})"
    told = alike_or_unclear(ratio, (fast.variant, safe.variant))
    within = f" (ratio of their speeds, {CONFIDENCE} confidence interval {interval})" if interval else ""
    return f"At {at(threads)} {told}{within}"
