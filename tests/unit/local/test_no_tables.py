"""Commands in a home that cannot be used as it is: each gives a sentence and status 2, no traceback."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from django.db import OperationalError

from dashboard.installation import usable
from dashboard.installation.home import PROJECT, NoHome, database

NO_TABLES = "The database is not made or upgraded yet: it lacks {lacks}. Run: manage.py migrate\n"


def manage(folder, *words):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DURASCOPE_", "DATABASE_URL"))}
    env |= {"DURASCOPE_HOME": str(folder), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    argv = [sys.executable, "manage.py", *words]
    return subprocess.run(argv, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)


COMMANDS = ("experiment export 1 FILE", "experiment crash-points 1", "makeadmin bob", "audit",
            "experiment run group-commit --server One", "experiment resume 1")  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_home_without_tables_is_told(tmp_path, command):
    done = manage(tmp_path / "home", *command.replace("FILE", str(tmp_path / "file")).split())
    assert (done.returncode, done.stderr) == (2, NO_TABLES.format(lacks="contenttypes.0001_initial"))


def test_a_home_that_is_half_migrated_is_told(tmp_path):
    with closing(sqlite3.connect(tmp_path / "durascope.sqlite3")) as database, database:
        database.execute("CREATE TABLE django_migrations (id, app, name, applied)")
        database.execute("INSERT INTO django_migrations VALUES (1, 'contenttypes', '0001_initial', '2026-01-01')")
    done = manage(tmp_path, "retention")
    assert (done.returncode, done.stderr) == (2, NO_TABLES.format(lacks="auth.0001_initial"))


def test_a_home_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    done = manage(tmp_path / "file/home", "retention")
    assert done.returncode == 2 and done.stderr.endswith(
        "Set DURASCOPE_HOME to a folder that this user can write to.\n"
    )
    assert f"{tmp_path}/file/home cannot be made: Not a directory" in done.stderr and "Traceback" not in done.stderr


def test_a_file_that_cannot_be_made_in_the_home_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    (tmp_path / "missing").symlink_to("/proc/nothing")
    monkeypatch.setenv("DURASCOPE_SQLITE", str(tmp_path / "missing"))
    with pytest.raises(NoHome, match="missing cannot be made"):
        database()


class Undefined(Exception):
    """As psycopg tells it."""

    sqlstate = "42P01"


@pytest.mark.parametrize(
    "failure",
    [sqlite3.OperationalError("no such table: x"), sqlite3.OperationalError("no such column: y"), Undefined()],
)
def test_a_table_that_is_missing_though_all_is_applied_is_an_error_of_ours(db, failure, monkeypatch):
    assert usable.explained(failure) == ""
    monkeypatch.setattr(usable, "_unapplied_migration", lambda: "servers.0001_tables")
    assert usable.explained(failure) == NO_TABLES.format(lacks="servers.0001_tables").strip()


class Silent(Exception):
    """As psycopg tells that it has no connection."""

    sqlstate = None


@pytest.mark.parametrize(("cause", "is_told"), [(Silent(), True), (Undefined(), False), (None, False)])
def test_a_database_that_does_not_answer_is_told(cause, is_told, monkeypatch):
    monkeypatch.setattr(usable, "_unapplied_migration", lambda: "")
    failure = OperationalError("couldn't get a connection after 10.00 sec\n")
    failure.__cause__ = cause
    told = "The database does not answer (couldn't get a connection after 10.00 sec). Is PostgreSQL running?"
    assert usable.explained(failure).startswith(told) is is_told


def test_a_database_that_another_program_holds_is_told():
    told = usable.explained(sqlite3.OperationalError("database is locked"))
    assert told == "Another program holds the database for too long (database is locked). Try again."


def test_a_database_that_is_closed_to_the_user_is_told():
    for words in ("attempt to write a readonly database", "unable to open database file"):
        told = usable.explained(sqlite3.OperationalError(words))
        assert told == f"The database cannot be used ({words}). Let this user write to its file and folder."
