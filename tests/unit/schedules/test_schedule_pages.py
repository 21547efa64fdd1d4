"""The pages of schedules: made, looked at, changed, run and refused in a browser's way."""

import re

import pytest
from django.utils import timezone

from dashboard.pages.schedules.forms import RecipeForm
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments import shelf
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import task_queue
from dashboard.records.schedules import actions, cron
from dashboard.records.schedules.models import Night, Schedule
from dashboard.records.servers.models import Server
from tests.unit.schedules import made
from tests.unit.schedules.made import DUE, watch

pytestmark = pytest.mark.django_db


@pytest.fixture
def dba(client):
    user = made.somebody()
    client.force_login(user)
    return user


@pytest.fixture(autouse=True)
def notified(monkeypatch):
    heard = []
    monkeypatch.setattr(task_queue, "send", lambda task, row_id, *_: heard.append((task, row_id)))
    return heard


def filled(server, **changes):
    return {
        "recipe": "what-does-safety-cost",
        "size": "quick",
        "servers": [server.pk],
        "name": "safety",
        "cron": "30 2 * * *",
        "zone": "Europe/Berlin",
        "ends_by": "",
        **changes,
    }


def text(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def test_a_recipe_is_scheduled(client, dba):
    server = made.sandbox()
    answer = client.post("/nights/new/", filled(server, ends_by="06:00"))
    one = Schedule.objects.get()
    assert answer.url == f"/nights/{one.pk}/"
    assert (one.recipe, one.recipe_size, one.runs_as, one.server_ids) == (
        "what-does-safety-cost", "quick", dba, [server.pk],
    )  # fmt: skip
    shown = text(client.get(answer.url))
    assert "At 02:30 every day" in shown and "06:00 Europe/Berlin" in shown
    assert shown.count("02:30 CE") == 5
    assert Event.objects.filter(did="scheduled", who=dba).exists()
    assert client.get("/nights/").status_code == 200


def test_the_plan_of_an_experiment_is_scheduled_from_its_result(client, dba):
    server = made.sandbox()
    source = actions.experiments.create(made.small_plan(server), dba)
    answer = client.get(f"/nights/of/{source.pk}/")
    assert "Repeats the plan of" in text(answer) and "recipe" not in answer.context["form"].fields
    client.post(f"/nights/of/{source.pk}/", {"name": "again", "cron": "0 3 * * *", "zone": "UTC", "ends_by": ""})
    one = Schedule.objects.get()
    assert one.as_plan() == made.small_plan(server) and one.recipe == ""
    made.ended(Night(experiment=source, experiment_id=source.pk))
    assert f"/nights/of/{source.pk}/" in text(client.get(f"/results/{source.pk}/"))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"cron": "61 2 * * *"}, "bad minute"),
        ({"cron": "* * * * *"}, "more often than every 15 minutes"),
        ({"zone": "Mars/Olympus"}, "not a time zone"),
        ({"ends_by": "25:00"}, "valid time"),
        ({"servers": []}, "Choose a server"),
        ({"recipe": "nothing"}, "not one of the available choices"),
        ({"ends_by": "02:31"}, "the window leaves 1 min"),
        ({"name": ""}, "required"),
        ({"cron": ""}, "required"),
    ],
)
def test_an_invalid_schedule_is_refused_with_the_reason(client, dba, changes, says):
    answer = client.post("/nights/new/", filled(made.sandbox(), **changes))
    assert answer.status_code == 422 and says in text(answer)
    assert not Schedule.objects.exists()


def test_two_schedules_have_two_names(client, dba):
    made.schedule(user=dba, name="safety")
    answer = client.post("/nights/new/", filled(made.sandbox("other")))
    assert "Another schedule has this name" in text(answer)


def test_a_plan_that_cannot_run_is_refused(client, dba):
    server = made.attached(owner=None)
    answer = client.post("/nights/new/", filled(server, recipe="who-agrees-after-a-crash"))
    assert answer.status_code == 422 and not Schedule.objects.exists()


def test_the_preview_echoes_and_names_the_next_five(client, dba):
    shown = text(client.post("/nights/preview/", filled(made.sandbox())))
    assert "At 02:30 every day" in shown and shown.count("<li>") == 5 and "Each run takes about" in shown
    assert "bad hour" in text(client.post("/nights/preview/", filled(made.sandbox("b"), cron="0 25 * * *")))
    assert client.post("/nights/preview/", {}).status_code == 200
    garbage = {"cron": "0 2 * * *", "zone": "x", "of_schedule": "9" * 30, "of_experiment": "1" * 5000, "ends_by": "zz"}
    assert client.post("/nights/preview/", garbage).status_code == 200


def test_the_preview_names_a_time_zone_that_does_not_exist(client, dba):
    times = {"cron": "0 2 * * *", "zone": "Mars/X", "name": "a"}
    for address in ("/nights/preview/", f"/nights/{made.schedule(user=dba).pk}/edit/"):
        shown = text(client.post(address, times))
        assert "not a valid time yet:</p><p>Mars/X is not a time zone." in shown and "next five" not in shown


def test_nights_are_rows_with_finding_link_and_reason(client, dba):
    one = made.schedule(made.sandbox(), dba, ends_by=None)
    watch(DUE)
    night = Night.objects.get()
    made.ended(night, finding="0/0 is 6.1 times as fast", started_at=DUE, ended_at=DUE + timezone.timedelta(minutes=9))
    Night.objects.create(schedule=one, due_at=DUE + made.DAY, state="skipped", reason="The server's host was busy: x.")
    Night.objects.create(schedule=one, due_at=DUE + 2 * made.DAY, state="missed", reason="Nobody started it.")
    shown = text(client.get(f"/nights/{one.pk}/"))
    for part in ("6.1 times as fast", f"/experiments/{night.experiment_id}/", "9 min", "skipped", "busy: x.", "missed"):
        assert part in shown


def test_a_schedule_that_nobody_checks_is_shown_as_overdue(client, dba):
    one = made.schedule(user=dba, looked_at=timezone.now() - 3 * made.DAY)
    assert "Overdue since" in text(client.get(f"/nights/{one.pk}/"))
    assert "overdue" in text(client.get("/nights/"))
    actions.pause(dba, one)
    assert "Overdue since" not in text(client.get(f"/nights/{one.pk}/"))


def test_a_schedule_on_a_server_whose_key_nobody_confirmed_says_so(client, dba):
    server = made.attached()
    page = f"/nights/{made.schedule(server, dba).pk}/"
    assert "Nobody has confirmed" not in text(client.get(page))
    Server.objects.update(any_key=True)
    assert f"Nobody has confirmed the key of {server}" in text(client.get(page))


def test_run_now_starts_one_and_only_one(client, dba, notified):
    one = made.schedule(user=dba)
    answer = client.post(f"/nights/{one.pk}/run/")
    night = Night.objects.get()
    assert answer.url == f"/experiments/{night.experiment_id}/"
    assert (night.asked_by, night.must_end_at) == (dba, None)
    assert notified == [(task_queue.EXPERIMENT, night.experiment_id)]
    again = client.post(f"/nights/{one.pk}/run/", follow=True)
    assert "is under way" in text(again) and Experiment.objects.count() == 1


def test_run_now_asks_the_rights_of_who_asks(client):
    boss = made.somebody("boss", Role.ADMINISTRATOR)
    server = made.attached(label="production", owner=boss)
    one = made.schedule(server, boss)
    client.force_login(made.somebody())
    assert "is not confirmed. Ask its owner" in text(client.post(f"/nights/{one.pk}/run/", follow=True))
    assert client.post(f"/nights/{one.pk}/confirm/").status_code == 403
    assert not Experiment.objects.exists() and not Night.objects.exists()


def test_production_is_confirmed_on_the_page(client, dba):
    one = made.schedule(made.attached(label="production", owner=dba), dba)
    assert "is labelled production." in text(client.get(f"/nights/{one.pk}/"))
    assert "not confirmed" in text(client.get("/nights/"))
    shown = text(client.post(f"/nights/{one.pk}/confirm/", follow=True))
    assert "was confirmed by dba" in shown
    assert "is labelled production." in text(client.post(f"/nights/{one.pk}/withdraw/", follow=True))
    assert list(Event.objects.values_list("did", flat=True))[:2] == ["withdrew nights", "confirmed nights"]


def test_a_schedule_is_paused_changed_and_deleted(client, dba):
    one = made.schedule(user=dba)
    assert "Resume" in text(client.post(f"/nights/{one.pk}/pause/", follow=True))
    assert "Pause" in text(client.post(f"/nights/{one.pk}/resume/", follow=True))
    form = {"name": "later", "cron": "0 4 * * 1-5", "zone": "UTC", "ends_by": "07:30"}
    shown = text(client.post(f"/nights/{one.pk}/edit/", form, follow=True))
    assert "At 04:00 on Monday through Friday" in shown and "07:30 UTC" in shown
    assert client.get(f"/nights/{one.pk}/edit/").status_code == 200
    assert client.post(f"/nights/{one.pk}/delete/").url == "/nights/"
    assert not Schedule.objects.exists()


def test_a_viewer_sees_and_changes_nothing(client):
    one = made.schedule()
    client.force_login(made.somebody("guest", Role.VIEWER))
    shown = text(client.get(f"/nights/{one.pk}/"))
    assert "Run now" not in shown and "New schedule" not in text(client.get("/nights/"))


def test_a_zone_that_is_no_more_breaks_no_page(client, dba):
    one = made.schedule(user=dba, zone="Atlantis/City")
    for address in ("/nights/", f"/nights/{one.pk}/"):
        assert "not a time zone" in text(client.get(address))


def test_every_zone_offered_can_be_used():
    assert len(cron.zones()) > 400
    for zone in cron.zones():
        assert next(cron.runs("30 2 * * *", zone, DUE)) > DUE


def test_a_plan_of_another_version_breaks_no_page(client, dba):
    server = made.sandbox()
    one = made.schedule(server, dba)
    Schedule.objects.update(plan={"targets": [{"server_id": server.pk, "name": "box"}], "odd": 1})
    assert client.get(f"/nights/{one.pk}/").status_code == 200
    form = {"name": "later", "cron": "0 4 * * *", "zone": "UTC", "ends_by": ""}
    assert "This version does not know odd of the plan" in text(client.post(f"/nights/{one.pk}/edit/", form))
    watch(DUE)
    assert not Night.objects.exists(), "a newer worker may know the plan: it is left to the next round"
    watch(DUE + timezone.timedelta(hours=1))
    assert Night.objects.get().state == "missed"
    source = Experiment.objects.create(name="old", plan={"odd": 1}, seed=1)
    assert client.get(f"/nights/of/{source.pk}/").url == f"/experiments/{source.pk}/"


def test_a_plan_whose_servers_are_unknown_here_is_refused(client, dba):
    server = made.sandbox()
    source = Experiment.objects.create(name="imported", plan=made.small_plan(server).as_dict(), seed=1)
    server.delete()
    answer = client.post(f"/nights/of/{source.pk}/", {"name": "x", "cron": "0 4 * * *", "zone": "UTC", "ends_by": ""})
    assert answer.status_code == 422 and "is not registered here" in text(answer)


def test_a_new_schedule_begins_with_the_question_that_most_people_ask():
    """The first recipe of the alphabet is about the figure of one article."""
    form = RecipeForm()
    assert next(iter(form.fields["recipe"].choices))[0] == form.fields["recipe"].initial == "what-does-safety-cost"
    assert len(list(form.fields["recipe"].choices)) == len(shelf.shelf().recipes)
