"""Thins out what is older than the settings say, in small transactions that no page waits for. The audit log, findings,
figures, verdicts and everything that a share link shows stay."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from dashboard.records.audit.models import record
from dashboard.records.experiments.models import Experiment, Part
from dashboard.records.fleet import installation
from dashboard.records.fleet.models import Worker
from dashboard.records.notifications.models import Delivery
from dashboard.records.retention.measured import MEASURED, due
from dashboard.records.servers.models import Preflight

ROWS = 500  # in one transaction
WHAT = {"samples": "seconds of experiments", "evidence": "raw output of experiments"}


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
        Thinned(WHAT[key], days[key], due(mark, _before(now, days[key])).count() if days[key] else 0)
        for key, (mark, _) in MEASURED.items()
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
    found = [Thinned(WHAT[key], days[key], _thin_experiments(key, now, days[key], until)) for key in MEASURED]
    kept = days["leftovers"]
    found += [Thinned(what, kept, _remove(what, now, kept, until)) for what in LEFTOVERS]
    if done := {one.what: one.rows for one in found if one.rows}:
        record(None, "thinned out", "old data", **{what.replace(" ", "_"): rows for what, rows in done.items()})
    return found


def _thin_experiments(key: str, now: datetime, days: int, until: float) -> int:
    mark, thin = MEASURED[key]
    done = 0
    for experiment_id in due(mark, _before(now, days))[:ROWS] if days else ():
        if time.monotonic() > until:
            break
        thin(experiment_id, now)
        done += 1
    return done


def _remove(what: str, now: datetime, days: int, until: float) -> int:
    removed = 0
    while days and time.monotonic() < until:
        rows = LEFTOVERS[what](_before(now, days))
        pks = list(rows.values_list("pk", flat=True)[:ROWS])
        if not pks:
            break
        removed += rows.model._default_manager.filter(pk__in=pks).delete()[0]
    return removed


def _before(now: datetime, days: int) -> datetime:
    return now - timedelta(days=days)
