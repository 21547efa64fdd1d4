"""The audit log is added to, never changed: by the model, and by the database whatever code asks."""

import os
import subprocess
import sys

import pytest
from django.db import DatabaseError, connection, transaction

from dashboard.installation.home import PROJECT
from dashboard.records.audit import append_only
from dashboard.records.audit.models import AppendOnly, Event, record
from tests import migrated
from tests.own_database import own_database

pytestmark = pytest.mark.django_db
SETTINGS = {"DJANGO_SETTINGS_MODULE": "dashboard.settings"}
FRESH = """
from django.core.management import call_command
from django.db import DatabaseError, connection
from dashboard.records.audit.models import record
call_command("migrate", verbosity=0)
record(None, "registered", "db1")
for change in ("UPDATE audit_event SET what = 'db2'", "DELETE FROM audit_event"):
    try:
        connection.cursor().execute(change)
    except DatabaseError as refused:
        print(str(refused).splitlines()[0])
print(connection.introspection.table_names())
"""


@pytest.fixture
def event(admin):
    record(admin, "registered", "db1")
    return Event.objects.get(did="registered")


@pytest.fixture
def triggers(db):
    """As in every installation; the suite's database goes without, to be emptied between tests."""
    append_only.install(connection)


def test_the_model_refuses_to_change_or_delete_one(event):
    event.what = "db2"
    for change in (event.save, event.delete):
        with pytest.raises(AppendOnly, match="Nothing was changed"):
            change()
    assert Event.objects.get(pk=event.pk).what == "db1"


@pytest.mark.parametrize(
    "change",
    [
        lambda events: events.update(what="db2"),
        lambda events: events.delete(),
        lambda events: events.filter(did="registered").delete(),
        lambda events: events.bulk_update(list(events), ["what"]),
        lambda events: events.update_or_create(did="registered"),
    ],
)
def test_so_does_a_query(event, change):
    with pytest.raises(AppendOnly):
        change(Event.objects.all())
    assert Event.objects.filter(what="db1").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET what = 'db2'",
        "UPDATE audit_event SET name = 'somebody else', who_id = NULL",
        "UPDATE audit_event SET detail = '{\"a\": 1}'",
        "DELETE FROM audit_event",
    ],
)
def test_so_does_the_database(event, triggers, statement):
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Event.objects.filter(name="admin", what="db1", detail={}).exists()


def test_an_account_can_go_and_its_name_stays(event, triggers, admin):
    admin.delete()
    kept = Event.objects.get(pk=event.pk)
    assert (kept.who, kept.name, kept.what) == (None, "admin", "db1")


def test_events_are_added_under_the_triggers(triggers):
    record(None, "rotated keys", "password keys")
    assert Event.objects.get().name == ""


def test_every_installation_gets_the_triggers(tmp_path):
    """A fresh database by the migrations alone: what is there cannot be changed past the model either. SQLite: a copy
    of one that `manage.py migrate` made."""
    if connection.vendor == "sqlite":
        migrated.sqlite(tmp_path / "durascope.sqlite3")
    env = {**os.environ, **own_database(tmp_path), "DURASCOPE_HOME": str(tmp_path)}
    argv = [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", FRESH]
    done = subprocess.run(argv, cwd=PROJECT, env=env | SETTINGS, check=True, capture_output=True, text=True)
    *refusals, tables = done.stdout.splitlines()
    assert len(refusals) == 2 and all("append-only" in said for said in refusals)
    assert "accounts_cache" in tables
