"""Rows that no page of a result reads: old connection tests, messages that were sent, workers that ended long ago."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from dashboard.records.experiments.models import Experiment, Part
from dashboard.records.fleet.models import Worker
from dashboard.records.notifications.models import Delivery
from dashboard.records.servers.models import Preflight

Leftover = QuerySet[Preflight] | QuerySet[Delivery] | QuerySet[Worker]


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
