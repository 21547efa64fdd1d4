"""PostgreSQL: pg_dump, and what pg_restore says, in one transaction. Until its end all others see the old tables."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from django.db import OperationalError, connection, transaction
from psycopg import pq

from dashboard.backup import script
from dashboard.backup.refused import BackupRefused

if TYPE_CHECKING:
    from django.db.backends.postgresql.base import DatabaseWrapper

OLD = "durascope_before_restore"  # holds the old tables; one that an earlier version left is dropped
OTHERS = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()"""
RESTORING = ("--exit-on-error", "--no-owner", "--no-acl", "--file=-")
LONGEST_ERROR = 500
LOCK_LIMIT = "10s"


def dump(to: Path) -> None:
    _run("pg_dump", "--format=custom", "--no-owner", "--no-acl", f"--exclude-schema={OLD}", f"--file={to}")


def migrations(dumped: Path) -> set[str]:
    """Of the copied rows, as COPY writes them: id, app, name and time."""
    rows = _run("pg_restore", "--data-only", "--table=django_migrations", "--file=-", str(dumped)).splitlines()
    return {".".join(row.split("\t")[1:3]) for row in rows if row.count("\t") == 3}


def is_empty() -> bool:
    """Changes nothing. Old tables that a killed restore of an earlier version left are data."""
    return not _has_old() and not connection.introspection.table_names()


@contextmanager
def restored(draft: Path) -> Iterator[str]:
    """As that of SQLite: an error, also in the block, leaves the old tables as they were; so does a kill."""
    _close()
    _must_be_unused()
    try:
        with transaction.atomic():
            _execute(f"DROP SCHEMA IF EXISTS {OLD} CASCADE", f"ALTER SCHEMA public RENAME TO {OLD}")
            # Migrations in one transaction: rows must not wait for a check when their table is altered.
            _execute("CREATE SCHEMA public", "SET CONSTRAINTS ALL IMMEDIATE")
            _load(draft)
            yield "The old tables were removed."
            _remove_old()
    finally:
        _close()  # the script has changed settings of this session


def _close() -> None:
    """Also the connections that are kept for later."""
    connection.close()
    cast("DatabaseWrapper", connection).close_pool()


def _load(draft: Path) -> None:
    with tempfile.TemporaryFile("w+") as errors:
        running = _started("pg_restore", *RESTORING, str(draft), stdout=subprocess.PIPE, stderr=errors)
        with running, connection.cursor() as cursor:
            script.execute(running.stdout, cursor)
            cursor.execute("RESET search_path")
        errors.seek(0)
        _must_be_done("pg_restore", running.returncode, errors.read())


def _remove_old() -> None:
    """Who comes while the old tables are locked waits for the new ones. So nobody has seen both."""
    _must_be_unused()
    try:
        _execute(f"SET LOCAL lock_timeout = '{LOCK_LIMIT}'", f"DROP SCHEMA {OLD} CASCADE")
    except OperationalError as held:
        raise BackupRefused(
            f"Another program uses the tables ({held}). Nothing was restored.", "End it, and restore again."
        ) from held
    _must_be_unused()


def _has_old() -> bool:
    return bool(_one("SELECT count(*) FROM pg_namespace WHERE nspname = %s", OLD))


def _must_be_unused() -> None:
    _execute("SELECT pg_stat_clear_snapshot()")  # in a transaction the first answer would stay
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
    """What it prints."""
    with _started(program, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        printed, said = running.communicate()
    _must_be_done(program, running.returncode, said)
    return str(printed)


def _started(*argv: str, **pipes: Any) -> Any:
    """A Popen. The password reaches the program by its environment, never by its arguments."""
    if not shutil.which(argv[0]):
        raise BackupRefused(f"{argv[0]} is not installed.", "apt-get install postgresql-client")
    uid, gid = os.geteuid(), os.getegid()  # a program with the real one of root could become root again
    return subprocess.Popen(argv, env={**os.environ, **_environment()}, user=uid, group=gid, **pipes)


def _must_be_done(program: str, status: int, said: str) -> None:
    if status:
        raise BackupRefused(f"{program} failed: {said.strip()[-LONGEST_ERROR:]}", "The database is as it was before.")


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
