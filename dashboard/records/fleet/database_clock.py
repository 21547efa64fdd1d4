"""The database's clock, which measures how long a worker was silent."""

import time

from django.db import connection


def ahead_s() -> float:
    """By how much this host's clock is ahead of the database's. SQLite has this host's."""
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXTRACT(EPOCH FROM clock_timestamp())")
        return time.time() - float(cursor.fetchone()[0])
