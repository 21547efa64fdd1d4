"""Installations of earlier states, kept as SQL in tests/upgrades, become today's without losing a row."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
TOKEN = """
    INSERT INTO api_apitoken (name, prefix, token_hash, scopes, created_at, expires_at, user_id)
    VALUES ('nightly', 'd', 'h', '["run", "confirm_nights"]', '2026-11-01', '2027-11-01', 1)
"""
EARLIER = sorted((PROJECT / "tests/upgrades").glob("*.sql"))


@pytest.fixture(scope="module", params=EARLIER, ids=lambda path: path.stem)
def upgraded(request, tmp_path_factory):
    """The database of an earlier installation after `manage.py migrate`."""
    home = tmp_path_factory.mktemp("home")
    file = home / "durascope.sqlite3"
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(request.param.read_text())
        database.execute(TOKEN)
    environment = {**os.environ, "DURASCOPE_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    environment.pop("DATABASE_URL", None)
    migrate = [sys.executable, str(PROJECT / "manage.py"), "migrate", "--skip-checks"]
    for options in (["-v0"], ["--check"]):
        subprocess.run([*migrate, *options], env=environment, check=True, stdin=subprocess.DEVNULL)
    with closing(sqlite3.connect(file)) as database:
        yield database


def one(database, question):
    [row] = database.execute(question).fetchall()
    return row


def test_the_upgrade_was_that_of_the_earlier_installation(upgraded):
    """And not of another database, beside it."""
    assert one(upgraded, "SELECT count(*) FROM django_migrations WHERE app = 'holds'")[0] >= 1


def test_everything_stored_is_still_there(upgraded):
    assert one(upgraded, "SELECT count(*), sum(tps) > 0 FROM experiments_run") == (18, 1)
    assert one(upgraded, "SELECT username, role FROM auth_user JOIN accounts_person ON user_id = id") == (
        "maria",
        "administrator",
    )
    assert upgraded.execute("PRAGMA foreign_key_check").fetchall() == []


def test_pending_restores_survive_the_upgrade(upgraded):
    pending = "SELECT name, old, restored_at, experiment_id, server_id FROM holds_pendingrestore"
    assert one(upgraded, pending) == ("sync_binlog", "1", None, 1, 1)
    assert one(upgraded, "SELECT host, experiment_id FROM holds_hostlease") == ("db7", 1)


def test_a_token_keeps_its_rights_under_their_new_names(upgraded):
    assert one(upgraded, "SELECT scopes FROM api_apitoken")[0] == '["run", "confirm_schedules"]'


def test_the_audit_log_still_refuses_changes(upgraded):
    with pytest.raises(sqlite3.Error, match="append"):
        upgraded.execute("UPDATE audit_event SET name = 'nobody'")


def test_every_topic_has_one_first_migration():
    firsts = [path for path in PROJECT.glob("dashboard/records/*/migrations/0001*.py")]
    assert len(firsts) == len({path.parts[-3] for path in firsts}) == 11


def test_each_migration_is_stored_whole_or_not_at_all():
    """So a database with the same migrations is the same (dashboard.backup.snapshot)."""
    migrations = [path.read_text() for path in PROJECT.glob("dashboard/records/*/migrations/0*.py")]
    assert len(migrations) > 11 and not [text for text in migrations if "atomic = False" in text]
