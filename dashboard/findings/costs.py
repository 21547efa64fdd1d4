"""The cost of flushing at each commit on each server: the newest measurement of 1/1 against the most relaxed setting in
the same experiment. The ratio is that of the result page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from dashboard.findings.analysis import MadeOf, analysis_of, made_of_each
from dashboard.findings.finding import alike_or_unclear
from dashboard.findings.flushing import DURABLE, FLUSH, SYNC, level
from dashboard.findings.headline import headline
from dashboard.findings.point import ThroughputRatio
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.models import Entry, Track
from dashboard.text.numbers import CONFIDENCE, at
from dashboard.text.ratios import times_as_fast

RELAXED = (("0", "0"), ("2", "0"), ("0", "1"), ("2", "1"), ("1", "0"))  # the most relaxed first


@dataclass(frozen=True)
class Cost:
    """`says`: how many times as fast the relaxed setting is, with interval and number of threads."""

    says: str
    decision: str
    experiment_id: int


@dataclass(frozen=True)
class Measured:
    """A variant and its newest experiment; `level`: (flush, sync); `rest`: all other settings of the variant."""

    server_id: int
    variant: str
    experiment_id: int
    level: tuple[str, str]
    rest: frozenset[str]


def costs(server_ids: Iterable[int]) -> dict[int, Cost]:
    """Server id -> cost, for servers with such a pair."""
    pairs = _pairs(_measured(server_ids))
    experiments = Experiment.objects.in_bulk({safe.experiment_id for safe, _ in pairs})
    rest_on = made_of_each(experiments)
    found = {safe.server_id: _cost(experiments[safe.experiment_id], rest_on, safe, fast) for safe, fast in pairs}
    return {server_id: cost for server_id, cost in found.items() if cost}


def _measured(server_ids: Iterable[int]) -> list[Measured]:
    kept = Entry.objects.exclude(experiment__in=Experiment.deleted.ids())
    newest = kept.filter(track=OuterRef("pk")).order_by("-at", "-pk")
    tracks = Track.objects.filter(server__in=server_ids, kind=Track.Kind.LOAD, means__contains=SYNC)
    rows = tracks.annotate(last=Subquery(newest.values("experiment")[:1])).exclude(last=None)
    made = (_of(*row) for row in rows.values_list("server_id", "variant", "means", "last"))
    return [one for one in made if one]


def _of(server_id: int, variant: str, means: str, experiment_id: int) -> Measured | None:
    """None: the settings of the variant do not say how it commits."""
    parts = frozenset(means.split(", "))
    values = dict(part.split("=", 1) for part in parts if "=" in part)
    known = level(values)
    if known is None:
        return None
    flush = next(name for name in FLUSH if name in values)
    rest = parts - {f"{flush}={known[0]}", f"{SYNC}={known[1]}"}
    return Measured(server_id, variant, experiment_id, known, rest)


def _pairs(measured: Iterable[Measured]) -> list[tuple[Measured, Measured]]:
    """For each server the newest experiment that has both: 1/1, and the same with the most relaxed levels."""
    known = list(measured)
    found: dict[int, tuple[Measured, Measured]] = {}
    for safe in sorted((one for one in known if one.level == DURABLE), key=lambda one: one.experiment_id):
        rivals = [one for one in known if one.level in RELAXED and _is_alike(one, safe)]
        if rivals:
            found[safe.server_id] = safe, min(rivals, key=lambda one: RELAXED.index(one.level))
    return list(found.values())


def _is_alike(one: Measured, safe: Measured) -> bool:
    return (one.server_id, one.experiment_id, one.rest) == (safe.server_id, safe.experiment_id, safe.rest)


def _cost(experiment: Experiment, rest_on: Mapping[int, MadeOf], safe: Measured, fast: Measured) -> Cost | None:
    """At the number of threads of the plan's headline; None if one of the two was not measured there."""
    points = analysis_of(experiment, safe.variant, rest_on[experiment.pk]).points
    wanted = (safe.server_id, fast.variant, headline(experiment.as_plan()).threads)
    ratios = (one.ratio for one in points if (one.server_id, one.variant, one.threads) == wanted)
    ratio = next(filter(None, ratios), None)
    return Cost(_says(safe, fast, ratio, wanted[2]), ratio.decision, experiment.pk) if ratio else None


def _says(safe: Measured, fast: Measured, ratio: ThroughputRatio, threads: int) -> str:
    interval = ratio.in_words[1]
    if ratio.decision == "differs":
        text = f"{fast.variant} is {times_as_fast(ratio.value, ratio.lo, ratio.hi)} as {safe.variant}"
        return f"{text} at {at(threads)} ({CONFIDENCE} confidence interval {interval})"
    told = alike_or_unclear(ratio, (fast.variant, safe.variant))
    within = f" (ratio of their speeds, {CONFIDENCE} confidence interval {interval})" if interval else ""
    return f"At {at(threads)} {told}{within}"
