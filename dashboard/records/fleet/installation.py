"""Whether this database is a restored copy. A copy holds old pending restores and schedules, so it must not act on real
servers. It stays held until a person releases it.

A copy under another path, on another machine or in another PostgreSQL database is detected. A copy in the place of the
original is not: run `manage.py restored` before anything is started.
"""

import logging
from pathlib import Path

from django.db import connection, transaction
from django.utils import timezone

from dashboard.records.audit.models import record
from dashboard.records.fleet.models import Installation

log = logging.getLogger(__name__)
ONLY = 1
WAITS_FOR = "no experiment or schedule starts, and no message is sent"
RESTORED_COPY = "this copy of Durascope's database"  # as the audit log calls it
MACHINE = Path("/etc/machine-id")
WAITS = "waiting: this database is a restored copy and is held. Release it: manage.py restored --release"


def is_held() -> bool:
    """Whether automatic acts on real servers are forbidden."""
    row, _ = Installation.objects.get_or_create(pk=ONLY, defaults={"identity": identity()})
    if row.held_at is None and row.identity != identity():
        log.warning("this database was written in another place: it is held, see manage.py restored")
        hold("it was copied or moved from another place")
        return True
    return row.held_at is not None


def would_be_held() -> bool:
    """The same before a worker or beat has stored it: the web server starts first. Writes nothing."""
    row = Installation.objects.filter(pk=ONLY).first()
    return row is not None and (row.held_at is not None or row.identity != identity())


def hold(why: str) -> None:
    """Several processes may call this; the audit log gets one event."""
    Installation.objects.get_or_create(pk=ONLY, defaults={"identity": ""})
    with transaction.atomic():
        if Installation.objects.filter(pk=ONLY, held_at=None).update(held_at=timezone.now()):
            record(None, "put on hold", RESTORED_COPY, why=why, until_released=WAITS_FOR)


def release() -> None:
    """A person checked the copy. From now on it is the installation."""
    known = {"identity": identity(), "held_at": None}
    Installation.objects.update_or_create(pk=ONLY, defaults=known)


def identity() -> str:
    """The place of the database, as far as it can be known."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT system_identifier || '/' || oid FROM pg_control_system(), pg_database "
                "WHERE datname = current_database()"
            )
            found: str = cursor.fetchone()[0]
            return found
    machine = MACHINE.read_text().strip() if MACHINE.exists() else ""
    return f"{machine}:{Path(connection.settings_dict['NAME']).resolve()}"
