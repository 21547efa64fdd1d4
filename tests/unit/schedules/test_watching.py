"""The round: what starts, what does not and why, with a clock that tests set."""

from datetime import time, timedelta

import pytest
from django.contrib.auth.models import User

from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed
from dashboard.records.audit.models import Event
from dashboard.records.experiments import leases, lifecycle
from dashboard.records.experiments.actions import queue_unfinished
from dashboard.records.experiments.models import Experiment
from dashboard.records.schedules import actions, cron, nights, queries
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.servers.models import Server
from tests.unit.conducting import experiments as make
from tests.unit.schedules import made
from tests.unit.schedules.made import DAY, DUE, EVENING, MINUTE, watch

pytestmark = pytest.mark.django_db


def only_night():
    return Night.objects.select_related("experiment").get()


def test_no_night_starts_before_its_time():
    made.schedule()
    assert watch(DUE - MINUTE) == [] and not Night.objects.exists()


def test_a_schedule_starts_once_at_its_time():
    one = made.schedule()
    notified = watch(DUE + timedelta(seconds=20))
    night = only_night()
    assert notified == [night.experiment_id]
    assert (night.due_at, night.state) == (DUE, "started")
    assert night.experiment.name == "nightly, 2026-06-11 02:30"
    assert night.experiment.created_by == one.runs_as
    assert night.experiment.cells.count() == made.small_plan(Server.objects.get()).size
    assert watch(DUE + timedelta(seconds=80)) == [] and Night.objects.count() == 1
    assert Event.objects.filter(did="started night", what="nightly", who=None).exists()


def test_each_night_has_an_order_of_its_own():
    made.schedule()
    for day in (DUE, DUE + DAY):
        watch(day)
        made.ended(Night.objects.get(due_at=day))
    seeds = set(Experiment.objects.values_list("seed", flat=True))
    assert len(seeds) == 2


def test_a_night_that_nobody_started_is_missed_and_shown():
    one = made.schedule()
    back = DUE + 2 * DAY + timedelta(hours=1)
    assert queries.overdue(one, back) == DUE
    assert watch(back) == []
    missed = Night.objects.order_by("due_at")
    assert [(night.due_at, night.state) for night in missed] == [(DUE + day * DAY, "missed") for day in range(3)]
    assert "was down" in missed[0].reason
    one.refresh_from_db()
    assert queries.overdue(one, back) is None


def test_a_check_within_the_grace_period_starts_the_night():
    made.schedule()
    assert len(watch(DUE + queries.GRACE)) == 1


def test_a_clock_that_was_ahead_does_not_silence_a_schedule():
    one = made.schedule(looked_at=DUE + 400 * DAY)
    watch(EVENING)
    one.refresh_from_db()
    assert one.looked_at == EVENING
    assert len(watch(DUE)) == 1


def test_a_paused_schedule_starts_nothing_and_misses_nothing(monkeypatch):
    one = made.schedule()
    actions.pause(one.runs_as, one)
    assert watch(DUE) == []
    monkeypatch.setattr(actions.timezone, "now", lambda: DUE + timedelta(hours=5))
    actions.resume(one.runs_as, one)
    watch(DUE + timedelta(hours=6))
    assert not Night.objects.exists()
    assert len(watch(DUE + DAY)) == 1


def test_a_server_in_use_is_skipped_with_what_uses_it():
    server = made.attached()
    made.schedule(server)
    other = make.experiment(server)
    lifecycle.begin(other.pk, make.worker(), leases.hosts_of(server))
    assert watch(DUE) == []
    night = only_night()
    assert night.state == "skipped" and f"{other} was running there" in night.reason


def test_another_name_of_the_same_host_is_in_use_too_also_while_it_waits():
    made.schedule(made.attached("db1"))
    make.experiment(made.attached("db2"))
    watch(DUE)
    assert "was queued there" in only_night().reason


def test_another_host_is_none_of_its_business():
    made.schedule(made.attached("db1"))
    make.experiment(made.attached("db2", host="192.0.2.8"))
    assert len(watch(DUE)) == 1


def test_a_server_that_does_not_answer_is_skipped_with_the_reason():
    made.schedule(made.attached())
    assert watch(DUE, reach=lambda server: "Connection refused.") == []
    night = only_night()
    assert (night.state, night.reason) == ("skipped", "db1 cannot be reached: Connection refused.")


def test_a_night_that_does_not_fit_the_window_is_refused_with_the_reason():
    made.schedule(ends_by=time(2, 31))
    assert watch(DUE) == []
    night = only_night()
    assert night.state == "refused"
    assert "takes about" in night.reason and "the window leaves 1 min" in night.reason


def test_after_a_long_outage_one_due_time_is_enough_to_know_that_a_schedule_is_late(monkeypatch):
    """The page of schedules and each round ask this of every schedule."""
    one, computed, runs = made.schedule(cron="*/15 * * * *"), [], cron.runs
    monkeypatch.setattr(cron, "runs", lambda *asked: (computed.append(due) or due for due in runs(*asked)))
    assert queries.overdue(one, EVENING + 365 * DAY) == EVENING + 15 * MINUTE
    assert nights._needs_a_look(one, EVENING + 365 * DAY)
    assert len(computed) == 2


def test_a_night_within_its_window_is_not_cancelled():
    made.schedule(ends_by=time(6))
    watch(DUE)
    watch(DUE + timedelta(hours=3))
    assert not only_night().experiment.cancel_asked


def test_at_the_end_of_the_window_what_runs_is_asked_to_stop():
    server = made.sandbox()
    made.schedule(server, ends_by=time(6))
    (started,) = watch(DUE)
    lifecycle.begin(started, make.worker(), leases.hosts_of(server))
    watch(DUE + timedelta(hours=3, minutes=30))
    night = only_night()
    assert night.experiment.cancel_asked and night.experiment.state == "running", "its worker ends it, cleanly"
    assert "not finished when its window ended, Thu 11 Jun 2026, 06:00 UTC" in night.reason
    assert night.closed_at is None


def test_at_the_end_of_the_window_what_waits_is_cancelled():
    made.schedule(ends_by=time(6))
    watch(DUE)
    watch(DUE + timedelta(hours=4))
    night = only_night()
    assert night.experiment.state == "cancelled" and night.closed_at
    assert "No worker had begun it" in night.reason


@pytest.mark.parametrize("state", ["done", "failed"])
def test_a_run_that_ends_just_before_the_round_cancels_it_is_not_called_cancelled(monkeypatch, state):
    server = made.sandbox()
    made.schedule(server, ends_by=time(6))
    (started,) = watch(DUE)
    lifecycle.begin(started, make.worker(), leases.hosts_of(server))
    cancel = nights.experiments.cancel

    def ends_first(experiment, user):
        made.ended(only_night(), state)
        cancel(experiment, user)

    monkeypatch.setattr(nights.experiments, "cancel", ends_first)
    watch(DUE + timedelta(hours=4))
    night = only_night()
    assert (night.experiment.state, night.reason) == (state, "") and night.closed_at


def test_an_experiment_that_a_person_resumed_is_not_cancelled_by_the_window():
    one = made.schedule(ends_by=time(6))
    watch(DUE)
    watch(DUE + timedelta(hours=4))
    queue_unfinished(only_night().experiment)
    watch(DUE + timedelta(hours=9))
    assert only_night().experiment.state == "queued" and one.nights.count() == 1


def test_production_is_left_alone_until_somebody_who_may_confirms():
    boss, dba = made.somebody("boss", Role.ADMINISTRATOR), made.somebody()
    one = made.schedule(made.attached(label="production", owner=boss), dba)
    watch(DUE)
    night = only_night()
    assert night.state == "refused" and "is not confirmed. Ask its owner" in night.reason
    with pytest.raises(NotAllowed):
        actions.confirm(dba, one)
    actions.confirm(boss, one)
    assert len(watch(DUE + DAY)) == 1
    assert Experiment.objects.get().production_confirmed


@pytest.mark.parametrize("lost", ["role", "owner", "withdrawn", "times", "another server"])
def test_a_confirmation_ends_with_what_it_rests_on(lost):
    dba = made.somebody()
    server = made.attached(label="production", owner=dba)
    one = made.schedule(server, dba)
    actions.confirm(dba, one)
    one.refresh_from_db()
    assert queries.unconfirmed(one) == ""
    if lost == "role":
        Person.objects.filter(user=dba).update(role=Role.VIEWER)
    elif lost == "owner":
        Server.objects.update(owner=None)
    elif lost == "withdrawn":
        actions.withdraw(dba, one)
    elif lost == "times":
        actions.change(dba, one, actions.When("nightly", "30 14 * * *", "UTC", None))
    else:
        Schedule.objects.update(confirmed_servers=[server.pk + 1])
    assert queries.unconfirmed(Schedule.objects.get()) == "db1"


def test_another_name_alone_ends_no_confirmation():
    dba = made.somebody()
    one = made.schedule(made.attached(label="production", owner=dba), dba)
    actions.confirm(dba, one)
    actions.change(dba, one, actions.When("other", one.cron, one.zone, None))
    assert queries.unconfirmed(Schedule.objects.get()) == ""


def test_a_schedule_runs_with_the_rights_that_its_maker_has_now():
    one = made.schedule()
    User.objects.filter(pk=one.runs_as_id).update(is_active=False)
    watch(DUE)
    night = only_night()
    assert night.state == "refused" and "you must be an operator" in night.reason


def test_a_schedule_runs_with_the_rights_of_the_person_who_changed_it_last():
    one, other = made.schedule(), made.somebody("other")
    actions.change(other, one, actions.When("nightly", "0 3 * * *", "UTC", None))
    one.refresh_from_db()
    assert one.runs_as == other and one.looked_at > EVENING


def test_a_server_that_was_deleted_is_said():
    made.schedule()
    Server.objects.all().delete()
    watch(DUE)
    assert "was deleted" in only_night().reason


def test_a_schedule_that_breaks_does_not_keep_the_others_waiting(caplog):
    made.schedule(name="a", zone="Atlantis/City")
    made.schedule(made.sandbox("box2"), made.somebody("two"), name="b")
    assert len(watch(DUE)) == 1
    assert "Atlantis" in caplog.text


def test_a_night_whose_start_fails_is_tried_again_and_then_missed(monkeypatch, caplog):
    made.schedule()
    real = actions.begin

    def broken(*_, **__):
        raise RuntimeError("no luck")

    monkeypatch.setattr(actions, "begin", broken)
    watch(DUE)
    assert not Night.objects.exists() and "no luck" in caplog.text
    monkeypatch.setattr(actions, "begin", real)
    assert len(watch(DUE + MINUTE)) == 1
    monkeypatch.setattr(actions, "begin", broken)
    made.ended(only_night())
    watch(DUE + DAY)
    watch(DUE + DAY + timedelta(minutes=11))
    assert Night.objects.get(due_at=DUE + DAY).state == "missed"


def test_a_night_without_its_experiment_is_no_night(monkeypatch):
    one = made.schedule()

    def broken(*_, **__):
        raise RuntimeError("power loss")

    monkeypatch.setattr(actions.experiments, "create", broken)
    with pytest.raises(RuntimeError):
        actions.begin(one, DUE, one.runs_as)
    assert not Night.objects.exists() and not Experiment.objects.exists()
