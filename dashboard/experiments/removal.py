"""Removes for good what was deleted long ago: a worker's round calls it."""

from datetime import datetime

from django.db import transaction

from dashboard.audit.models import record
from dashboard.experiments.models import KEPT_FOR, Experiment


def remove_one(now: datetime) -> str:
    """The experiment that waits longest, with everything measured in it; its name, "" when none is due.

    One experiment at a time keeps the transaction short. An experiment with a pending restore stays until the restore
    is done. Environments stay, because other experiments share them. A night stays and says that its experiment was
    deleted.
    """
    owing = Experiment.everything.filter(pending_restores__restored_at=None, pending_restores__isnull=False)
    due = Experiment.deleted.filter(deleted_at__lt=now - KEPT_FOR).exclude(pk__in=owing.values("pk"))
    with transaction.atomic():
        gone = due.select_for_update().order_by("deleted_at", "pk").first()
        if gone is None:
            return ""
        record(None, "removed", gone, id=gone.pk, deleted_at=gone.deleted_at.isoformat())
        gone.delete()
    return gone.name
