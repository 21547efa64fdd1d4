from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from dashboard.findings import conclusion
from dashboard.records.experiments import leases, lifecycle
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import actions as servers
from dashboard.records.servers.models import Preflight
from tests.unit.conducting import experiments as make
from tests.unit.results import factory
from workers.upkeep import housekeeping

pytestmark = pytest.mark.django_db


@pytest.fixture
def quiet(monkeypatch):
    """No sandboxes to sweep, clocks that agree, and the tasks that were sent."""
    monkeypatch.setattr(housekeeping, "sweep", lambda root: [])
    monkeypatch.setattr(housekeeping, "clocks", housekeeping.Clocks())
    notified = []
    return lambda: housekeeping.run(notified.append, notified.append) or notified


@pytest.fixture
def silent():
    """A running experiment whose worker was not heard of for a minute."""
    server = make.attached()
    begun = lifecycle.begin(make.experiment(server).pk, make.worker(), leases.hosts_of(server))
    Worker.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    return begun


def test_the_experiment_of_a_dead_worker_is_interrupted_and_logged(quiet, silent, caplog):
    quiet()
    silent.refresh_from_db()
    assert silent.state == "interrupted"
    assert "experiment on db1 is interrupted: Worker here:1 ended during the experiment." in caplog.text


def test_lists_show_what_a_dead_worker_had_measured(quiet):
    measured = factory.experiment(levels={"1/1": 100.0, "2/0": 200.0})
    Experiment.objects.filter(pk=measured.pk).update(state="running", worker=make.worker(), claim=1)
    Worker.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    quiet()
    measured.refresh_from_db()
    assert measured.state == "interrupted"
    assert "2/0" in measured.finding and measured.finding == conclusion.sentences(measured)[0]


@pytest.mark.parametrize("step_s", [60, -60])
def test_no_worker_counts_as_dead_after_a_step_of_the_clock_or_a_sleep(quiet, silent, monkeypatch, step_s):
    real = housekeeping.time.time
    monkeypatch.setattr(housekeeping.time, "time", lambda: real() + step_s)
    quiet()
    silent.refresh_from_db()
    assert silent.state == "running"
    quiet()
    silent.refresh_from_db()
    assert silent.state == "interrupted", "the next round takes it"


@pytest.mark.parametrize("step_s", [60, -60])
def test_no_worker_counts_as_dead_after_a_step_of_the_databases_clock(quiet, silent, monkeypatch, step_s):
    """PostgreSQL is on another host: this host's clock does not show the step."""
    housekeeping.clocks.agree()
    monkeypatch.setattr(housekeeping.database_clock, "ahead_s", lambda: -step_s)
    for expected in ("running", "interrupted"):
        quiet()
        silent.refresh_from_db()
        assert silent.state == expected


def test_a_database_that_does_not_answer_keeps_no_other_duty_waiting(quiet, monkeypatch):
    monkeypatch.setattr(housekeeping.database_clock, "ahead_s", Mock(side_effect=OSError))
    monkeypatch.setattr(housekeeping, "_sweep", swept := Mock())
    quiet()
    assert swept.called


def test_a_duty_that_fails_does_not_keep_the_others_waiting(quiet, monkeypatch):
    def fails(*_):
        raise OSError("no")

    monkeypatch.setattr(housekeeping, "interrupt_those_of_dead_workers", fails)
    monkeypatch.setattr(housekeeping, "sweep", fails)
    waiting = make.experiment(make.attached())
    Experiment.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(minutes=1))
    assert quiet() == [waiting.pk]


def late_test(**fields) -> Preflight:
    long_ago = timezone.now() - timedelta(minutes=3)
    return Preflight.objects.create(server=make.attached(), state="running", started_at=long_ago, **fields)


def test_a_connection_test_that_no_worker_answered_goes_to_another_one(quiet):
    asked = late_test(claimed=1)
    Preflight.objects.update(asked_at=timezone.now() - timedelta(minutes=3))
    assert quiet() == [asked.pk]
    asked.refresh_from_db()
    assert asked.state == "queued"
    assert servers.begin_preflight(asked.pk, "second") and Preflight.objects.get().claimed == 2


def test_a_connection_test_that_two_workers_did_not_answer_is_given_up(quiet):
    """It would hold the thread of every worker that takes it."""
    asked = late_test(claimed=2)
    assert quiet() == []
    asked.refresh_from_db()
    assert (asked.state, asked.outcome) == ("done", "failed")
    assert "The test was stopped." in asked.checks[0]["says"] and asked.checks[0]["fix"] and asked.done_at
    assert not servers.begin_preflight(asked.pk, "third")


def test_a_connection_test_that_has_just_begun_is_not_ended(quiet):
    late_test(claimed=2)
    Preflight.objects.update(started_at=timezone.now())
    assert quiet() == [] and Preflight.objects.get().state == "running"
