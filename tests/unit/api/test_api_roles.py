"""Every operation of the API as every role and as nobody, with every scope and without the one that it asks for."""

import pytest
from django.test import Client

from dashboard.pages.api.document import openapi
from dashboard.pages.api.service import operations
from dashboard.records.accounts.role import RANKS, Role
from dashboard.records.accounts.roles import OPERATIONS
from dashboard.records.fleet import task_queue
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import EVERYTHING, client_of, script, somebody
from tests.unit.results import factory, trials
from tests.walks import report, undone

pytestmark = pytest.mark.django_db
SCOPES = {one.view_func.__name__: scope for scope, one in operations()}
ALL = [
    (method, path, told["operationId"]) for path, known in openapi()["paths"].items() for method, told in known.items()
]


def ask(client, method, path):
    """With an empty body: who gets as far as being told so was let in."""
    for name, value in {"key": "group-commit"}.items():
        path = path.replace(f"{{{name}}}", value)
    filled = "/".join("4711" if part.startswith("{") else part for part in path.split("/"))
    return client.generic(method.upper(), filled, "", "application/json")


def test_every_operation_names_one_of_the_table():
    assert set(SCOPES.values()) <= OPERATIONS.keys() and "" not in SCOPES.values()
    assert {name for _, _, name in ALL} == SCOPES.keys()
    assert all(OPERATIONS[scope].least for scope in SCOPES.values())


@pytest.mark.parametrize("role", Role.values)
def test_each_role_may_call_the_operations_of_the_table(role):
    client, offenders = script(somebody(role)), []
    for method, path, name in ALL:
        shut_out = RANKS.index(role) < RANKS.index(OPERATIONS[SCOPES[name]].least)
        with undone():
            status = ask(client, method, path).status_code
        if status == 401 or (status == 403) != shut_out:
            offenders.append(f"{method} {path} ({name}): {status} for {role}")
    report(offenders)


def test_nobody_is_let_in_without_a_token(client_in):
    offenders = []
    for method, path, name in ALL:
        for client in (Client(), client_in, client_of("durascope_wrong")):  # a session is not looked at
            with undone():
                answer = ask(client, method, path)
            bearer = answer.get("WWW-Authenticate", "").startswith("Bearer")
            told = answer.status_code, answer["Content-Type"], bearer, "Set-Cookie" in answer
            if told != (401, "application/problem+json", True, False):
                offenders.append(f"{method} {path} ({name}): {told}")
    report(offenders)


def test_an_administrators_token_without_the_scope_is_refused(admin):
    offenders = []
    for method, path, name in ALL:
        with undone():
            answer = ask(script(admin, *(scope for scope in EVERYTHING if scope != SCOPES[name])), method, path)
        if answer.status_code != 403 or f"needs the scope {SCOPES[name]}" not in answer.json()["detail"]:
            offenders.append(f"{method} {path} ({name}): {answer.status_code} {answer.content}")
    report(offenders)


@pytest.fixture
def theirs(admin):
    """A server that somebody else owns, which may be crashed by them."""
    commands = {"crash_command": ["kill"], "start_command": ["start"]}
    return factory.server(owner=admin, expendable=True, label="test", **commands)


def crash(server):
    plan = {
        "name": "crash", "variants": [{"name": "1/1", "settings": {}}], "threads": [1],
        "workloads": [{"label": "u", "key": "update-by-key", "params": {}}],
        "crash": {"kinds": ["attached-expendable"], "trials": 1, "control_trials": 0},
    }  # fmt: skip
    return {"servers": [server.pk], "plan": plan}


def test_another_owners_server_is_neither_crashed_nor_deleted(theirs):
    maria = script(somebody(Role.OPERATOR))
    refused = maria.post("/api/v1/experiments", crash(theirs), "application/json")
    assert (refused.status_code, "Only the owner of" in refused.content.decode()) == (422, True)
    refused = maria.delete(f"/api/v1/servers/{theirs.pk}")
    assert (refused.status_code, "Only the owner of" in refused.json()["detail"]) == (403, True)
    assert Server.objects.filter(pk=theirs.pk).exists()


def test_a_token_that_may_run_may_not_crash(theirs, admin, monkeypatch):
    monkeypatch.setattr(task_queue, "send", lambda *_: None)
    refused = script(admin, "run").post("/api/v1/experiments", crash(theirs), "application/json")
    assert (refused.status_code, "needs the scope crash" in refused.content.decode()) == (422, True)
    answer = script(admin, "run", "crash").post("/api/v1/experiments", crash(theirs), "application/json")
    assert answer.status_code == 201, answer.content


def test_another_owners_server_is_not_crashed_again(theirs):
    first = trials.experiment(servers=[theirs]).trials.first()
    refused = script(somebody(Role.OPERATOR)).post(f"/api/v1/trials/{first.pk}/repeat")
    assert (refused.status_code, "Only the owner of" in refused.json()["detail"]) == (403, True)
