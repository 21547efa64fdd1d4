"""What a worker runs on its host is for administrators to say, and for whoever listed a program for owners."""

import json

import pytest

from dashboard.environment import crash_programs, failover_command
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed
from dashboard.records.audit.models import Event
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.confirmed import confirm
from tests.markup import flat
from tests.unit.api.tokens import EVERYTHING, client_of, script, somebody, token_of

pytestmark = pytest.mark.django_db
OWN = ["/usr/local/bin/power", "off"]
SHELL = ["/bin/sh", "-c", "env; cat $DURASCOPE_HOME/password_keys; exit 1"]


@pytest.fixture(autouse=True)
def programs(settings):
    settings.CRASH_PROGRAMS = (OWN[0], "/usr/local/bin/reset")


@pytest.fixture
def maria(db):
    return somebody(Role.OPERATOR, "maria")


@pytest.fixture
def server(maria):
    return actions.register(maria, Server(name="db1", kind="attached", host="192.0.2.1", user="u"), "secret")


def by_page(client, user, server, crash, start):
    client.force_login(user)
    confirm(client, user)
    said = {"crash": "\n".join(crash), "start": "\n".join(start), "typed_name": "db1"}
    return client.post(f"/servers/{server.pk}/expendable/", said)


def by_api(client, server, crash, start):
    body = json.dumps({"crash": crash, "start": start, "typed_name": "db1"})
    return client.put(f"/api/v1/servers/{server.pk}/expendable", body, "application/json")


def is_marked(server):
    server.refresh_from_db()
    assert server.expendable == Event.objects.filter(did="marked expendable").exists()
    return server.expendable


STRANGE = [
    (SHELL, OWN), (OWN, SHELL), (["power"], OWN), (["/usr/local/bin/power2"], OWN), (["/usr/local/bin"], OWN),
    (["/usr/local/bin/../bin/power"], OWN),
]  # fmt: skip


@pytest.mark.parametrize(("crash", "start"), STRANGE)
def test_an_owner_has_nothing_run_that_is_not_listed(client, maria, server, crash, start):
    shown = by_page(client, maria, server, crash, start)
    told = by_api(script(maria), server, crash, start)
    assert shown.status_code == told.status_code == 403
    for says in (shown.content.decode(), told.json()["detail"]):
        assert "DURASCOPE_CRASH_PROGRAMS does not list" in says and "you must be an administrator" in says
        assert "wrapper script" in says and "ssh or sh" in says
    assert 'name="crash"' in shown.content.decode(), "what was written is not lost"
    with pytest.raises(NotAllowed):
        actions.mark_expendable(maria, server, crash, start)
    assert not is_marked(server)


def test_an_owner_may_use_a_listed_program(client, maria, server):
    assert by_page(client, maria, server, OWN, ["/usr/local/bin/reset"]).status_code == 302
    assert is_marked(server)
    actions.withdraw_expendable(maria, server)
    assert by_api(script(maria), server, OWN, OWN).status_code == 200
    server.refresh_from_db()
    assert (server.expendable, server.crash_command) == (True, OWN)


def test_no_program_is_listed_by_default(settings, maria, server):
    assert crash_programs({}) == crash_programs({"DURASCOPE_CRASH_PROGRAMS": ""}) == ()
    settings.CRASH_PROGRAMS = crash_programs({})
    with pytest.raises(NotAllowed):
        actions.mark_expendable(maria, server, OWN, OWN)


def test_an_administrator_may_have_anything_run(client, admin, server):
    assert by_page(client, admin, server, SHELL, SHELL).status_code == 302
    assert is_marked(server)
    actions.withdraw_expendable(admin, server)
    assert by_api(script(admin), server, SHELL, SHELL).status_code == 200
    actions.mark_expendable(None, server, SHELL, SHELL)  # from the machine itself


def test_an_administrators_token_needs_the_scope_for_it(admin, server):
    limited = client_of(token_of(admin, [scope for scope in EVERYTHING if scope != "any_program"]))
    told = by_api(limited, server, SHELL, OWN)
    assert told.status_code == 403 and "needs the scope any_program" in told.json()["detail"]
    assert by_api(limited, server, OWN, OWN).status_code == 200


def test_an_owner_cannot_change_a_command_of_an_administrator(client, admin, maria, server):
    actions.mark_expendable(admin, server, SHELL, SHELL)
    assert by_page(client, maria, server, [*SHELL[:2], "reboot"], SHELL).status_code == 403
    server.refresh_from_db()
    assert (server.expendable, server.crash_command) == (True, SHELL)
    client.post(f"/servers/{server.pk}/expendable/withdraw/")
    server.refresh_from_db()
    assert not server.expendable, "but it is theirs to withdraw"


def test_the_page_says_what_may_be_run(client, settings, admin, maria, server):
    page = f"/servers/{server.pk}/expendable/"
    client.force_login(maria)
    assert "<code>/usr/local/bin/power</code>, <code>/usr/local/bin/reset</code>" in flat(client.get(page).text)
    settings.CRASH_PROGRAMS = ()
    assert "an administrator must set the command" in flat(client.get(page).text)
    client.force_login(admin)
    assert "an administrator must" not in flat(client.get(page).text)


def test_programs_are_listed_by_their_whole_path():
    assert crash_programs({"DURASCOPE_CRASH_PROGRAMS": "/a/b:/c d/e:"}) == ("/a/b", "/c d/e")
    with pytest.raises(ValueError, match="holds 'ssh'"):
        crash_programs({"DURASCOPE_CRASH_PROGRAMS": "/a/b:ssh"})


def test_a_failover_manager_is_a_list_of_arguments_with_a_whole_path():
    assert failover_command({}) == ()
    assert failover_command({"DURASCOPE_FAILOVER_COMMAND": '["/a/b", "-v 1"]'}) == ("/a/b", "-v 1")
    for wrong in ("[oops", '["manager"]', "/a/b -v", '["/a/b", 3]', "[", '{"a": 1}'):
        with pytest.raises(ValueError, match="DURASCOPE_FAILOVER_COMMAND is no command"):
            failover_command({"DURASCOPE_FAILOVER_COMMAND": wrong})
