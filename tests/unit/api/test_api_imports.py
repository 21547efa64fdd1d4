"""Servers of a file, by the API: a dry run first, the rights of the page, and no password in an answer."""

from io import BytesIO

import pytest

from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import script, somebody

pytestmark = pytest.mark.django_db
SECRET = "s3cret-of-db1"
TEXT = f"name,host,user,password,label\ndb1,192.0.2.1,app,{SECRET},\ndb2,192.0.2.2,app,,test\nnobody,192.0.2.3,,,\n"
HERE = "/api/v1/servers/import"
STATES = {"db1": "new", "db2": "password missing", "nobody": "refused"}


@pytest.fixture
def person(db):
    return somebody(Role.OPERATOR, "maria")


def sent(client, text=TEXT, **more):
    return client.post(HERE, {"file": BytesIO(text.encode()), **more})


def states(answer):
    return {line["name"]: line["state"] for line in answer.json()["lines"]}


def test_a_dry_run_says_what_would_be_done_and_stores_nothing(person):
    answer = sent(script(person))
    assert (answer.status_code, states(answer), answer.json()["registered"]) == (200, STATES, []), answer.content
    assert answer.json()["summary"] == "1 new, 1 without a password, 1 refused"
    assert "names no account" in answer.json()["lines"][2]["says"]
    assert SECRET not in answer.content.decode() and not Server.objects.exists()


def test_confirmed_it_registers_them_for_the_owner_of_the_token(person):
    answer = sent(script(person), confirm="true", label="staging")
    made = list(Server.objects.order_by("name"))
    assert (answer.status_code, states(answer)) == (201, STATES), answer.content
    assert sorted(answer.json()["registered"]) == sorted(one.pk for one in made)
    assert [(one.name, one.label, one.owner) for one in made] == [("db1", "staging", person), ("db2", "test", person)]
    assert made[0].target().password == SECRET and SECRET not in answer.content.decode()
    assert Event.objects.filter(did="registered").count() == 2
    again = sent(script(person), confirm="true")
    assert (again.status_code, again.json()["registered"]) == (200, [])
    assert set(states(again).values()) == {"known already", "refused"}


def test_an_account_for_those_without_one(person):
    assert states(sent(script(person), user="root", password="x"))["nobody"] == "new"


@pytest.mark.parametrize(("role", "scopes"), [(Role.VIEWER, ()), (Role.OPERATOR, ("see", "run"))])
def test_an_import_needs_the_right_to_register(role, scopes):
    client = script(somebody(role, "otto"), *scopes)
    assert sent(client, confirm="true").status_code == 403 and not Server.objects.exists()


@pytest.mark.parametrize("text", ["", "\0\0", "[client", "a: &x [*x]\n"])
def test_a_file_that_is_no_inventory_is_refused_with_a_reason(person, text):
    answer = sent(script(person), text, confirm="true")
    assert answer.status_code == 422 and answer.json()["detail"], answer.content
    assert not Server.objects.exists()


def test_a_start_estimates_the_written_bytes_of_each_server(person):
    one = Server.objects.create(name="db1", kind="attached", host="192.0.2.7", user="bench", owner=person)
    start = {"recipe": "what-does-safety-cost", "servers": [one.pk], "set": {"threads": "1", "trials": "0"}}
    answer = script(person).post("/api/v1/experiments/review", start, "application/json")
    (told,) = answer.json()["written"]
    assert answer.status_code == 200 and answer.json()["refusals"] == [], answer.content
    assert (told["server_id"], told["free_bytes"]) == (one.pk, None) and "assumed" in told["basis"]
    assert 0 < told["low_binlog_bytes"] < told["low_bytes"] < told["high_bytes"]
    assert answer.json()["cells"] > 0 < answer.json()["estimate_s"]


def test_a_start_that_is_refused_has_its_reasons_and_no_estimate(person):
    one = Server.objects.create(
        name="db1", kind="attached", host="192.0.2.7", user="bench", label="production", owner=person
    )
    start = {"recipe": "what-does-safety-cost", "servers": [one.pk], "set": {"trials": "0"}}
    told = script(person).post("/api/v1/experiments/review", start, "application/json").json()
    assert "production" in told["refusals"][0] and (told["estimate_s"], told["written"]) == (None, [])
