"""A stored password goes where it was given for, and nowhere else."""

import json

import pytest

from dashboard.installation import vault
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import script, somebody

pytestmark = pytest.mark.django_db
SAME = {"name": "db", "host": "db.example.org", "port": 3306, "user": "bench", "tls": "preferred", "label": "test"}
REROUTED = [
    {"host": "evil.example.org"},
    {"port": 3307},
    {"host": "", "socket": "/run/evil.sock"},
    {"site": "west"},
    {"user": "root"},
    {"tls": "off"},
    {"tls_ca": "/etc/evil.pem"},
]


def edit(client, server, **said):
    return client.post(f"/servers/{server.pk}/edit/", SAME | said, follow=True).text


def patch(client, server, **said):
    return client.patch(f"/api/v1/servers/{server.pk}", json.dumps(said), "application/json")


def stored():
    return Server.objects.values().get()


@pytest.mark.parametrize("said", REROUTED)
def test_a_server_at_another_address_needs_its_password_again(client_in, server, said):
    before = stored()
    page = edit(client_in, server, **said)
    assert "changed: enter the password again" in page and 'id="id_password_error"' in page
    assert stored() == before and not Event.objects.filter(did="changed").exists()
    edit(client_in, server, **said, password="given again")
    assert Server.objects.get().target().password == "given again"
    assert {name: stored()[name] for name in said} == said


@pytest.mark.parametrize("said", REROUTED)
def test_programs_must_give_it_again_too(admin, server, said):
    before, program = stored(), script(admin)
    answer = patch(program, server, **said)
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["pointer"] == "/password" and "enter the password again" in error["detail"]
    assert stored() == before
    assert patch(program, server, **said, password="given again").status_code == 200


def test_the_password_is_kept_while_the_address_stays(client_in, server, password):
    edit(client_in, server, name="other", note="new", label="staging", host=" [db.example.org]")
    one = Server.objects.get()
    assert (one.name, one.note, one.label, one.host) == ("other", "new", "staging", "db.example.org")
    assert one.target().password == password


def test_a_new_owner_cannot_have_it_sent_to_a_machine_of_theirs(client, admin, server):
    mallory = somebody(Role.OPERATOR, "mallory")
    actions.hand_over(admin, server, mallory)
    client.force_login(mallory)
    assert "The host changed: enter the password again" in edit(client, server, host="mallory.example.org")
    assert Server.objects.get().host == "db.example.org"


def test_a_server_without_one_moves_freely(client_in, server):
    for nothing in (b"", vault.seal("")):
        Server.objects.update(password_sealed=nothing, host="db.example.org")
        edit(client_in, server, host="other.example.org")
        assert Server.objects.get().host == "other.example.org"


def test_a_change_of_the_host_needs_the_password_again_even_if_it_cannot_be_opened(client_in, server):
    Server.objects.update(password_sealed=b"sealed elsewhere")
    assert "enter the password again" in edit(client_in, server, host="other.example.org")
