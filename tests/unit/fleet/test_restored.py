"""A restored copy of the database touches no real server before a person says so."""

import subprocess
import sys
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from dashboard.installation.home import PROJECT
from dashboard.records.audit.models import Event
from dashboard.records.experiments import leases, lifecycle
from dashboard.records.fleet import installation
from dashboard.records.fleet.models import Installation
from dashboard.records.holds.models import PendingRestore
from dashboard.records.notifications import post
from dashboard.records.schedules import nights
from dashboard.records.servers.models import Preflight
from tests.unit.conducting import experiments as make
from workers.upkeep import housekeeping, restores

pytestmark = pytest.mark.django_db
NOTICE = "runs on a copy of its own database"


def elsewhere():
    assert not installation.is_held()
    Installation.objects.update(identity="another machine:/another/path")


def said(*arguments):
    out = StringIO()
    call_command("restored", *arguments, stdout=out)
    return out.getvalue()


def test_the_database_of_this_installation_is_not_held():
    assert not installation.is_held() and not installation.is_held()
    assert Installation.objects.get().identity == installation.identity()


def test_a_copy_elsewhere_is_held_by_itself_until_a_person_releases_it():
    elsewhere()
    assert installation.is_held()
    assert "Released." in said("--release")
    assert not installation.is_held()
    assert Event.objects.filter(did="released from hold", what="this copy of Durascope's database").exists()


def test_that_it_is_held_is_kept_in_the_audit_log_once():
    elsewhere()
    for _ in range(3):
        assert installation.is_held()
        said()
    [event] = Event.objects.filter(did="put on hold")
    assert (event.who, event.what) == (None, "this copy of Durascope's database")
    assert event.detail["why"] == "it was copied or moved from another place"
    said("--release")
    said()
    assert Event.objects.filter(did="put on hold").count() == 2, "held again, by hand"


def test_a_copy_in_the_old_place_is_held_by_hand():
    assert not installation.is_held()
    assert "Held." in said()
    assert installation.is_held()


def test_each_page_says_so_to_people_who_are_logged_in_and_what_to_do(client_in):
    """Also before a worker or beat has noted it; a page that is read writes nothing."""
    elsewhere()
    for page in ("home", "schedules:list", "account_change_password"):
        told = client_in.get(reverse(page)).content.decode()
        assert "Durascope runs on a copy of its own database and is on hold." in told
        assert "<code>manage.py restored --release</code>" in told
    assert Installation.objects.get().held_at is None
    assert installation.is_held() and NOTICE in client_in.get(reverse("home")).content.decode()
    said("--release")
    assert NOTICE not in client_in.get(reverse("home")).content.decode()


def test_the_login_page_does_not_tell_of_it(client):
    elsewhere()
    assert NOTICE not in client.get(reverse("account_login")).content.decode()


@pytest.fixture
def restored(monkeypatch):
    to = []
    monkeypatch.setattr(restores, "restore", lambda server, require_claim: to.append(server.name))
    return to


def test_a_restored_copy_lists_its_pending_restores_and_makes_none(restored):
    unrestored = make.experiment(make.attached())
    type(unrestored).objects.filter(pk=unrestored.pk).update(state="failed")
    make.pending_restore(unrestored.cells.first().server, unrestored, "variable", "sync_binlog", "1")
    assert "pending restore on db1: global variable sync_binlog 1" in said()
    restores.restore_all()
    assert restored == [] and PendingRestore.objects.get().restored_at is None
    said("--release")
    restores.restore_all()
    assert restored == ["db1"]


def test_a_restored_copy_starts_no_experiment_and_says_why():
    waiting = make.experiment(make.attached())
    assert f"experiment {waiting.pk}, queued: on db1" in said()
    assert lifecycle.begin(waiting.pk, make.worker(), ["h"]) is None
    waiting.refresh_from_db()
    assert waiting.state == "queued" and "this database is a restored copy" in waiting.activity
    said("--release")
    assert lifecycle.begin(waiting.pk, make.worker(), leases.hosts_of(waiting.cells.first().server))


def test_a_restored_copy_starts_no_schedule_sends_no_message_and_asks_no_server(monkeypatch):
    monkeypatch.setattr(nights, "_watched", lambda: pytest.fail("a schedule is looked at"))
    monkeypatch.setattr(post, "_claim", lambda row, now: pytest.fail("a message is sent"))
    Preflight.objects.create(server=make.attached(), asked_at=timezone.now() - timedelta(days=1))
    said()
    nights.watch(timezone.now(), pytest.fail, pytest.fail)
    nights.look(1, timezone.now(), pytest.fail, pytest.fail)
    post.deliver(1, timezone.now())
    housekeeping._send_preflights(lambda pk: pytest.fail("a server is asked"))


@pytest.fixture
def home(tmp_path):
    """`manage.py` on a SQLite database of its own: (status, what it said)."""

    def manage(*arguments):
        environment = {"PATH": "/usr/bin:/bin", "DURASCOPE_HOME": str(tmp_path), "HOME": str(tmp_path)}
        argv = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(argv, env=environment, cwd=PROJECT, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return tmp_path, manage


def test_a_damaged_database_is_told_in_a_sentence(home):
    folder, manage = home
    (folder / "durascope.sqlite3").write_bytes(b"no database at all" * 4096)
    status, told = manage("migrate")
    assert status == 2 and "The database is damaged (file is not a database)" in told, told
    assert "Restore a backup" in told and "Traceback" not in told
    assert (folder / "durascope.sqlite3").read_bytes().startswith(b"no database at all"), "it is left as it was"
