"""The failover manager that an owner names on a sandbox: who may, with which program, and what is kept of it."""

import json

import pytest

from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed
from dashboard.records.audit.models import Event
from dashboard.records.experiments.rights import why_not_crash
from dashboard.records.servers import actions, managers
from dashboard.records.servers.models import Server
from tests.confirmed import confirm
from tests.markup import flat
from tests.unit.api.tokens import script, somebody
from tests.unit.bench.plans import plan
from workers.bench.plan import CrashPlan, PlanTarget, Variant

pytestmark = pytest.mark.django_db
LISTED, OTHER = "/usr/local/bin/manager", "/usr/local/bin/other"
COMMAND = [LISTED, "-v"]


@pytest.fixture(autouse=True)
def programs(settings):
    settings.CRASH_PROGRAMS, settings.FAILOVER_COMMAND = (LISTED,), ()


@pytest.fixture
def maria(db):
    return somebody(Role.OPERATOR, "maria")


@pytest.fixture
def box(maria):
    return actions.register(maria, Server(name="box", kind="sandbox", build="system-mariadb"), "")


def by_page(client, user, server, command, typed_name="box"):
    client.force_login(user)
    confirm(client, user)
    said = {"command": "\n".join(command), "typed_name": typed_name}
    return client.post(f"/servers/{server.pk}/failover-manager/", said)


def by_api(client, server, command, typed_name="box"):
    body = json.dumps({"command": command, "typed_name": typed_name})
    return client.put(f"/api/v1/servers/{server.pk}/failover-manager", body, "application/json")


def stored(server):
    server.refresh_from_db()
    assert bool(server.failover_command) == (Event.objects.filter(did="named the failover manager").count() > 0)
    return server.failover_command


def test_an_owner_names_a_listed_program_and_withdraws_it(client, maria, box):
    assert by_page(client, maria, box, COMMAND).status_code == 302
    assert stored(box) == COMMAND and managers.of(box) == tuple(COMMAND) and box.commands_by == maria
    event = Event.objects.get(did="named the failover manager")
    assert (event.what, event.name, event.detail) == ("box", "maria", {"command": COMMAND})
    assert "<code>/usr/local/bin/manager</code>" in flat(client.get(f"/servers/{box.pk}/").text)
    client.post(f"/servers/{box.pk}/failover-manager/withdraw/")
    box.refresh_from_db()
    assert box.failover_command == [] and Event.objects.filter(did="withdrew the failover manager").count() == 1


def test_without_one_the_installations_is_drilled(settings, box):
    settings.FAILOVER_COMMAND = (OTHER,)
    assert managers.of(box) == (OTHER,)


def test_a_manager_needs_the_typed_name_and_a_listed_program(client, maria, box):
    assert "Nothing was changed" in by_page(client, maria, box, COMMAND, "BOX").text
    shown, told = by_page(client, maria, box, [OTHER]), by_api(script(maria), box, [OTHER])
    assert shown.status_code == told.status_code == 403
    assert all("DURASCOPE_CRASH_PROGRAMS does not list" in said for said in (shown.text, told.json()["detail"]))
    assert by_api(script(maria), box, COMMAND, "other").status_code == 422
    assert by_api(script(maria), box, [" x"]).status_code == 422
    assert stored(box) == []


def test_an_administrator_may_name_any_program(admin, box):
    assert by_api(script(admin), box, [OTHER]).status_code == 200
    assert stored(box) == [OTHER]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_only_the_owner_names_or_withdraws_a_manager(client, maria, box, role):
    stranger = somebody(role, "stranger")
    assert by_page(client, stranger, box, COMMAND).status_code == 403
    assert by_api(script(stranger), box, COMMAND).status_code == 403
    assert stored(box) == []
    managers.name(maria, box, COMMAND)
    assert client.post(f"/servers/{box.pk}/failover-manager/withdraw/").status_code == 403
    assert script(stranger).delete(f"/api/v1/servers/{box.pk}/failover-manager").status_code == 403
    assert stored(box) == COMMAND
    with pytest.raises(NotAllowed):
        managers.withdraw(stranger, box)


def test_a_password_that_was_not_typed_lately_is_asked_first(client, maria, box):
    client.force_login(maria)
    answer = client.post(f"/servers/{box.pk}/failover-manager/", {"command": LISTED, "typed_name": "box"})
    assert answer.status_code == 302 and "password/confirm" in answer["Location"]
    assert stored(box) == []


def test_an_attached_server_has_none(client, maria):
    attached = actions.register(maria, Server(name="db1", kind="attached", host="192.0.2.1", user="u"), "secret")
    by_page(client, maria, attached, COMMAND, "db1")
    told = by_api(script(maria), attached, COMMAND, "db1")
    assert told.status_code == 409 and "the nodes of a topology are sandboxes" in told.json()["detail"]
    assert stored(attached) == []


def test_a_new_owner_does_not_inherit_it(maria, box):
    managers.name(maria, box, COMMAND)
    actions.hand_over(maria, box, somebody(Role.OPERATOR, "otto"))
    box.refresh_from_db()
    assert box.failover_command == []
    assert Event.objects.get(did="withdrew the failover manager").detail == {"why": "its owner changed"}


def test_only_its_owner_and_administrators_start_such_trials(admin, maria, box):
    managers.name(maria, box, COMMAND)
    otto, crash = somebody(Role.OPERATOR, "otto"), CrashPlan(("primary-host-loss",), trials=1)
    drill, plain = (
        plan(targets=(PlanTarget(box.pk, "box"),), variants=(Variant("v", {}, topology=topology),), crash=crash)
        for topology in ("async+policy=manager", "async")
    )
    assert "only its owner and administrators" in why_not_crash(drill, otto)[0]
    assert why_not_crash(plain, otto) == why_not_crash(drill, maria) == why_not_crash(drill, admin) == []
