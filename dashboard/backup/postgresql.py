"""PostgreSQL: pg_dump, and pg_restore in one transaction. The old tables wait in a schema of their own until the
restored ones are complete."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, transaction
from psycopg import pq

from dashboard.backup.refused import BackupRefused

OLD = "durascope_before_restore"  # holds the old tables while a backup is restored
OTHERS = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'durascope'
AND pid <> pg_backend_pid()"""
LONGEST_ERROR = 500


def dump(to: Path) -> None:
    _run("pg_dump", "--format=custom", "--no-owner", "--no-acl", f"--exclude-schema={OLD}", f"--file={to}")


def migrations(dumped: Path) -> set[str]:
    """Of the copied rows, as COPY writes them: id, app, name and time."""
    rows = _run("pg_restore", "--data-only", "--table=django_migrations", "--file=-", str(dumped)).splitlines()
    return {".".join(row.split("\t")[1:3]) for row in rows if row.count("\t") == 3}


def is_empty() -> bool:
    """Changes nothing. Old tables that a killed restore left are data."""
    return not _has_old() and not connection.introspection.table_names()


@contextmanager
def restored(draft: Path) -> Iterator[str]:
    """As that of SQLite: an error, also in the block, leaves the old tables as they were. After a power loss or a kill
    in the middle the next restore puts them back first."""
    _must_be_unused()
    _put_back()
    _execute(f"ALTER SCHEMA public RENAME TO {OLD}", "CREATE SCHEMA public")
    try:
        connection.close()
        _run("pg_restore", "--single-transaction", "--exit-on-error", "--no-owner", "--no-acl", "--dbname=", str(draft))
        yield "The old tables were removed."
        forget_old()
    except BaseException:
        connection.close()
        _put_back()
        raise


def forget_old() -> None:
    _execute(f"DROP SCHEMA IF EXISTS {OLD} CASCADE")


def _has_old() -> bool:
    return bool(_one("SELECT count(*) FROM pg_namespace WHERE nspname = %s", OLD))


def _put_back() -> None:
    if _has_old():
        _execute("DROP SCHEMA IF EXISTS public CASCADE", f"ALTER SCHEMA {OLD} RENAME TO public")


def _must_be_unused() -> None:
    connection.close()
    if count := _one(OTHERS):
        raise BackupRefused(
            f"Other programs use the database ({count} connections). Nothing was restored.",
            "Stop the web server, beat and all workers on every host.",
        )


@transaction.atomic
def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _one(question: str, *values: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(question, values)
        return int(cursor.fetchone()[0])


def _run(program: str, *words: str) -> str:
    """What it prints. The password reaches the program by its environment, never by its arguments."""
    if not shutil.which(program):
        raise BackupRefused(f"{program} is not installed.", "apt-get install postgresql-client")
    uid, gid = os.geteuid(), os.getegid()  # a program with the real one of root could become root again
    environment = {**os.environ, **_environment()}
    done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, user=uid, group=gid)
    if done.returncode:
        said = done.stderr.strip()[-LONGEST_ERROR:]
        raise BackupRefused(f"{program} failed: {said}", "The database is as it was before.")
    return done.stdout


def _environment() -> Mapping[str, str]:
    """The settings of the connection as the variables of libpq."""
    known = connection.settings_dict
    options = {name: str(value) for name, value in known["OPTIONS"].items() if isinstance(value, str)}
    parts = {
        "dbname": str(known["NAME"]), "user": str(known["USER"]), "password": str(known["PASSWORD"]),
        "host": str(known["HOST"]), "port": str(known["PORT"]), **options, "application_name": "durascope backup",
    }  # fmt: skip
    variables = {one.keyword.decode(): one.envvar.decode() for one in pq.Conninfo.get_defaults() if one.envvar}
    return {variables[name]: value for name, value in parts.items() if value and name in variables}
