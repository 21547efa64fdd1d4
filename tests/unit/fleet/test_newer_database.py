"""A program refuses a database that a newer version migrated, and says which version to install."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from dashboard.installation import newer_database
from dashboard.installation.home import PROJECT
from dashboard.installation.version import VERSION
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Upgrade, Worker
from tests import migrated
from tests.unit.conducting import experiments as make
from tests.upgrades.newer import FUTURE, upgraded_by
from tests.walks import report
from workers.conducting import assignment
from workers.conducting.conduct import conduct

LIMIT_S = 300
APART = (
    "DURASCOPE_",
    "DJANGO_",
    "DATAB",
    "COVERAGE_",
)  # seven programs load themselves: coverage would cost twice more
REFUSED = f"This is Durascope {VERSION}, which is older than the database, which has servers.9999_from_the_future"


@pytest.mark.django_db
def test_the_present_database_is_accepted():
    newer_database.check()


@pytest.mark.django_db
def test_a_newer_database_is_refused_with_its_version():
    upgraded_by("77.1.0")
    with pytest.raises(newer_database.NewerDatabase) as refused:
        newer_database.check()
    assert REFUSED in str(refused.value)
    assert "Install version 77.1.0 on this host, or restore the backup" in str(refused.value)


@pytest.mark.django_db
def test_a_version_that_was_unpacked_over_a_running_process_is_newer_too(monkeypatch):
    newer_database.check()  # as at its start
    upgraded_by("77.1.0")
    monkeypatch.setattr(newer_database, "iter_modules", lambda _: [SimpleNamespace(name=FUTURE[1])])
    with pytest.raises(newer_database.NewerDatabase):
        newer_database.check()
    monkeypatch.setattr(newer_database, "_files", newer_database._files.__wrapped__)
    assert newer_database.unknown_migrations([".".join(FUTURE)]) == [], "the control: a process that starts now"


@pytest.mark.django_db
def test_a_migration_of_a_removed_library_is_no_newer_version():
    MigrationRecorder(connection).record_applied("gone_library", "0001_initial")
    newer_database.check()


@pytest.mark.django_db
def test_migrate_stores_its_version_once():
    Upgrade.objects.all().delete()
    for _ in range(2):
        call_command("migrate", verbosity=0)
    assert [one.version for one in Upgrade.objects.all()] == [VERSION]


@pytest.mark.django_db
def test_a_worker_that_became_too_old_leaves_a_new_experiment_to_newer_workers():
    queued, worker = make.experiment(make.attached()), make.worker(version=VERSION)
    upgraded_by("77.1.0")
    assert conduct(queued.pk, worker, make.ports()) is None
    queued = Experiment.objects.get(pk=queued.pk)
    assert queued.state == "queued"
    assert queued.activity == f"waiting: the worker here:1 has version {VERSION}, older than the database. Update it"


@pytest.mark.django_db
def test_a_plan_of_a_newer_version_waits_for_a_newer_worker():
    queued = make.experiment(make.attached())
    Experiment.objects.filter(pk=queued.pk).update(plan={**queued.plan, "color": 1})
    assert conduct(queued.pk, make.worker(version=VERSION), make.ports()) is None
    queued = Experiment.objects.get(pk=queued.pk)
    assert queued.state == "queued"
    assert queued.activity.startswith("waiting: This version does not know color of the plan. Update Durascope")


@pytest.mark.django_db
def test_a_worker_of_the_database_s_version_on_another_host_gets_the_task_at_once(monkeypatch):
    heard = []
    monkeypatch.setattr(assignment.task_queue, "send", lambda *task: heard.append(task[1:]))
    queued, old = make.experiment(make.attached()), make.worker(version=VERSION)
    for host, version in (("here", "77.1.0"), ("there", VERSION), ("yonder", "77.1.0")):
        Worker.objects.create(host=host, pid=2, version=version)
    upgraded_by("77.1.0")
    conduct(queued.pk, old, make.ports())
    assert heard == [(queued.pk, "local", "yonder")]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """An installation that a newer version migrated."""
    home = tmp_path_factory.mktemp("newer")
    migrated.sqlite(home / "durascope.sqlite3")
    code = "from tests.upgrades.newer import upgraded_by; upgraded_by('77.1.0')"
    argv = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
    subprocess.run(argv, cwd=PROJECT, env=environment(home), check=True)
    return home


def environment(home):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(APART)}
    return {**kept, "DURASCOPE_HOME": str(home), "PYTHONPATH": str(PROJECT)}


PROGRAMS = {
    "web": (sys.executable, "-c", "import dashboard.asgi"),
    "beat": (sys.executable, "-m", "celery", "-A", "workers.celery", "beat"),
    **{word: (sys.executable, "manage.py", word) for word in ("worker", "up", "migrate", "restored")},
}


def test_no_program_starts_on_it(home):
    before = (home / "durascope.sqlite3").read_bytes()
    started = {
        name: subprocess.Popen(argv, cwd=PROJECT, env=environment(home), stderr=subprocess.PIPE, text=True)
        for name, argv in PROGRAMS.items()
    }
    said = {name: program.communicate(timeout=LIMIT_S)[1] for name, program in started.items()}
    report(f"{name}: {words}" for name, words in said.items() if REFUSED not in words or "Traceback" in words)
    assert {program.returncode for program in started.values()} == {2}
    assert (home / "durascope.sqlite3").read_bytes() == before
