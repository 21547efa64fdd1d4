"""How large the database is, and how much a year adds."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Count, Min, Q

from dashboard.records.experiments.models import Experiment

MONTH = timedelta(days=30)
LEAST = timedelta(days=7)  # of a shorter time no rate is told


@dataclass(frozen=True)
class Used:
    """`a_year`: what the experiments of a year add before anything is thinned out, at the rate of the last `days`;
    None: the oldest experiment is too young to tell."""

    bytes: int
    days: int
    a_year: int | None


def used(now: datetime) -> Used:
    size = _bytes()
    found = Experiment.objects.aggregate(
        all=Count("pk"), lately=Count("pk", filter=Q(created_at__gt=now - MONTH)), first=Min("created_at")
    )
    span = min(MONTH, now - (found["first"] or now))
    if span < LEAST:
        return Used(size, span.days, None)
    spans = timedelta(days=365) / span
    return Used(size, span.days, round(size / found["all"] * found["lately"] * spans))


def _bytes() -> int:
    """SQLite's include pages that are still in the file beside it (-wal)."""
    pages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())" if connection.vendor == "postgresql" else pages)
        size: int = cursor.fetchone()[0]
    return size
