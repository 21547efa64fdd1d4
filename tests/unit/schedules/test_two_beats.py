"""Two beats at once, as threads with connections of their own: nothing starts twice."""

import threading

import pytest
from django.db import connection

from dashboard.installation import vault
from dashboard.records.experiments.models import Experiment
from dashboard.records.notifications.models import Channel, Delivery
from dashboard.records.schedules import nights
from dashboard.records.schedules.models import Night, Schedule
from tests.unit.schedules import made
from tests.unit.schedules.made import DAY, DUE

pytestmark = pytest.mark.django_db(transaction=True)
BEATS = 4


def at_once(now, reach):
    notified, start = [], threading.Barrier(BEATS)

    def beat():
        try:
            start.wait(60)
            nights.watch(now, notified.append, reach)
        finally:
            connection.close()

    beats = [threading.Thread(target=beat) for _ in range(BEATS)]
    for one in beats:
        one.start()
    for one in beats:
        one.join(120)
    return notified


def test_two_beats_start_nothing_twice():
    made.schedule(made.attached())
    all_have_asked = threading.Barrier(BEATS)

    def reach(_server):
        """Everybody finds the night free, and only then goes on to take it."""
        all_have_asked.wait(60)
        return ""

    notified = at_once(DUE, reach)
    night = Night.objects.get()
    assert notified == [night.experiment_id]
    assert Experiment.objects.count() == 1
    assert Experiment.objects.get().cells.count() == 12


def test_two_beats_tell_nothing_twice():
    made.schedule(made.attached())
    Channel.objects.create(
        name="mail", kind="email", events=["night_missed"], shown="a@example.org", address_sealed=vault.seal("a@b.org")
    )
    asked = threading.Barrier(BEATS)

    def reach(_server):
        asked.wait(60)
        return "No answer."

    assert at_once(DUE, reach) == []
    assert (Night.objects.count(), Delivery.objects.count()) == (1, 1)
    Schedule.objects.update(looked_at=DUE)
    at_once(DUE + 3 * DAY - DAY / 24, reach)
    assert Night.objects.filter(state="missed").count() == 2
    assert Delivery.objects.count() == 2, "the missed ones are told together, once"
