"""How large the database is, and how much a year adds."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection

from dashboard.records.experiments.models import Experiment

MONTH = timedelta(days=30)


@dataclass(frozen=True)
class Used:
    """`a_year`: what the experiments of a year add before anything is thinned out, at the rate of the last 30 days."""

    bytes: int
    a_year: int


def used(now: datetime) -> Used:
    everything = Experiment.objects.count()
    lately = Experiment.objects.filter(created_at__gt=now - MONTH).count()
    size = _bytes()
    return Used(size, round(size / everything * lately * 365 / MONTH.days) if everything else 0)


def _bytes() -> int:
    if connection.vendor != "postgresql":
        file = Path(connection.settings_dict["NAME"])
        return file.stat().st_size if file.exists() else 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size: int = cursor.fetchone()[0]
    return size
