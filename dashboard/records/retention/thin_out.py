"""Thins out what is older than the settings say, in small transactions that no page waits for. The audit log, findings,
figures, verdicts and everything that a share link shows stay.

Of an experiment stays for ever what decides a sentence or an interval: runs, commits of each second, counters of each
second, histograms, verdicts, checks, the numbers of transactions.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from dashboard.records.audit.models import record
from dashboard.records.experiments.models import Comment, Experiment, Part, RunEvidence, Series, Trial, TrialEvidence
from dashboard.records.experiments.states import OVER
from dashboard.records.fleet import installation
from dashboard.records.fleet.models import Worker
from dashboard.records.notifications.models import Delivery
from dashboard.records.servers.models import Preflight
from dashboard.records.sharing.models import ShareLink

# Columns of seconds that only the page of one measurement draws.
SAMPLES = frozenset(
    {"qps", "writes", "p95_ms", "cpu_s", "run_queue"}
    | {"disk_writes", "disk_flushes", "disk_written_bytes", "disk_busy_ms"}
)
TEXTS = frozenset({"log_lines", "recovery_lines", "my_cnf"})  # of a trial in which nothing was lost
LARGE_ROWS = 50  # in one transaction
ROWS = 500  # small ones, in one transaction


def thin_samples(experiment_id: int, now: datetime) -> None:
    _rewrite(Series.objects.filter(run__cell__experiment=experiment_id), "columns", SAMPLES)
    Experiment.everything.filter(pk=experiment_id).update(samples_thinned_at=now)


def thin_evidence(experiment_id: int, now: datetime) -> None:
    runs = RunEvidence.objects.filter(run__cell__experiment=experiment_id)
    for pks in _batches(runs):
        runs.filter(pk__in=pks).update(output="", my_cnf="")
    held = TrialEvidence.objects.filter(trial__experiment=experiment_id, trial__verdict=Trial.Verdict.VALID)
    _rewrite(held, "data", TEXTS)
    Experiment.everything.filter(pk=experiment_id).update(evidence_thinned_at=now)


def _rewrite(rows: QuerySet[Series] | QuerySet[TrialEvidence], column: str, without: Iterable[str]) -> None:
    for pks in _batches(rows):
        with transaction.atomic():
            for row in rows.filter(pk__in=pks).select_for_update(of=("self",)):
                kept = {name: value for name, value in getattr(row, column).items() if name not in without}
                setattr(row, column, kept)
                row.save(update_fields=[column])


def _batches(rows: QuerySet[Series] | QuerySet[RunEvidence] | QuerySet[TrialEvidence]) -> Iterable[tuple[int, ...]]:
    pks = list(rows.order_by("pk").values_list("pk", flat=True))
    return (tuple(pks[first : first + LARGE_ROWS]) for first in range(0, len(pks), LARGE_ROWS))


def due(mark: str, before: datetime) -> QuerySet[Experiment, int]:
    """Ids of experiments that ended before and were not thinned out since. Some are kept whole: those that are
    imported, marked as baseline, confirmed by a person, or shown by a share link."""
    links = ShareLink.objects.filter(revoked_at=None)
    shown = Q(pk__in=links.exclude(experiment=None).values("experiment")) | Q(
        pk__in=ShareLink.compared.through.objects.filter(sharelink__in=links).values("experiment_id")
    )
    confirmed = Q(pk__in=Comment.objects.filter(confirms=True).values("experiment"))
    ended = Experiment.everything.filter(state__in=OVER, ended_at__lt=before, imported_at=None, baseline_of=None)
    thinned = Q((mark, None)) | Q((f"{mark}__lt", F("ended_at")))
    return ended.filter(thinned).exclude(shown | confirmed).order_by("ended_at", "pk").values_list("pk", flat=True)


def tests(before: datetime) -> QuerySet[Preflight]:
    """Never the newest of a server, nor the newest that reached it: its settings are shown."""
    newer = Preflight.objects.filter(
        server=OuterRef("server"), state=Preflight.State.DONE, asked_at__gt=OuterRef("asked_at")
    )
    answered = newer.exclude(facts={})
    return Preflight.objects.filter(Exists(answered), state=Preflight.State.DONE, done_at__lt=before).order_by("pk")


def messages(before: datetime) -> QuerySet[Delivery]:
    over = Delivery.objects.exclude(state=Delivery.State.WAITING)
    return over.filter(created_at__lt=before).order_by("pk")


def workers(before: datetime) -> QuerySet[Worker]:
    """Not those that an experiment or a share of a load names."""
    named = Q(Exists(Experiment.everything.filter(worker=OuterRef("pk")))) | Q(
        Exists(Part.objects.filter(worker=OuterRef("pk")))
    )
    return Worker.objects.filter(beat_at__lt=before).exclude(named).order_by("pk")


# Key of the settings -> in words, the column that marks what is thinned out, and how an experiment is thinned out.
MEASURED: dict[str, tuple[str, str, Callable[[int, datetime], None]]] = {
    "samples": ("seconds of experiments", "samples_thinned_at", thin_samples),
    "evidence": ("raw output of experiments", "evidence_thinned_at", thin_evidence),
}
LEFTOVERS = {"connection tests": tests, "messages": messages, "workers that ended": workers}


@dataclass(frozen=True)
class Thinned:
    """`what`: in words; `days`: kept for so long; 0: for ever."""

    what: str
    days: int
    rows: int


def would_thin(now: datetime, days: Mapping[str, int]) -> list[Thinned]:
    """What is due. Nothing is changed."""
    found = [
        Thinned(what, days[key], due(mark, _before(now, days[key])).count() if days[key] else 0)
        for key, (what, mark, _) in MEASURED.items()
    ]
    kept = days["leftovers"]
    return found + [
        Thinned(what, kept, rows(_before(now, kept)).count() if kept else 0) for what, rows in LEFTOVERS.items()
    ]


def thin_out(now: datetime, days: Mapping[str, int], within_s: float) -> list[Thinned]:
    """As much as can be done in this time; the next call goes on. Nothing in a restored copy that is held."""
    if installation.is_held():
        return []
    until = time.monotonic() + within_s
    found = [_thin_experiments(key, now, days[key], until) for key in MEASURED]
    found += [_remove(what, now, days["leftovers"], until) for what in LEFTOVERS]
    if done := {one.what: one.rows for one in found if one.rows}:
        record(None, "thinned out", "old data", **{what.replace(" ", "_"): rows for what, rows in done.items()})
    return found


def _thin_experiments(key: str, now: datetime, days: int, until: float) -> Thinned:
    what, mark, thin = MEASURED[key]
    done = 0
    # Asked again for each: a person may confirm or share it while others are thinned out.
    while days and time.monotonic() < until and (experiment_id := due(mark, _before(now, days)).first()):
        thin(experiment_id, now)
        done += 1
    return Thinned(what, days, done)


def _remove(what: str, now: datetime, days: int, until: float) -> Thinned:
    removed = 0
    while days and time.monotonic() < until:
        rows = LEFTOVERS[what](_before(now, days))
        pks = list(rows.values_list("pk", flat=True)[:ROWS])
        if not pks:
            break
        removed += rows.model._default_manager.filter(pk__in=pks).delete()[0]
    return Thinned(what, days, removed)


def _before(now: datetime, days: int) -> datetime:
    return now - timedelta(days=days)
