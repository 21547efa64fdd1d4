"""Whether this installation can do its work. Each check says yes or no, and no more: anybody may ask."""

from collections.abc import Callable

from django.db import Error, connection

from dashboard.records.experiments import live
from dashboard.records.fleet.installation import would_be_held
from dashboard.records.fleet.models import Worker


def database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def worker() -> bool:
    """One that lives, wherever."""
    return Worker.objects.alive().exists()


def threads() -> bool:
    """No thread of a living worker hangs: it would not come back, and one worker has few."""
    return not Worker.objects.alive().exclude(stuck=[]).exists()


def installation() -> bool:
    """It is no restored copy that waits for a person: such a copy measures nothing."""
    return not would_be_held()


CHECKS: dict[str, Callable[[], bool]] = {
    "database": database,
    "redis": live.answers,
    "worker": worker,
    "threads": threads,
    "installation": installation,
}
NO = {"installation": "held"}  # the word for no, where it is another than MISSING
OK = "ok"
MISSING = "missing"


def says(name: str) -> str:
    try:
        return OK if CHECKS[name]() else NO.get(name, MISSING)
    except Error:  # the database does not answer: what asks it cannot be known
        return MISSING


def passes(name: str) -> bool:
    return says(name) == OK
