"""What keeps a worker from starting: each reason, and that nothing is said when all is well."""

import os
import socket
import time
from unittest.mock import Mock

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from dashboard.installation import vault
from dashboard.installation.home import home
from dashboard.records.fleet import site_names
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from workers.celery import app
from workers.errors import DurascopeError
from workers.upkeep import start_check

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def redis_answers(monkeypatch):
    monkeypatch.setattr(start_check.redis_answers, "must_take_tasks", lambda client: None)


@pytest.fixture
def attached(db):
    one = Server(name="db1", kind="attached", host="192.0.2.7", user="u", site="west")
    one.set_password("secret")
    one.save()
    return one


def refusal(site="west"):
    with pytest.raises(DurascopeError) as refused:
        start_check.check(site)
    return str(refused.value)


def test_a_worker_starts_where_all_is_well(attached):
    start_check.check("west")


@pytest.mark.parametrize("name", ["", "West", "a b", "-a", "a-", "x" * 41, "a/b", "ä"])
def test_a_site_has_a_plain_name(name):
    assert "is not a site name" in refusal(name)


def test_a_wrong_key_is_noticed(attached, monkeypatch):
    monkeypatch.setenv(vault.ENVIRONMENT, Fernet.generate_key().decode())
    assert "opens none of the stored passwords" in refusal()


def test_a_worker_starts_although_one_old_password_cannot_be_opened(attached, monkeypatch):
    Server(name="lost", kind="attached", host="h", password_sealed=b"x").save()
    start_check.check("west")


def test_an_invalid_key_stops_the_start(monkeypatch):
    monkeypatch.setenv(vault.ENVIRONMENT, "not a key")
    assert "cannot be read" in refusal()


def test_a_key_that_others_can_read_is_noticed():
    vault.keys()
    file = home() / vault.NAME
    file.chmod(0o644)
    try:
        assert f"chmod 600 {file}" in refusal()
    finally:
        file.chmod(0o600)


def test_a_missing_key_is_noticed_where_the_database_is_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    if connection.vendor == "sqlite":
        start_check.check("west")
        monkeypatch.setattr(connection, "vendor", "postgresql")
        monkeypatch.setattr(start_check, "check_clock", lambda: None)
    assert "manage.py rotatekeys" in refusal()
    assert not (tmp_path / vault.NAME).exists(), "none was made up"


def test_redis_that_does_not_answer_is_named_without_its_password(monkeypatch, settings):
    monkeypatch.undo()
    settings.REDIS_URL = "redis://:hushhush@127.0.0.1:1/0"
    said = refusal()
    assert "Redis at redis://:**@127.0.0.1:1/0 cannot be used" in said and "hushhush" not in said
    settings.REDIS_URL = "http://nonsense"
    assert "cannot be used" in refusal()


def test_a_database_of_a_newer_version_is_noticed():
    MigrationRecorder(connection).record_applied("servers", "9999_from_the_future")
    assert "older than the database, which has servers.9999_from_the_future" in refusal()


def test_a_database_of_an_older_version_is_noticed():
    known = MigrationRecorder(connection)
    newest = max(name for app, name in known.applied_migrations() if app == "holds")
    known.record_unapplied("holds", newest)
    said = refusal()
    assert f"newer than the database, which lacks holds.{newest}." in said and "manage.py migrate" in said


def test_a_database_that_does_not_answer_is_noticed(monkeypatch):
    def gone():
        raise start_check.DatabaseError("could not connect to server\n")

    monkeypatch.setattr(connection, "ensure_connection", gone)
    assert "the database does not answer (could not connect to server)" in refusal()


@pytest.mark.parametrize("ahead_s", [60, -60])
def test_a_clock_that_is_off_is_noticed(monkeypatch, ahead_s):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has this host's clock")
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + ahead_s)
    assert "clock is 60 s" in refusal() or "clock is 59 s" in refusal()


@pytest.mark.parametrize("address", [{"host": "localhost"}, {"host": "127.0.0.1"}, {"socket": "/run/db.sock"}])
def test_localhost_belongs_to_one_host(attached, address):
    Server.objects.create(name="loop", kind="attached", user="u", site="west", **address)
    start_check.check("west")
    other = Worker.objects.create(host="another", pid=1, site="west")
    said = refusal()
    assert "loop of site west" in said and "another" in said
    start_check.check("east")
    Worker.objects.filter(pk=other.pk).update(ended_at=other.started_at)
    start_check.check("west")


COMMAND = "dashboard.commands.management.commands.worker"


def test_the_command_runs_a_celery_worker_of_that_site(monkeypatch, settings):
    """All that it starts mounts in a namespace of its own."""
    made, entered = Mock(return_value=Mock(exitcode=0)), []
    monkeypatch.setattr(app, "Worker", made)
    monkeypatch.setattr(f"{COMMAND}.connections.close_all", lambda: None)
    monkeypatch.setattr(f"{COMMAND}.own_mounts.enter", lambda: entered.append(made.called))
    monkeypatch.setenv("DURASCOPE_SITE", "local")
    settings.SITE = "local"  # the command changes both; the fixtures restore both
    with pytest.raises(SystemExit) as ended:
        call_command("worker", "--site", "west", "--only-site")
    assert ended.value.code == 0
    assert os.environ["DURASCOPE_SITE"] == settings.SITE == "west"
    assert made.call_args.kwargs["hostname"] == f"west.{os.getpid()}@{socket.gethostname()}"
    assert made.call_args.kwargs["exclude_queues"] == [site_names.ANYBODY]
    made.return_value.start.assert_called_once_with()
    assert entered == [False]


def test_the_command_says_why_not_and_starts_nothing(monkeypatch, capsys):
    monkeypatch.setattr(app, "Worker", lambda **_: pytest.fail("it was started"))
    monkeypatch.setattr(f"{COMMAND}.own_mounts.enter", lambda: None)
    with pytest.raises(SystemExit) as ended:
        call_command("worker", "--site", "No Name")
    assert ended.value.code == 2 and "is not a site name" in capsys.readouterr().err


@pytest.mark.parametrize("why", ["No loop devices.", ""])
def test_a_worker_that_needs_power_losses_starts_only_where_they_can_be_simulated(monkeypatch, why):
    monkeypatch.setattr(start_check, "lacking", lambda: "")
    monkeypatch.setattr(start_check.disk, "missing", lambda: why)
    monkeypatch.setattr(start_check.network, "missing", lambda: why)
    if why:
        with pytest.raises(DurascopeError, match=r"cannot simulate them here\. No loop devices\. In a container"):
            start_check.check_power_loss()
    else:
        start_check.check_power_loss()
