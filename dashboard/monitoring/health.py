"""Whether this installation can do its work. Each check says yes or no, and no more: anybody may ask."""

from collections.abc import Callable

from django.db import Error, connection
from django.utils import timezone

from dashboard.fleet.models import DEAD_AFTER, Worker
from workers import progress


def database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def worker() -> bool:
    """One that lives, wherever."""
    return Worker.objects.filter(ended_at=None, beat_at__gt=timezone.now() - DEAD_AFTER).exists()


CHECKS: dict[str, Callable[[], bool]] = {"database": database, "redis": progress.answers, "worker": worker}


def passes(name: str) -> bool:
    try:
        return CHECKS[name]()
    except Error:  # the database does not answer: what asks it cannot be known
        return False
