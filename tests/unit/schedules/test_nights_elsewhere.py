"""Schedules of servers that only workers of another site reach."""

import pytest

from dashboard.records.fleet.models import Worker
from dashboard.records.schedules import nights
from dashboard.records.schedules.models import Night
from dashboard.records.servers.models import Server
from tests.unit.schedules import made
from tests.unit.schedules.made import DUE

pytestmark = pytest.mark.django_db


@pytest.fixture
def far():
    return made.schedule(made.attached("far", site="west"))


def around(now=DUE):
    """A round at the local site: (experiments that workers were notified of, schedules told to their site)."""
    notified, told = [], []
    nights.watch(now, notified.append, lambda server: "", lambda *schedule: told.append(schedule))
    return notified, told


def test_the_workers_of_the_other_site_are_told_and_nothing_is_decided_here(far):
    Worker.objects.create(host="w", pid=1, site="west")
    assert around() == ([], [(far.pk, "west")]) and not Night.objects.exists()


def test_workers_of_the_site_start_a_night_once_and_ask_the_server(far, settings):
    settings.SITE = "west"
    asked, notified = [], []
    for _ in range(2):
        nights.look(far.pk, DUE, notified.append, lambda server: asked.append(server.name) or "")
    assert asked == ["far"] and notified == [Night.objects.get().experiment_id]


def test_a_schedule_that_was_paused_meanwhile_starts_no_night(far, settings):
    settings.SITE = "west"
    type(far).objects.update(paused_at=DUE)
    nights.look(far.pk, DUE, pytest.fail, pytest.fail)
    assert not Night.objects.exists()


@pytest.mark.parametrize("kind", ["attached", "sandbox"])
def test_without_a_worker_there_the_night_is_skipped_and_says_so(kind):
    server = made.attached("far", site="west") if kind == "attached" else made.sandbox()
    Server.objects.update(site="west")
    made.schedule(server)
    assert around() == ([], [])
    night = Night.objects.get()
    assert (night.state, night.experiment) == ("skipped", None)
    assert night.reason == "No worker is alive on site west; start one there: manage.py worker --site west"


def test_a_night_at_another_site_does_not_block_a_host_here(far):
    """127.0.0.1 there is another machine."""
    Server.objects.update(host="127.0.0.1")
    near = made.schedule(made.attached("near", host="127.0.0.1"), user=far.runs_as, name="near")
    Worker.objects.create(host="w", pid=1, site="west")
    assert nights.actions.begin(far, DUE, far.runs_as).state == "queued"
    notified, told = around()
    assert told == [(far.pk, "west")] and notified == [near.nights.get().experiment_id]
