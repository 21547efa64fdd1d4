"""Schedules by script: made, read, changed, paused, run and deleted, as on their pages."""

import json

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import task_queue
from dashboard.records.schedules.models import Night, Schedule
from tests.unit.api.tokens import script, somebody
from tests.unit.schedules import made
from tests.unit.schedules.made import DUE, watch
from workers.bench.plan import CrashPlan, Variant

pytestmark = pytest.mark.django_db
HERE = "/api/v1/schedules"


@pytest.fixture(autouse=True)
def notified(monkeypatch):
    heard = []
    monkeypatch.setattr(task_queue, "send", lambda task, pk, *_: heard.append(pk))
    return heard


@pytest.fixture
def maria(db):
    return script(somebody(Role.OPERATOR, "maria"))


@pytest.fixture
def one(db):
    return made.schedule()


def send(client, method, path="", body=None, **headers):
    return getattr(client, method)(f"{HERE}{path}", json.dumps(body or {}), "application/json", headers=headers)


def wanted(server, **changes):
    known = {"name": "each night", "cron": "30 2 * * *", "zone": "Europe/Berlin", "recipe": "group-commit"}
    return {**known, "servers": [server.pk], "set": {"threads": "1", "repeats": "1"}, **changes}


def test_a_schedule_made_by_script_is_shown_on_its_page(maria, client_in, notified):
    answer = send(maria, "post", body=wanted(made.sandbox(), ends_by="23:30"))
    assert answer.status_code == 201, answer.content
    one = Schedule.objects.get()
    told = answer.json()
    assert answer["Location"] == f"{HERE}/{one.pk}" and told == maria.get(f"{HERE}/{one.pk}").json()
    assert (told["runs_as"], told["ends_by"], told["recipe"]) == ("maria", "23:30", "group-commit")
    assert told["plan"]["threads"] == [1] and len(told["next"]) == 5 and told["problem"] == ""
    assert notified == [] and not Experiment.objects.exists(), "nothing is started now"
    assert "each night" in client_in.get(reverse("schedules:list")).content.decode()


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"cron": "* * * * *"}, "/cron"),
        ({"cron": "never"}, "/cron"),
        ({"zone": "Mars/Base"}, "/zone"),
        ({"name": ""}, "/name"),
        ({"ends_by": "25:00"}, "/ends_by"),
        ({"typo": 1}, "/typo"),
    ],
)
def test_a_wrong_value_is_refused_with_a_pointer_to_its_field(maria, change, pointer):
    answer = send(maria, "post", body=wanted(made.sandbox(), **change))
    assert answer.status_code == 422
    assert pointer in {error["pointer"] for error in answer.json()["errors"]}
    assert not Schedule.objects.exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"servers": [4711]}, "There is no server 4711"),
        ({"recipe": "none"}, "There is no recipe"),
        ({"ends_by": "02:31", "set": {"measure_s": "600"}}, "the window leaves 1 min"),
    ],
)
def test_a_schedule_that_could_never_run_is_refused_with_the_reason(maria, change, why):
    answer = send(maria, "post", body=wanted(made.sandbox(), **change))
    assert answer.status_code == 422 and why in answer.json()["detail"], answer.content
    assert not Schedule.objects.exists()


def test_a_name_is_given_once(maria, one):
    answer = send(maria, "post", body=wanted(made.sandbox("other"), name=one.name))
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/name"]


def test_schedules_are_listed(maria, one):
    listed = maria.get(HERE).json()
    assert listed["count"] == 1 and listed["items"][0]["name"] == "nightly" and "plan" not in listed["items"][0]
    assert listed["items"][0]["overdue"] is not None, "nobody looked since the evening of the tests"


def test_only_the_part_that_is_asked_for_is_read(maria, django_assert_num_queries):
    server, dba = made.sandbox(), made.somebody()
    for n in range(5):
        made.schedule(server, dba, name=f"nightly {n}")
    maria.get(HERE)  # the first use of a token is written down
    with CaptureQueriesContext(connection) as asked:
        told = maria.get(HERE, {"limit": 2, "offset": 1}).json()
    assert ([one["name"] for one in told["items"]], told["count"]) == (["nightly 1", "nightly 2"], 5)
    for n in range(40):
        made.schedule(server, dba, name=f"other {n:02}")
    with django_assert_num_queries(len(asked)):
        again = maria.get(HERE, {"limit": 2, "offset": 43}).json()
    assert ([one["name"] for one in again["items"]], again["count"]) == (["other 38", "other 39"], 45)


def test_an_unchanged_schedule_is_answered_with_304(maria, one):
    Schedule.objects.update(cron="0 0 29 2 *", looked_at="2999-01-01T00:00Z")  # times that stay while the test runs
    first = maria.get(f"{HERE}/{one.pk}")
    same = maria.get(f"{HERE}/{one.pk}", headers={"If-None-Match": first["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    send(maria, "post", f"/{one.pk}/pause")
    assert maria.get(f"{HERE}/{one.pk}", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_fields_left_out_of_a_change_keep_their_values(maria, one):
    Schedule.objects.update(ends_by="06:00")
    assert send(maria, "patch", f"/{one.pk}", {"cron": "0 3 * * *"}).json()["ends_by"] == "06:00"
    told = send(maria, "patch", f"/{one.pk}", {"ends_by": None}).json()
    assert (told["cron"], told["ends_by"], told["name"], told["runs_as"]) == ("0 3 * * *", None, "nightly", "maria")
    assert send(maria, "patch", f"/{one.pk}", {"cron": "no"}).status_code == 422
    assert Schedule.objects.get().cron == "0 3 * * *"


def test_a_schedule_is_paused_and_resumed(maria, one):
    assert send(maria, "post", f"/{one.pk}/pause").json()["paused_at"]
    assert watch(DUE) == []
    assert send(maria, "post", f"/{one.pk}/resume").json()["paused_at"] is None


def test_run_now_starts_once_under_one_key(maria, one, notified):
    first = send(maria, "post", f"/{one.pk}/run", **{"Idempotency-Key": "k"})
    again = send(maria, "post", f"/{one.pk}/run", **{"Idempotency-Key": "k"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json() and notified == [first.json()["experiment_id"]]
    assert (first.json()["asked_by"], first.json()["experiment_state"]) == ("maria", "queued")
    refused = send(maria, "post", f"/{one.pk}/run")
    assert refused.status_code == 409 and "is under way" in refused.json()["detail"]
    assert (Night.objects.count(), Experiment.objects.count()) == (1, 1)
    assert maria.get(f"{HERE}/{one.pk}").json()["under_way"] == first.json()["experiment_id"]


def test_a_refused_run_leaves_no_night_and_its_key_free(maria, one, monkeypatch):
    from dashboard.records.schedules import actions

    create = actions.experiments.create
    monkeypatch.setattr(actions.experiments, "create", lambda *_, **__: (_ for _ in ()).throw(IntegrityError("x")))
    assert send(maria, "post", f"/{one.pk}/run", **{"Idempotency-Key": "k"}).status_code == 409
    assert not Night.objects.exists()
    monkeypatch.setattr(actions.experiments, "create", create)
    assert send(maria, "post", f"/{one.pk}/run", **{"Idempotency-Key": "k"}).status_code == 201


def test_without_a_message_queue_it_is_stored_and_says_so(maria, one, monkeypatch):
    def silent(*_):
        raise task_queue.QueueDown

    monkeypatch.setattr(task_queue, "send", silent)
    answer = send(maria, "post", f"/{one.pk}/run")
    assert answer.status_code == 201 and "Redis" in answer.json()["notice"]


def test_a_token_that_may_schedule_may_not_run_at_once(one):
    client = script(somebody(Role.OPERATOR, "maria"), "schedule")
    answer = send(client, "post", f"/{one.pk}/run")
    assert answer.status_code == 403 and "needs the scope run" in answer.json()["detail"]
    assert not Night.objects.exists()


def test_a_token_that_may_not_crash_schedules_no_crashes(admin):
    server = made.attached(owner=admin, expendable=True, crash_command=["off"], start_command=["on"])
    plan = made.small_plan(
        server, variants=(Variant("as is", {}),), crash=CrashPlan(("attached-expendable",), 1)
    ).as_dict()
    own = {name: value for name, value in plan.items() if name != "targets"}
    body = {**wanted(server, recipe="", plan=own)}
    del body["set"]
    refused = send(script(admin, "schedule", "run"), "post", body=body)
    assert refused.status_code == 422 and "needs the scope crash" in refused.content.decode()
    answer = send(script(admin, "schedule", "crash"), "post", body=body)
    assert answer.status_code == 201, answer.content


def test_nights_are_listed_newest_first(maria, one):
    watch(DUE)
    made.ended(Night.objects.get())
    watch(DUE + 3 * made.DAY)
    told = maria.get(f"{HERE}/{one.pk}/nights").json()
    assert [night["state"] for night in told["items"]] == ["started", "missed", "missed", "started"]
    assert told["items"][-1]["experiment_state"] == "done"
    assert maria.get(f"{HERE}/{one.pk}/nights", {"state": "missed"}).json()["count"] == 2


def test_production_is_confirmed_by_its_owner(maria, admin):
    boss = script(admin)
    one = made.schedule(made.attached(label="production", owner=admin))
    assert maria.get(f"{HERE}/{one.pk}").json()["unconfirmed"] == "db1"
    assert send(maria, "post", f"/{one.pk}/confirm").status_code == 403
    assert send(boss, "post", f"/{one.pk}/confirm").json()["unconfirmed"] == ""
    assert send(maria, "post", f"/{one.pk}/withdraw").json()["unconfirmed"] == "db1"


def test_a_deleted_schedule_leaves_its_experiments(maria, one):
    watch(DUE)
    assert maria.delete(f"{HERE}/{one.pk}").status_code == 204
    assert not Schedule.objects.exists() and Experiment.objects.count() == 1
    assert Event.objects.get(did="deleted schedule").detail["via"].startswith("token")


def test_a_zone_that_is_no_more_is_said_and_breaks_no_list(maria, one):
    Schedule.objects.update(zone="Atlantis/City")
    told = maria.get(HERE).json()["items"][0]
    assert told["next"] == [] and "Atlantis" in told["problem"]
