"""Below /api/ everything that goes wrong is a problem document, wherever it went wrong."""

import json
import re
import shlex

import pytest
from django.db import IntegrityError
from django.test import Client

from dashboard.pages.api.document import openapi
from dashboard.pages.api.examples import curl
from dashboard.records.accounts.role import Role
from dashboard.records.experiments import queries
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import script, somebody
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
SERVERS = "/api/v1/servers"


@pytest.fixture
def maria(db):
    return script(somebody(Role.OPERATOR, "maria"))


def problem(answer, status):
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    told = answer.json()
    assert told["type"] == "about:blank" and told["status"] == status and told["title"] and told["detail"]
    return told


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/servers", "/api/v1/servers/", "/api/v1/servers/-1",
                                  "/api/v1/servers/1.5", "/api/v1/servers/4711", "/api/nothing.json"])  # fmt: skip
def test_an_unknown_address_is_a_404_problem(maria, path):
    problem(maria.get(path), 404)


def test_a_number_that_no_database_knows(maria):
    assert problem(maria.get(f"{SERVERS}/99999999999999999999999"), 422)["errors"][0]["pointer"] == "/server_id"


def test_a_method_that_is_not_known(maria):
    answer = maria.put(SERVERS)
    problem(answer, 405)
    assert {word.strip() for word in answer["Allow"].split(",")} == {"GET", "POST"}


@pytest.mark.parametrize("body", ["{", "nonsense", '{"a": NaN}', '{"a": "\\ud800"}', '{"a": {"b": ["\\u0000"]}}',
                                  "[" * 100_000, '{"a": ' + "9" * 5000 + "}", b"\xff\xfe"])  # fmt: skip
def test_a_body_that_is_no_json_is_refused(maria, body):
    assert "Nothing was changed" in problem(maria.post(SERVERS, body, "application/json"), 400)["detail"]


def test_more_than_fits(maria, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    problem(maria.post(SERVERS, json.dumps({"note": "x" * 1000}), "application/json"), 400)


def test_another_host():
    problem(Client(headers={"host": "evil.example"}).get(SERVERS), 400)


def test_an_unexpected_error_is_answered_without_its_text(maria, monkeypatch):
    def broken():
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(queries, "listed", broken)
    answer = maria.get("/api/v1/experiments")
    assert "hunter2" not in answer.content.decode() and "log" in problem(answer, 500)["detail"]


def test_a_name_that_is_taken_is_a_conflict(maria, monkeypatch):
    def taken(self):
        raise IntegrityError("UNIQUE constraint failed: servers_server.name")

    monkeypatch.setattr(Server, "save", lambda self, *_, **__: taken(self))
    box = {"kind": "sandbox", "name": "box", "build": "system-mariadb"}
    assert "servers_server" not in problem(maria.post(SERVERS, box, "application/json"), 409)["detail"]


def test_pages_keep_their_own_words(client_in):
    assert client_in.get("/nothing/")["Content-Type"].startswith("text/html")
    assert client_in.get("/api/")["Content-Type"].startswith("text/html")


def test_answers_are_not_kept_by_others(maria):
    assert maria.get(SERVERS)["Cache-Control"] == "private, no-cache"


def test_no_cookie_and_no_csrf_token_is_needed(admin):
    strict = script(admin)
    strict.handler.enforce_csrf_checks = True
    answer = strict.post(SERVERS, {"kind": "sandbox", "name": "box", "build": "system-mariadb"}, "application/json")
    assert answer.status_code == 201 and not answer.cookies


class TestServers:
    def test_the_answer_to_a_registration_does_not_hold_the_password(self, maria):
        body = {"kind": "attached", "name": "db1", "host": "db1.example.org", "user": "bench", "password": "hunter2"}
        answer = maria.post(SERVERS, body, "application/json")
        assert answer.status_code == 201 and "hunter2" not in answer.content.decode()
        made = Server.objects.get()
        assert made.target().password == "hunter2" and made.owner.username == "maria"
        assert maria.get(f"{SERVERS}/{made.pk}").json() == answer.json()

    @pytest.mark.parametrize(("body", "pointer"), [
        ({"kind": "attached", "name": "db1", "user": "u"}, "/host"),
        ({"kind": "attached", "name": "db1", "host": "db1"}, "/user"),
        ({"kind": "attached", "name": "db1", "host": "db1", "user": "u", "port": 70000}, "/port"),
        ({"kind": "sandbox", "name": "db1", "build": "no-such"}, "/build"),
        ({"kind": "sandbox", "name": "", "build": "system-mariadb"}, "/name"),
        ({"kind": "boat", "name": "db1"}, "/kind"),
    ])  # fmt: skip
    def test_a_refusal_of_the_form_points_at_the_field(self, maria, body, pointer):
        told = problem(maria.post(SERVERS, body, "application/json"), 422)
        assert pointer in {error["pointer"] for error in told["errors"]}
        assert not Server.objects.exists()

    def test_a_server_with_results_is_not_deleted(self, admin):
        experiment = factory.experiment()
        server = Server.objects.get()
        assert "rest on it" in problem(script(admin).delete(f"{SERVERS}/{server.pk}"), 409)["detail"]
        experiment.delete()
        assert script(admin).delete(f"{SERVERS}/{server.pk}").status_code == 204
        assert not Server.objects.exists()

    def test_a_connection_test_is_queued(self, maria, monkeypatch):
        from dashboard.records.fleet import task_queue

        monkeypatch.setattr(task_queue, "send", lambda *_: None)
        asked = maria.post(f"{SERVERS}/{factory.server().pk}/tests")
        assert (asked.status_code, asked.json()["state"]) == (202, "queued")
        assert maria.get(f"/api/v1/tests/{asked.json()['id']}").json() == asked.json()


class TestLinks:
    def test_a_link_is_made_listed_and_revoked(self, maria, client):
        one = factory.experiment()
        made = maria.post(f"/api/v1/experiments/{one.pk}/links", {"days": 7, "note": "for otto"}, "application/json")
        assert made.status_code == 201 and made["Cache-Control"] == "no-store"
        address = made.json()["address"]
        assert client.get(address).status_code == 200
        [listed] = maria.get(f"/api/v1/experiments/{one.pk}/links").json()["items"]
        assert listed["note"] == "for otto" and listed["is_open"] and "address" not in listed
        assert maria.delete(f"/api/v1/links/{listed['id']}").status_code == 204
        assert client.get(address).status_code == 410


def test_recipes_builds_and_workers_are_told(maria):
    recipes = maria.get("/api/v1/recipes", {"limit": 200}).json()
    assert recipes["count"] == len(recipes["items"]) > 5
    one = maria.get("/api/v1/recipes/group-commit").json()
    assert one in recipes["items"] and one["sizes"][0]["estimate_s"] > 0
    assert "system-mariadb" in {build["key"] for build in maria.get("/api/v1/builds").json()["items"]}
    assert maria.get("/api/v1/workers").json() == {"items": [], "count": 0}


def test_the_page_tells_every_operation_and_every_shape(client_in):
    page = client_in.get("/api/").content.decode()
    document = client_in.get("/api/openapi.json").json()
    assert document["openapi"].startswith("3.1") and all(path in page for path in document["paths"])
    linked = set(re.findall(r'href="#([\w-]+)"', page))
    assert linked and linked <= set(re.findall(r'id="([\w-]+)"', page))


def test_every_example_is_a_request_whose_form_is_right(maria):
    """Its address and body, sent as they stand: what they name may be missing, what they say is understood."""
    document = openapi()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            command = curl(method.upper(), path, operation, document["components"]["schemas"])
            words = shlex.split(command)
            address = next(word for word in words if word.startswith("$HERE/")).removeprefix("$HERE")
            assert "{" not in address and words[words.index("-H") + 1] == "Authorization: Bearer $TOKEN"
            if "-F" in words:
                continue
            body = words[words.index("-d") + 1] if "-d" in words else ""
            answer = maria.generic(method.upper(), address, body, "application/json")
            assert answer.status_code not in (400, 405, 415), (command, answer.content)
            assert answer.status_code != 422 or not answer.json().get("errors"), (command, answer.content)


def test_the_document_is_open_and_says_nothing_of_this_installation(client):
    factory.server()
    answer = client.get("/api/openapi.json")
    assert answer.status_code == 200 and factory.SECRET["host"] not in answer.content.decode()
    assert client.get("/api/").status_code == 302
