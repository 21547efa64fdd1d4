"""Reads about the audit log."""

from django.db import connection

from dashboard.records.audit.models import Event

# From each value to the next one by the index: DISTINCT would read every event.
EACH = """WITH RECURSIVE step(value) AS (
    SELECT MIN({column}) FROM {table}
    UNION ALL SELECT (SELECT MIN({column}) FROM {table} WHERE {column} > value) FROM step WHERE value IS NOT NULL
) SELECT value FROM step WHERE value IS NOT NULL"""


def each(field: str) -> list[str]:
    """The values of an indexed field, each once, in order."""
    with connection.cursor() as cursor:
        cursor.execute(EACH.format(column=connection.ops.quote_name(field), table=Event._meta.db_table))
        return [value for (value,) in cursor.fetchall()]
