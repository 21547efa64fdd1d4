"""If-Match: a change that is made only where nobody was faster."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.middleware.gzip import GZipMiddleware
from django.test import Client

from dashboard.accounts.roles import Role
from dashboard.api import problems
from dashboard.api.document import openapi
from dashboard.audit.models import Event
from dashboard.experiments import care
from dashboard.experiments.models import Experiment
from dashboard.schedules.models import Schedule
from dashboard.servers.models import Server
from tests.at_once import at_once
from tests.unit.api.tokens import client_of, script, somebody, token_of
from tests.unit.results import factory
from tests.unit.schedules import made

pytestmark = pytest.mark.django_db
NEVER = "0 0 29 2 *"  # times that stay while a test runs


@dataclass(frozen=True)
class Kind:
    """How one is made, where it is, a change of it and one that somebody else makes meanwhile."""

    make: Any
    path: str
    mine: dict[str, str]
    theirs: dict[str, str]
    model: Any
    status: int = 200


def _schedule(owner):
    return made.schedule(made.sandbox(), owner, cron=NEVER, looked_at="2999-01-01T00:00Z")


def _server(owner):
    return Server.objects.create(name="db1", kind="attached", host="192.0.2.7", user="bench", owner=owner)


KINDS = {
    "experiment": Kind(lambda _: factory.experiment(), "experiments", {"name": "mine"}, {"name": "theirs"}, Experiment),
    "schedule": Kind(_schedule, "schedules", {"name": "mine"}, {"name": "theirs"}, Schedule),
    "server": Kind(_server, "servers", {"name": "mine"}, {"name": "theirs"}, Server),
}


@dataclass(frozen=True)
class Case:
    kind: Kind
    client: Client
    path: str
    tag: str

    def patch(self, body: Any, if_match: str | None = None) -> Any:
        return self.client.patch(self.path, json.dumps(body), "application/json", headers=_condition(if_match))

    def delete(self, if_match: str | None = None) -> Any:
        return self.client.delete(self.path, headers=_condition(if_match))

    def name(self) -> str:
        return self.kind.model.objects.get().name


def _condition(if_match: str | None) -> dict[str, str]:
    return {} if if_match is None else {"If-Match": if_match}


@pytest.fixture(params=KINDS)
def case(request, db):
    kind, maria = KINDS[request.param], somebody(Role.OPERATOR, "maria")
    client = script(maria)
    path = f"/api/v1/{kind.path}/{kind.make(maria).pk}"
    return Case(kind, client, path, client.get(path)["ETag"])


def test_it_is_changed_where_nobody_was_faster(case):
    answer = case.patch(case.kind.mine, case.tag)
    assert answer.status_code == 200 and answer.json()["name"] == "mine", answer.content
    assert answer["ETag"] == case.client.get(case.path)["ETag"] != case.tag
    assert case.patch(case.kind.theirs, answer["ETag"]).status_code == 200, "the answer's tag is good for the next"


def test_it_is_left_as_it_is_where_somebody_was(case):
    assert case.patch(case.kind.theirs).status_code == 200
    events = Event.objects.count()
    for refused in (case.patch(case.kind.mine, case.tag), case.delete(case.tag)):
        assert (refused.status_code, refused["Content-Type"]) == (412, problems.MEDIA_TYPE)
        assert refused.json()["title"] == "Precondition Failed" and "Read it again" in refused.json()["detail"]
    assert case.name() == "theirs" and Event.objects.count() == events


def test_it_is_deleted_where_nobody_was_faster(case):
    if case.kind.model is not Experiment:
        assert case.delete(case.tag).status_code == 204 and not case.kind.model.objects.exists()
    else:
        assert case.delete(case.tag).status_code == 204 and Experiment.deleted.exists()
    assert case.delete(case.tag).status_code == 404


@pytest.mark.parametrize("written", ["W/{}", '"other", {}', "*"])
def test_ways_to_name_it(case, written):
    """Also as a weak tag: that is what compressing an answer makes of it."""
    assert case.patch(case.kind.mine, written.format(case.tag)).status_code == 200


@pytest.mark.parametrize("written", ["", '""', '"other"', 'W/"other"', "bare", '"*"', '"\xe4"'])
def test_what_names_something_else_fits_nothing(case, written):
    assert case.patch(case.kind.mine, written).status_code == 412
    assert case.name() != "mine"


def test_a_compressed_answers_tag_is_good(case, monkeypatch):
    monkeypatch.setattr(GZipMiddleware, "max_random_bytes", 0)  # they can make a short answer longer than it was
    compressed = case.client.get(case.path, headers={"Accept-Encoding": "gzip"})
    assert compressed["Content-Encoding"] == "gzip" and compressed["ETag"].startswith("W/")
    assert case.patch(case.kind.mine, compressed["ETag"]).status_code == 200


def test_what_does_not_fit_or_is_not_allowed_is_told_before(case):
    assert case.patch({"typo": 1}, '"other"').status_code == 422
    assert script(somebody(Role.VIEWER)).delete(case.path, headers={"If-Match": '"other"'}).status_code == 403


def test_of_two_with_the_same_tag_one_changes_it(case):
    first, second = case.patch(case.kind.theirs, case.tag), case.patch(case.kind.mine, case.tag)
    assert (first.status_code, second.status_code) == (200, 412)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("key", KINDS)
def test_of_two_at_the_same_moment_one_changes_it(transactional_db, key):
    kind, maria = KINDS[key], somebody(Role.OPERATOR, "maria")
    token = token_of(maria)
    path = f"/api/v1/{kind.path}/{kind.make(maria).pk}"
    tag = client_of(token).get(path)["ETag"]

    def change(name):
        one = client_of(token)
        return one.patch(path, json.dumps({"name": name}), "application/json", headers={"If-Match": tag})

    answers = at_once(*(lambda n=n: change(f"name {n}") for n in range(4)))
    assert sorted(one.status_code for one in answers) == [200, 412, 412, 412]
    (winner,) = [one.json()["name"] for one in answers if one.status_code == 200]
    assert kind.model.objects.get().name == winner


@pytest.mark.django_db(transaction=True)
def test_what_others_change_at_the_same_moment_stays(transactional_db):
    """What a PATCH leaves out is what it is when it is stored, not what it was when the request came in."""
    maria = somebody(Role.OPERATOR, "maria")
    token, server = token_of(maria), _server(maria)
    fields = {"note": "x", "label": "staging", "name": "db2", "user": "other"}

    def change(field):
        one = client_of(token)
        body = json.dumps({field: fields[field]})
        return one.patch(f"/api/v1/servers/{server.pk}", body, "application/json").status_code

    assert at_once(*(lambda f=field: change(f) for field in fields)) == [200] * 4
    assert Server.objects.values(*fields).get() == fields


@pytest.mark.django_db(transaction=True)
def test_two_who_rename_and_mark_at_once_do_not_wait_for_each_other(transactional_db):
    token = token_of(somebody(Role.OPERATOR, "maria"))
    both = [factory.experiment() for _ in range(2)]
    care.mark_baseline(None, both[0])

    def change(one, n):
        own = client_of(token)
        body = json.dumps({"name": f"name {n}", "is_baseline": True})
        return own.patch(f"/api/v1/experiments/{one.pk}", body, "application/json").status_code

    for n in range(5):
        assert at_once(*(lambda one=one, n=n: change(one, n) for one in both)) == [200, 200]
    assert Experiment.objects.exclude(baseline_of=None).count() == 1


def test_tags_and_marks_count(db):
    client, one = script(somebody(Role.OPERATOR, "maria")), factory.experiment()
    path = f"/api/v1/experiments/{one.pk}"
    tag = client.get(path)["ETag"]
    for care_for in (lambda: care.tag(None, one, ["a"]), lambda: care.mark_baseline(None, one)):
        care_for()
        assert client.delete(path, headers={"If-Match": tag}).status_code == 412
        tag = client.get(path)["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304


def test_the_document_says_where_it_can_be_asked():
    told = {
        f"{method} {path}"
        for path, methods in openapi()["paths"].items()
        for method, operation in methods.items()
        if "412" in operation["responses"]
    }
    base = "/api/v1/{}/{{{}_id}}"
    wanted = {base.format(f"{one}s", one) for one in ("experiment", "schedule", "server")}
    assert told == {f"{method} {path}" for method in ("patch", "delete") for path in wanted}
