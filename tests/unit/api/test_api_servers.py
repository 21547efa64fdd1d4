"""Servers by script: changed, labelled, handed over, marked expendable, and started when they are down."""

import json

import pytest

from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import script, somebody
from tests.unit.conducting import experiments as make

pytestmark = pytest.mark.django_db
MARK = {"crash": ["/bin/power", "off"], "start": ["/bin/power", "on"], "typed_name": "db1"}


@pytest.fixture(autouse=True)
def listed(settings):
    """What owners may have workers run."""
    settings.CRASH_PROGRAMS = ("/bin/power",)


@pytest.fixture
def person(db):
    return somebody(Role.OPERATOR, "maria")


@pytest.fixture
def maria(person):
    return script(person)


@pytest.fixture
def otto(db):
    return script(somebody(Role.OPERATOR, "otto"))


@pytest.fixture
def server(person):
    one = Server(name="db1", kind="attached", host="192.0.2.7", user="bench", owner=person)
    one.set_password("hunter2")
    one.save()
    return one


def send(client, method, server, path="", body=None):
    return getattr(client, method)(f"/api/v1/servers/{server.pk}{path}", json.dumps(body or {}), "application/json")


def pointers(answer):
    assert answer.status_code == 422, answer.content
    return {error["pointer"] for error in answer.json()["errors"]}


def test_fields_left_out_of_a_change_keep_their_values(maria, server):
    answer = send(maria, "patch", server, "", {"label": "production", "note": "careful"})
    assert answer.status_code == 200, answer.content
    server.refresh_from_db()
    assert (server.label, server.note, server.host, server.target().password) == (
        "production", "careful", "192.0.2.7", "hunter2",
    )  # fmt: skip
    assert Event.objects.get(did="changed").detail["fields"] == ["label", "note"]
    send(maria, "patch", server, "", {"password": "new"})
    assert Server.objects.get().target().password == "new" and "new" not in str(list(Event.objects.values()))


def test_a_wrong_value_is_refused_with_a_pointer_to_its_field(maria, server):
    assert pointers(send(maria, "patch", server, "", {"port": 70000})) == {"/port"}
    assert pointers(send(maria, "patch", server, "", {"label": "holy"})) == {"/label"}
    assert pointers(send(maria, "patch", server, "", {"kind": "sandbox"})) == {"/kind"}
    strange = send(maria, "patch", server, "", {"build": "system-mariadb"})
    assert strange.status_code == 422 and "has no build" in strange.json()["detail"]
    assert not Event.objects.filter(did="changed").exists()


@pytest.mark.parametrize(("field", "values"), [("tls", Server.Tls.values), ("label", Server.Label.values)])
def test_a_wrong_choice_is_answered_with_the_right_ones(maria, server, field, values):
    [wrong] = send(maria, "patch", server, "", {field: "maybe"}).json()["errors"]
    assert wrong["pointer"].endswith(f"/{field}") and all(f"'{value}'" in wrong["detail"] for value in values)


def test_a_wrong_choice_of_a_form_is_answered_with_the_right_ones(maria):
    asked = {"kind": "sandbox", "name": "box", "build": "no-such"}
    answer = maria.post("/api/v1/servers", json.dumps(asked), content_type="application/json")
    [wrong] = answer.json()["errors"]
    assert wrong["pointer"] == "/build" and "system-mariadb" in wrong["detail"]


def test_the_address_does_not_change_while_a_restore_is_pending(maria, server):
    make.pending_restore(server, make.experiment(server), "variable", "sync_binlog", "1")
    answer = send(maria, "patch", server, "", {"host": "192.0.2.8"})
    assert answer.status_code == 409 and "pending restore" in answer.json()["detail"]
    assert Server.objects.get().host == "192.0.2.7"


def test_an_unchanged_server_is_answered_with_304(maria, server):
    first = maria.get(f"/api/v1/servers/{server.pk}")
    asked = {"headers": {"If-None-Match": first["ETag"]}}
    assert maria.get(f"/api/v1/servers/{server.pk}", **asked).status_code == 304
    send(maria, "patch", server, "", {"note": "x"})
    assert maria.get(f"/api/v1/servers/{server.pk}", **asked).json()["note"] == "x"


def test_a_server_is_handed_over_to_an_operator_only(maria, otto, server):
    somebody(Role.VIEWER, "vera")
    for nobody in ("vera", "nobody", ""):
        assert pointers(send(maria, "post", server, "/owner", {"to": nobody})) == {"/to"}
    assert send(maria, "post", server, "/owner", {"to": "otto"}).json()["owner"] == "otto"
    assert send(maria, "patch", server, "", {"note": "mine?"}).status_code == 403
    assert send(otto, "patch", server, "", {"note": "mine"}).status_code == 200


def test_a_server_is_marked_expendable_and_the_mark_is_withdrawn(maria, server):
    told = send(maria, "put", server, "/expendable", MARK).json()
    assert (told["expendable"], told["crash_command"], told["start_command"]) == (True, MARK["crash"], MARK["start"])
    assert pointers(send(maria, "patch", server, "", {"label": "production"})) == {"/label"}
    told = send(maria, "delete", server, "/expendable").json()
    assert not told["expendable"] and told["start_command"] == MARK["start"]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"typed_name": "db2"}, "/typed_name"),
        ({"crash": []}, "/crash"),
        ({"crash": ["sh -c true"]}, "/crash"),
        ({"crash": ["sh", "a\nb"]}, "/crash"),
        ({"start": ["sh", ""]}, "/start"),
        ({"start": [" sh"]}, "/start"),
        ({"start": ["x"] * 65}, "/start"),
    ],
)
def test_a_mark_that_the_page_would_refuse_is_refused(maria, server, change, pointer):
    assert pointer in pointers(send(maria, "put", server, "/expendable", {**MARK, **change}))
    assert not Server.objects.get().expendable


def test_production_is_never_marked(maria, server):
    Server.objects.update(label="production")
    answer = send(maria, "put", server, "/expendable", MARK)
    assert answer.status_code == 409 and "labelled production" in answer.json()["detail"]


ASKED = [
    ("patch", "", {"note": "x"}), ("post", "/owner", {"to": "otto"}), ("put", "/expendable", MARK),
    ("delete", "/expendable", {}), ("post", "/start", {}), ("delete", "", {}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), ASKED)
def test_another_operator_is_refused_and_nothing_changes(otto, server, method, path, body):
    before = Server.objects.values().get()
    answer = send(otto, method, server, path, body)
    assert answer.status_code == 403 and "Only the owner of db1" in answer.json()["detail"]
    assert Server.objects.values().get() == before


def test_pending_restores_are_listed_and_a_start_can_be_asked_for(maria, server):
    refused = send(maria, "post", server, "/start")
    assert refused.status_code == 409 and "is not down after a crash" in refused.json()["detail"]
    make.pending_restore(server, make.experiment(server), "start")
    [pending] = maria.get(f"/api/v1/servers/{server.pk}/pending-restores").json()["items"]
    assert (pending["kind"], pending["problem"]) == ("start", "")
    assert send(maria, "post", server, "/start").status_code == 202
