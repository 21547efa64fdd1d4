"""Whether data can be stored here. Every program asks before it starts: a full disk or a damaged database gives one
sentence instead of a traceback."""

import contextlib
import errno
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile

from dashboard.installation.home import NoHome
from workers.errors import DurascopeError

LEAST_FREE_BYTES = 32 << 20  # a write-ahead log, logs and a schedule file
FULL = (errno.ENOSPC, errno.EDQUOT)
DAMAGED = ("file is not a database", "malformed")
LACKING = ("no such table", "no such column")
LACKING_STATES = ("42P01", "42703")  # undefined_table, undefined_column
LOCKED = "database is locked"
CLOSED = ("readonly database", "unable to open database file")
RESTORE = "Nothing was changed. Restore a backup, see docs/deployment.md: Restore."


class Unusable(DurascopeError):
    """A program was not started: its disk is full, or its database is damaged."""


def check(home: Path, database: Path | None = None) -> None:
    """Raises Unusable. `database`: SQLite's file; None for another database."""
    for folder in {home, database.parent if database else home}:
        _must_have_room(folder)
    if database and database.exists():
        _must_be_whole(database)


def check_installation() -> None:
    """The home folder and the database of the settings. Raises Unusable."""
    from django.conf import settings
    from django.db import connection

    check(settings.HOME, Path(connection.settings_dict["NAME"]) if connection.vendor == "sqlite" else None)


def check_or_exit() -> None:
    """For code that another program imports: the web server and beat. A database that does not answer yet is asked at
    its first connection."""
    from django.db import DatabaseError

    from dashboard.installation import newer_database

    try:
        check_installation()
        with contextlib.suppress(DatabaseError):
            newer_database.check()
    except DurascopeError as refused:
        sys.stderr.write(f"{refused}\n")
        sys.exit(2)


def explained(failure: BaseException | None) -> str:
    """A sentence for an exception with one of these causes; "" for others."""
    from dashboard.installation.newer_database import NewerDatabase

    while failure is not None:
        if isinstance(failure, NewerDatabase | NoHome):
            return str(failure)
        if _lacks_a_table(failure) and (unapplied := _unapplied_migration()):
            return f"The database is not made or upgraded yet: it lacks {unapplied}. Run: manage.py migrate"
        if any(words in str(failure) for words in CLOSED) and isinstance(failure, sqlite3.OperationalError):
            return f"The database cannot be used ({failure}). Let this user write to its file and folder."
        if LOCKED in str(failure) and isinstance(failure, sqlite3.OperationalError):
            return f"Another program holds the database for too long ({failure}). Try again."
        if _is_silent(failure):
            return f"The database does not answer ({str(failure).strip()}). Is PostgreSQL running? See DATABASE_URL."
        if (isinstance(failure, OSError) and failure.errno in FULL) or "disk is full" in str(failure):
            return f"The disk is full ({failure}). Make room, then start again."
        if any(words in str(failure) for words in DAMAGED) and isinstance(failure, sqlite3.DatabaseError):
            return f"The database is damaged ({failure}). {RESTORE}"
        failure = failure.__cause__ or failure.__context__
    return ""


def _lacks_a_table(failure: BaseException) -> bool:
    """Said by SQLite or PostgreSQL."""
    of_sqlite = isinstance(failure, sqlite3.OperationalError) and str(failure).startswith(LACKING)
    return of_sqlite or getattr(failure, "sqlstate", "") in LACKING_STATES


def _is_silent(failure: BaseException) -> bool:
    """psycopg found no server, or waited for it in vain: its error has no number of PostgreSQL."""
    from django.db import OperationalError

    return isinstance(failure, OperationalError) and getattr(failure.__cause__, "sqlstate", "") is None


def _unapplied_migration() -> str:
    """The first; "": all are applied, or the database does not say."""
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    with contextlib.suppress(DatabaseError):
        executor = MigrationExecutor(connection)
        if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return str(plan[0][0])
    return ""


def _must_have_room(folder: Path) -> None:
    """A file is written too: a quota, or a file system without inodes, has free blocks but refuses writes."""
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        raise Unusable(f"The disk of {folder} is full: {free >> 20} MiB are free. Nothing was started.", "Make room.")
    try:
        with TemporaryFile(prefix=".room-", dir=folder) as draft:
            draft.write(os.urandom(4096))
    except OSError as refused:
        full, fix = (
            ("is full", "Make room.") if refused.errno in FULL else ("cannot be written to", "Make it writable.")
        )
        raise Unusable(f"The disk of {folder} {full} ({refused.strerror}). Nothing was started.", fix) from None


def _must_be_whole(database: Path) -> None:
    """The first read finds some damage. Damage in other pages is found when they are read."""
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=20)) as connection:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as damaged:
        if any(words in str(damaged) for words in DAMAGED):
            raise Unusable(f"The database {database} is damaged ({damaged}).", RESTORE) from damaged
