"""Which nights somebody is told of, and what of them."""

from datetime import time, timedelta

import pytest

from dashboard.installation import vault
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.notifications.events import EVENTS
from dashboard.records.notifications.models import Channel, Delivery
from dashboard.records.schedules import actions
from dashboard.records.schedules.models import Night
from tests.unit.schedules import made
from tests.unit.schedules.made import DAY, DUE, MINUTE, watch

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def channel():
    """Wants everything."""
    return Channel.objects.create(
        name="all", kind="email", events=list(EVENTS), address_sealed=vault.seal("a@example.org"), shown="a@example.org"
    )


def told():
    return [(one.event, one.title, one.text, one.path) for one in Delivery.objects.order_by("pk")]


def one_night(day=DUE, state="done", verdicts=(), **fields):
    """A night that ran and is over, with trials as (verdict, variant, kind)."""
    watch(day)
    night = Night.objects.get(due_at=day)
    for verdict in verdicts:
        made.trial(night, *verdict)
    made.ended(night, state, **fields)
    watch(day + MINUTE)
    return Night.objects.get(due_at=day)


def test_a_night_that_went_well_is_no_news():
    made.schedule()
    assert one_night().closed_at == DUE + MINUTE
    assert told() == []


@pytest.mark.parametrize("state", ["failed", "interrupted"])
def test_a_night_that_failed_is_told_once_with_the_reason_and_its_page(state):
    made.schedule()
    night = one_night(state=state, error="The server is gone.", fix="Start it.")
    watch(DUE + 2 * MINUTE)
    title = f"nightly, Thu 11 Jun 2026, 02:30 UTC: {state}"
    page = f"/experiments/{night.experiment_id}/"
    assert told() == [("night_failed", title, "The server is gone. Start it.", page)]


def test_a_night_that_a_person_cancelled_is_not_notified():
    made.schedule()
    one_night(state="cancelled", error="Cancelled.")
    assert told() == []


def test_a_night_that_its_window_cancelled_is_notified():
    made.schedule(ends_by=time(6))
    watch(DUE)
    watch(DUE + timedelta(hours=4))
    ((event, title, text, _),) = told()
    assert event == "night_failed" and "cancelled" in title and "when its window ended" in text


def test_a_night_that_was_skipped_or_refused_is_told_with_the_schedule_s_page():
    one = made.schedule(made.attached())
    watch(DUE, reach=lambda server: "No route to host.")
    actions.change(one.runs_as, one, actions.When("nightly", one.cron, "UTC", None))
    one.looked_at, one.ends_by = DUE, time(2, 31)
    one.save()
    watch(DUE + DAY)
    (skipped, refused) = told()
    assert skipped[0] == "night_missed" and "No route to host." in skipped[2]
    assert refused[0] == "night_failed" and "the window leaves" in refused[2]
    assert skipped[3] == refused[3] == f"/nights/{one.pk}/"


def test_many_missed_nights_are_told_together():
    made.schedule()
    watch(DUE + 6 * DAY + timedelta(hours=1))
    ((event, title, text, _),) = told()
    assert (event, title) == ("night_missed", "nightly: 7 runs were missed")
    assert "Wed 17 Jun 2026, 02:30 UTC and 4 before" in text


def test_a_verdict_that_turned_invalid_is_told():
    made.schedule()
    one_night(verdicts=[("valid",), ("valid", "0/0"), ("valid", "0/0", "process-kill")])
    night = one_night(DUE + DAY, verdicts=[("valid",), ("invalid", "0/0"), ("invalid", "0/0"), ("unknown", "1/1")])
    ((event, _, text, page),) = told()
    assert event == "verdict_invalid" and page == f"/experiments/{night.experiment_id}/"
    assert text.count("nothing lost before, another failure now.") == 1 and text.startswith("0/0 on box")
    turned = Delivery.objects.get().facts["turned"]
    assert turned == [{"server": "box", "variant": "0/0", "kind": "power-loss"}]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [(["met", "unclear", "missed", "missed", "", "met", "missed"], [2, 6]), (["unclear", "missed", "missed"], [1])],
)
def test_a_service_level_that_is_missed_is_told_once_also_if_no_run_met_it_before(levels, expected):
    made.schedule()
    for day, level in enumerate(levels):
        one_night(DUE + day * DAY, level=level, finding=f"night {day}")
    assert [(event, text) for event, _, text, _ in told()] == [("level_missed", f"night {day}") for day in expected]


def test_a_repeated_trial_turns_no_verdict():
    """Somebody picked it, and repeats a trial until it fails."""
    made.schedule()
    first = one_night(verdicts=[("valid",)])
    watch(DUE + DAY)
    night = Night.objects.get(due_at=DUE + DAY)
    again = made.trial(night, "invalid")
    Trial.objects.filter(pk=again.pk).update(repeat_of=first.experiment.trials.get())
    made.ended(night, "done")
    watch(DUE + DAY + MINUTE)
    assert told() == []


def test_a_verdict_that_stays_invalid_is_no_news_and_one_that_turned_valid_neither():
    made.schedule()
    one_night(verdicts=[("invalid",), ("valid",), ("invalid", "0/0")])
    one_night(DUE + DAY, verdicts=[("invalid",), ("valid", "0/0")])
    assert told() == []


def test_the_first_verdict_turned_from_nothing():
    made.schedule()
    one_night(verdicts=[("invalid",)])
    assert told() == []


def test_a_night_between_that_could_not_tell_hides_no_turn():
    made.schedule()
    one_night(verdicts=[("valid",)])
    one_night(DUE + DAY, verdicts=[("unknown",)])
    one_night(DUE + 2 * DAY, verdicts=[("invalid",)])
    assert [event for event, *_ in told()] == ["verdict_invalid"]
    one_night(DUE + 3 * DAY, verdicts=[("invalid",)])
    assert len(told()) == 1


def test_nights_are_not_compared_across_schedules():
    made.schedule()
    one_night(verdicts=[("valid",)])
    Night.objects.all().delete()
    one_night(DUE + DAY, verdicts=[("invalid",)])
    assert told() == [] and Trial.objects.count() == 2


def test_a_night_whose_experiment_was_deleted_is_closed_without_news():
    made.schedule()
    watch(DUE)
    Experiment.objects.all().delete()
    watch(DUE + MINUTE)
    assert Night.objects.get().closed_at and told() == []
