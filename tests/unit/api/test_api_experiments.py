"""An experiment by script: started once, watched, cancelled, resumed, read."""

import json
import threading

import pytest
from django.db import connection

from dashboard.records.accounts.role import Role
from dashboard.records.api.models import StartKey
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import task_queue
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import client_of, script, somebody, token_of
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db
START = "/api/v1/experiments"


@pytest.fixture(autouse=True)
def notified(monkeypatch):
    """The experiments that workers were notified of."""
    heard = []
    monkeypatch.setattr(task_queue, "send", lambda task, pk, *_: heard.append(pk))
    return heard


@pytest.fixture
def server(db):
    return Server.objects.create(name="box", kind="sandbox", build="system-mariadb")


@pytest.fixture
def maria(db):
    return script(somebody(Role.OPERATOR, "maria"))


def start(client, server, key="", **body):
    headers = {"Idempotency-Key": key} if key else {}
    asked = {"servers": [server.pk], "recipe": "group-commit", "set": {"threads": "1,8", "repeats": "1"}, **body}
    return client.post(START, json.dumps(asked), "application/json", headers=headers)


def test_the_api_starts_a_recipe(maria, server, notified):
    answer = start(maria, server)
    made = Experiment.objects.get()
    assert answer.status_code == 201 and answer["Location"] == f"/api/v1/experiments/{made.pk}"
    assert notified == [made.pk] and made.recipe == "group-commit" and made.created_by.username == "maria"
    told = answer.json()
    assert (told["id"], told["state"], told["notice"]) == (made.pk, "queued", "")
    assert told["total"] == made.cells.count() > 0
    assert {cell.threads for cell in made.cells.all()} == {1, 8}


def test_the_audit_log_says_that_a_token_spoke(maria, server):
    start(maria, server)
    event = Event.objects.get(did="started")
    assert event.name == "maria" and event.detail["via"].startswith("token durascope_")


def test_the_api_starts_the_plan_of_an_export(maria, server):
    plan = factory.experiment(servers=[server]).plan
    own = {name: value for name, value in plan.items() if name != "targets"}
    own["workloads"] = [{"label": "u", "key": "update-by-key", "params": {}}]
    answer = maria.post(START, {"servers": [server.pk], "plan": own}, "application/json")
    assert answer.status_code == 201, answer.content
    again = Experiment.objects.get(pk=answer.json()["id"]).plan
    assert again == {**plan, **own, "targets": [{"server_id": server.pk, "name": "box", "is_sandbox": True}]}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"servers": [4711]}, "There is no server 4711"),
        ({"servers": []}, "Choose at least one server"),
        ({"recipe": "no-such"}, "There is no recipe"),
        ({"set": {"threads": "many"}}, "threads"),
        ({"set": {"nonsense": "1"}}, "nonsense"),
        ({"size": "huge"}, "no size"),
        ({"recipe": ""}, "Give a recipe or a plan"),
        ({"typo": 1}, "not permitted"),
    ],
)
def test_a_start_with_a_wrong_value_is_refused_and_not_stored(maria, server, body, why):
    answer = start(maria, server, **body)
    assert answer.status_code == 422 and why in answer.content.decode()
    assert not Experiment.objects.exists()


def test_a_place_in_the_body_is_pointed_at(maria, server):
    answer = start(
        maria, server, recipe="", plan={"name": "x", "variants": [{"nam": 1}], "workloads": [], "threads": []}
    )
    pointers = {error["pointer"] for error in answer.json()["errors"]}
    assert {"/plan/variants/0/name", "/plan/variants/0/nam"} <= pointers


@pytest.mark.parametrize(
    "crash",
    [
        {"trials": 10**9},
        {"trials": 10**9, "kinds": ["power-loss"]},
        {"trials": 1000, "kinds": ["power-loss"] * 500},
        {"trials": 1, "load_s": 1e300},
    ],
)
@pytest.mark.parametrize("variants", [[], [{"name": "1/1", "settings": {}}]])
def test_a_plan_without_end_is_refused_at_once(maria, server, crash, variants):
    plan = {
        "name": "x", "variants": variants, "threads": [1], "crash": crash,
        "workloads": [{"label": "u", "key": "update-by-key", "params": {}}],
    }  # fmt: skip
    answer = maria.post(START, {"servers": [server.pk], "plan": plan}, "application/json")
    assert answer.status_code == 422 and not Experiment.objects.exists()


def test_production_needs_its_word(maria):
    server = factory.server(label="production")
    assert "labelled production" in start(maria, server).json()["detail"]


def test_without_a_message_queue_it_is_stored_and_says_so(maria, server, monkeypatch):
    def silent(*_):
        raise task_queue.QueueDown

    monkeypatch.setattr(task_queue, "send", silent)
    answer = start(maria, server)
    assert answer.status_code == 201 and "Redis" in answer.json()["notice"]
    assert Experiment.objects.get().state == "queued"


def test_the_same_key_starts_once(maria, server, notified):
    first = start(maria, server, "nightly-7")
    again = start(maria, server, "nightly-7")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"] and Experiment.objects.count() == 1
    assert len(notified) == 1


def test_the_same_key_with_another_request_is_a_conflict(maria, server):
    start(maria, server, "nightly-7")
    answer = start(maria, server, "nightly-7", set={"threads": "2"})
    assert answer.status_code == 409 and "another request" in answer.json()["detail"]
    assert Experiment.objects.count() == 1


def test_white_space_and_order_are_not_another_request(maria, server):
    start(maria, server, "k")
    body = '{ "recipe":"group-commit",  "set":{"repeats":"1","threads":"1,8"},"servers":[' + f"{server.pk}]}}"
    again = maria.post(START, body, "application/json", headers={"Idempotency-Key": "k"})
    assert again.status_code == 200


def test_a_refused_start_leaves_its_key_free(maria, server):
    assert start(maria, server, "k", servers=[4711]).status_code == 422
    assert not StartKey.objects.exists()
    assert start(maria, server, "k").status_code == 201


def test_people_do_not_share_keys(maria, server):
    start(maria, server, "k")
    assert start(script(somebody(Role.OPERATOR, "otto")), server, "k").status_code == 201


@pytest.mark.parametrize("key", ["x" * 256, "with space"])
def test_a_key_that_cannot_be_kept_is_refused(maria, server, key):
    assert start(maria, server, key).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_two_at_once_start_one(server, notified):
    """Both look for the key before either has stored it."""
    text = token_of(somebody(Role.OPERATOR, "maria"))
    together, told = threading.Barrier(4), []

    def ask():
        try:
            together.wait(60)
            told.append(start(client_of(text), server, "k"))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(answer.status_code for answer in told) == [200, 200, 200, 201]
    assert len({answer.json()["id"] for answer in told}) == 1
    assert (Experiment.objects.count(), len(notified), Event.objects.filter(did="started").count()) == (1, 1, 1)


def test_the_slower_of_two_finds_what_the_faster_started(maria, server, monkeypatch):
    """The moment that threads rarely meet: the key is not there when it is looked for, and there when it is stored."""
    from dashboard.records.api import start_keys

    first = start(maria, server, "k").json()["id"]
    seen, look = [], start_keys._known
    monkeypatch.setattr(start_keys, "_known", lambda *of: look(*of) if seen else seen.append(of))
    answer = start(maria, server, "k")
    assert (answer.status_code, answer.json()["id"], Experiment.objects.count()) == (200, first, 1)


def test_the_api_lists_experiments_in_parts(maria, db):
    for n in range(5):
        Experiment.objects.create(name=f"e{n}", plan={}, seed=1, state="done" if n % 2 else "failed")
    part = maria.get(START, {"limit": 2, "offset": 1}).json()
    assert part["count"] == 5 and [one["name"] for one in part["items"]] == ["e3", "e2"]
    assert maria.get(START, {"state": "done"}).json()["count"] == 2
    assert maria.get(START, {"limit": 1000}).status_code == 422
    assert maria.get(START, {"state": "flying"}).status_code == 422


def test_unchanged_progress_is_answered_with_304(maria, server):
    pk = start(maria, server).json()["id"]
    path = f"{START}/{pk}/progress"
    first = maria.get(path)
    assert first.json()["state"] == "queued" and first["ETag"]
    same = maria.get(path, headers={"If-None-Match": first["ETag"]})
    assert (same.status_code, same.content, same["ETag"]) == (304, b"", first["ETag"])
    Experiment.objects.filter(pk=pk).update(state="running", activity="preparing")
    changed = maria.get(path, headers={"If-None-Match": first["ETag"]})
    assert (changed.status_code, changed.json()["activity"]) == (200, "preparing")


def test_the_api_cancels_and_resumes_an_experiment(maria, server, notified):
    pk = start(maria, server).json()["id"]
    assert maria.post(f"{START}/{pk}/cancel").json()["state"] == "cancelled"
    assert maria.post(f"{START}/{pk}/resume").json()["state"] == "queued"
    assert notified == [pk, pk]
    again = maria.post(f"{START}/{pk}/resume")
    assert again.status_code == 409 and "or queued" in again.json()["detail"]


def test_a_result_is_the_whole_document(maria):
    one = trials.experiment()
    told = maria.get(f"{START}/{one.pk}/result")
    assert told.json()["format"].startswith("durascope-experiment-") and told.json()["runs"]


def test_trials_are_listed_and_opened(maria):
    one = trials.experiment()
    lost = maria.get(f"{START}/{one.pk}/trials", {"verdict": "invalid", "kind": "power-loss", "limit": 3}).json()
    assert lost["count"] == 8 and len(lost["items"]) == 3 and lost["items"][0]["lost_engine"] > 0
    whole = maria.get(f"/api/v1/trials/{lost['items'][0]['id']}").json()
    assert whole["evidence"]["checks"][0]["outcome"] == "invalid"


def test_a_crash_is_repeated(maria, notified):
    first = trials.experiment(servers=[Server.objects.create(name="box", kind="sandbox", build="b")]).trials.first()
    answer = maria.post(f"/api/v1/trials/{first.pk}/repeat")
    assert answer.status_code == 202 and answer.json()["repeat_of_id"] == first.pk
    assert notified == [first.experiment_id]
