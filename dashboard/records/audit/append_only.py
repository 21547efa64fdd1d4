"""Triggers that refuse to change or delete events, whatever code asks. They keep the application honest; whoever
owns the database can still drop them."""

from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper

SQL = Path(__file__).parent / "sql"


def install(connection: BaseDatabaseWrapper) -> None:
    remove(connection)
    _run(connection, f"{connection.vendor}.sql")


def remove(connection: BaseDatabaseWrapper) -> None:
    _run(connection, f"{connection.vendor}_remove.sql")


def _run(connection: BaseDatabaseWrapper, name: str) -> None:
    """One statement at a time: SQLite's executescript would commit the migration around it."""
    with connection.cursor() as cursor:
        for statement in _statements((SQL / name).read_text()):
            cursor.execute(statement)


def _statements(script: str) -> list[str]:
    """Statements are parted by an empty line, or by the line's end where there is none."""
    if "\n\n" in script:
        return [part for part in script.split("\n\n") if part.strip()]
    return [line for line in script.splitlines() if line.strip()]
