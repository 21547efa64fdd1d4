"""SQLite: a copy of the database while it is in use, and a restored file that takes its place in one step."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.db import DatabaseError, connection

from dashboard.backup.refused import BackupRefused, not_a_backup

BUSY_S = 2.0
BESIDE = ("-wal", "-shm")


def dump(to: Path) -> None:
    """SQLite's online backup: one state, whatever others write meanwhile."""
    source = sqlite3.connect(f"{_file().absolute().as_uri()}?mode=ro", uri=True, timeout=60)
    with closing(source), closing(sqlite3.connect(to)) as copy:
        source.backup(copy)


def migrations(dumped: Path) -> set[str]:
    with closing(sqlite3.connect(dumped)) as copy:
        try:
            return {name for (name,) in copy.execute("SELECT app || '.' || name FROM django_migrations")}
        except sqlite3.OperationalError:  # it has no such table
            return set()


def is_empty() -> bool:
    """A damaged database is not."""
    try:
        return not connection.introspection.table_names()
    except DatabaseError:
        return False


@contextmanager
def restored(draft: Path) -> Iterator[str]:
    """Within the block Django uses the draft. After it the draft is the database, and a sentence says where the old one
    is. An error in the block leaves the old database as it is."""
    _must_be_whole(draft)
    live = _file()
    kept = live.with_name(f"{live.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S}")
    connection.close()
    _must_be_unused(live)
    connection.settings_dict["NAME"] = str(draft)
    try:
        yield f"The old database is {kept}."
        connection.close()
        _must_be_unused(draft)
        with _unused(live):
            _replace(live, draft, kept)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = str(live)


def _file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _must_be_whole(draft: Path) -> None:
    try:
        with closing(sqlite3.connect(draft)) as database:
            [(found,)] = database.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.DatabaseError as damaged:
        raise not_a_backup("its database is damaged") from damaged
    if found != "ok":
        raise not_a_backup("its database is damaged")


def _must_be_unused(file: Path) -> None:
    with _unused(file):
        pass


@contextmanager
def _unused(file: Path) -> Iterator[None]:
    """Locked within the block. Who opens it meanwhile waits, and must then make it WAL: SQLite refuses that to a file
    that has another name by now. To leave the mode WAL, SQLite needs that nobody else has the file open. It removes the
    files beside it."""
    with closing(sqlite3.connect(file, timeout=BUSY_S, isolation_level=None)) as database:
        try:
            database.execute("PRAGMA journal_mode=DELETE").fetchall()
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as used:
            raise BackupRefused(
                f"Another program uses the database {file} ({used}). Nothing was restored.",
                "Stop the web server, beat and all workers.",
            ) from used
        except sqlite3.DatabaseError:  # damaged: whether others use it is not known
            pass
        yield


def _replace(live: Path, draft: Path, kept: Path) -> None:
    for suffix in ("", *BESIDE):  # those of a damaged database would damage the new one
        if (old := live.with_name(live.name + suffix)).exists():
            (os.link if not suffix else os.rename)(old, f"{kept}{suffix}")
    draft.chmod(0o600)
    draft.replace(live)
    _keep(live.parent)


def _keep(folder: Path) -> None:
    """The new name survives a power loss."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
