"""Why an experiment is waiting: what decides it is what page, API and command line say."""

from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.records.accounts.role import Role
from dashboard.records.experiments import actions, leases, lifecycle, queries, why_queued
from dashboard.records.fleet import installation, task_queue
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import PendingRestore
from tests.markup import flat
from tests.unit.api.tokens import script, somebody
from tests.unit.conducting import experiments as make
from workers.celery import app

pytestmark = pytest.mark.django_db


def told(experiment) -> str:
    """The same everywhere."""
    experiment.refresh_from_db()
    said = why_queued.why(experiment)
    assert queries.live_state(experiment)["activity"] == said
    user = User.objects.first() or somebody(Role.VIEWER)
    assert script(user).get(f"/api/v1/experiments/{experiment.pk}/progress").json()["activity"] == said
    browser = Client()
    browser.force_login(user)
    assert said in unescape(flat(browser.get("/").text)), "the first page"
    return said


def test_a_queued_experiment_says_that_no_worker_is_alive():
    experiment = make.experiment(make.attached())
    assert told(experiment).startswith("No worker is alive on site local; start one there:")
    assert why_queued.why(experiment, needs_worker=False) == "", "a command line is none and needs none"


def test_a_queued_experiment_says_that_it_waits_for_a_worker():
    make.worker(listens=True)
    assert told(make.experiment(make.attached())) == "waiting for a worker"


def test_an_experiment_waits_for_its_busy_host():
    worker = make.worker(listens=True)
    first, second = make.experiment(make.attached()), make.experiment(make.attached("db2"))
    lifecycle.begin(first.pk, worker, ["db"])
    assert lifecycle.begin(second.pk, worker, ["db"]) is None
    assert told(second) == "waiting: on db1 is running on the same host"
    assert why_queued.why(lifecycle.begin(second.pk, worker, ["other"])) == "", "it runs"


def test_another_experiment_takes_the_host_at_the_same_moment(monkeypatch):
    worker = make.worker(listens=True)
    first, second = make.experiment(make.attached()), make.experiment(make.attached("db2"))
    lifecycle.begin(first.pk, worker, ["db"])
    monkeypatch.setattr(leases, "lease_on", lambda names: None)  # it was free when the worker looked
    assert lifecycle.begin(second.pk, worker, ["db"]) is None
    assert told(second) == why_queued.HOST_JUST_TAKEN


def test_no_worker_could_be_notified(monkeypatch):
    make.worker(listens=True)
    experiment = make.experiment(make.attached())
    monkeypatch.setattr(app.conf, "broker_url", "redis://127.0.0.1:1/0")
    with pytest.raises(task_queue.QueueDown):
        actions.notify_workers(experiment.pk)
    assert told(experiment) == why_queued.nobody_notified("does not answer")


def test_something_is_put_back_first():
    worker, server = make.worker(listens=True), make.attached()
    ended = make.experiment(server)
    type(ended).objects.filter(pk=ended.pk).update(state="failed", ended_at=timezone.now(), worker=worker)
    PendingRestore.objects.create(server=server, experiment=ended, kind="variable", name="sync_binlog", old="1")
    other = make.experiment(make.attached("db1 again"))
    assert lifecycle.begin(other.pk, worker, ["192.0.2.7"]) is None
    assert told(other) == "waiting: changes of an ended experiment on db1 are restored first"


def test_the_database_is_a_restored_copy():
    experiment = make.experiment(make.attached())
    installation.hold("a test")
    assert told(experiment) == installation.WAITS
    assert why_queued.why(experiment, needs_worker=False) == installation.WAITS


def test_a_running_one_says_what_happens_until_it_has_stopped():
    worker, experiment = make.worker(listens=True), make.experiment(make.attached())
    experiment = lifecycle.begin(experiment.pk, worker, ["db"])
    assert why_queued.stopping(experiment) == ""
    actions.cancel(experiment, somebody(Role.OPERATOR))
    experiment.refresh_from_db()
    assert why_queued.stopping(experiment).startswith("Stopping: the worker ends the load")
    now = queries.live_state(experiment)
    assert (now["stopping"], now["left_s"]) == (why_queued.stopping(experiment), None)
    Worker.objects.update(ended_at=timezone.now())
    assert f"the worker {worker} does not answer" in why_queued.stopping(experiment)
    lifecycle.finish(experiment, "cancelled")
    experiment.refresh_from_db()
    assert why_queued.stopping(experiment) == ""


def test_an_experiment_that_was_cancelled_waits_for_nothing():
    worker, operator = make.worker(listens=True), somebody(Role.OPERATOR)
    first, second = make.experiment(make.attached()), make.experiment(make.attached("db2"))
    lifecycle.begin(first.pk, worker, ["db"])
    lifecycle.begin(second.pk, worker, ["db"])
    assert told(second).startswith("waiting: ")
    actions.cancel(second, operator)
    second.refresh_from_db()
    assert (second.state, why_queued.does_now(second)) == ("cancelled", "")
