"""Triggers that refuse changes and deletions of events, whatever code asks. They protect against errors of the
application. The owner of the database can drop them."""

from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper

SQL = Path(__file__).parent / "sql"


def install(connection: BaseDatabaseWrapper) -> None:
    remove(connection)
    _run(connection, f"{connection.vendor}.sql")


def remove(connection: BaseDatabaseWrapper) -> None:
    _run(connection, f"{connection.vendor}_remove.sql")


def _run(connection: BaseDatabaseWrapper, name: str) -> None:
    """An empty line separates statements. SQLite's executescript would commit the migration around it."""
    with connection.cursor() as cursor:
        for statement in (SQL / name).read_text().split("\n\n"):
            cursor.execute(statement)
