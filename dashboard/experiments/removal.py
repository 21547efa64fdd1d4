"""Removes for good what was deleted long ago: a worker's round calls it."""

from datetime import datetime

from django.db import transaction

from dashboard.audit.models import record
from dashboard.experiments.models import KEPT_FOR, Experiment
from dashboard.servers.models import Debt


def remove_one(now: datetime) -> str:
    """The experiment that waits longest, with everything measured in it; its name, "" when none is due.

    One at a time, so that nobody waits long for the database. One whose server is still owed something stays: its debts
    are found by it. Environments stay, for other experiments share them, and a worker may be about to; nights stay and
    say that theirs was deleted.
    """
    owing = Debt.objects.filter(paid_at=None).exclude(experiment=None).values("experiment")
    due = Experiment.deleted.filter(deleted_at__lt=now - KEPT_FOR).exclude(pk__in=owing)
    with transaction.atomic():
        gone = due.select_for_update().order_by("deleted_at", "pk").first()
        if gone is None:
            return ""
        record(None, "removed", gone, id=gone.pk, deleted_at=gone.deleted_at.isoformat())
        gone.delete()
    return gone.name
