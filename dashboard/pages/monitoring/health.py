"""Whether this installation can measure. Anybody may ask, so each check says only yes or no."""

from collections.abc import Callable

from django.db import Error, connection

from dashboard.records.experiments import live
from dashboard.records.fleet.installation import would_be_held
from dashboard.records.fleet.models import Worker


def database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def redis() -> bool:
    """It takes tasks: one that is full, or a replica, answers too."""
    return live.problem() == ("", "")


def worker() -> bool:
    """At any site."""
    return Worker.objects.alive().exists()


def threads() -> bool:
    """No thread of a living worker hangs. A hanging thread never ends, and a worker has few."""
    return not Worker.objects.alive().exclude(stuck=[]).exists()


def installation() -> bool:
    """Not a restored copy that an administrator must release first: such a copy measures nothing."""
    return not would_be_held()


CHECKS: dict[str, Callable[[], bool]] = {
    "database": database,
    "redis": redis,
    "worker": worker,
    "threads": threads,
    "installation": installation,
}
NO = {"installation": "held"}  # instead of MISSING
OK = "ok"
MISSING = "missing"


def says(name: str) -> str:
    try:
        return OK if CHECKS[name]() else NO.get(name, MISSING)
    except Error:  # without the database nothing is known
        return MISSING


def passes(name: str) -> bool:
    return says(name) == OK
