"""The pages of servers, as somebody logged in sees them."""

import pytest

from dashboard.installation import vault
from dashboard.records.audit.models import Event
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server

GOOD = {"name": "db", "host": "db.example.org", "port": 3306, "user": "u", "tls": "preferred", "label": "test"}


def page(client, path, **options):
    answer = client.get(path, **options)
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_empty_list_says_what_to_do(client_in):
    assert "No server yet" in page(client_in, "/servers/")


def test_an_attached_server_is_registered(client_in, admin, password):
    answer = client_in.post("/servers/register/", GOOD | {"password": password})
    server = Server.objects.get()
    assert answer["Location"] == f"/servers/{server.pk}/"
    assert server.target().password == password
    assert server.owner == admin
    assert password.encode() not in bytes(server.password_sealed)
    event = Event.objects.get(did="registered")
    assert password not in str(event.detail)


def test_a_sandbox_is_registered(client_in):
    client_in.post("/servers/register/?kind=sandbox", {"name": "box", "build": "system-mariadb"})
    server = Server.objects.get()
    assert (server.kind, server.build, server.host) == ("sandbox", "system-mariadb", "")
    assert "box" in page(client_in, f"/servers/{server.pk}/")


def test_a_refused_form_is_shown_again_with_the_error(client_in, password):
    answer = client_in.post("/servers/register/", GOOD | {"host": "db:3307", "password": password})
    assert answer.status_code == 200
    assert "the port has its own field" in answer.content.decode()
    assert password not in answer.content.decode()
    assert not Server.objects.exists()


def test_the_grants_are_shown_on_the_form_and_on_the_page(client_in, server):
    assert "GRANT " in page(client_in, "/servers/register/")
    assert "&#x27;bench&#x27;@&#x27;%&#x27;" in page(client_in, f"/servers/{server.pk}/")


def test_the_grants_stand_beside_the_form_that_edits(client_in, server):
    assert "&#x27;bench&#x27;@&#x27;%&#x27;" in page(client_in, f"/servers/{server.pk}/edit/")


@pytest.mark.parametrize("tested", [True, False])
def test_one_button_saves_and_tests(client_in, password, tested):
    assert "Register and test" in page(client_in, "/servers/register/")
    answer = client_in.post("/servers/register/", GOOD | {"password": password} | ({"test": "1"} if tested else {}))
    server = Server.objects.get()
    assert answer["Location"] == f"/servers/{server.pk}/" and server.preflights.exists() == tested
    client_in.post(f"/servers/{server.pk}/edit/", GOOD | {"name": "renamed", "password": password, "test": "1"})
    assert server.preflights.count() == 1, "one that waits is not asked for twice"


def test_a_sandbox_is_saved_without_a_test(client_in):
    assert "Register and test" not in page(client_in, "/servers/register/?kind=sandbox")


def test_an_unknown_kind_of_server_is_ignored(client_in):
    assert "Register a server" in page(client_in, "/servers/register/?kind=<b>")


@pytest.mark.parametrize("path", ["/servers/", "/servers/{}/", "/servers/{}/edit/"])
def test_names_are_escaped_and_no_password_is_shown(client_in, server, path):
    shown = page(client_in, path.format(server.pk))
    assert "<b>Bobby" not in shown
    assert "&lt;b&gt;Bobby" in shown and "🐬" in shown
    assert "<script>" not in shown.split("<main")[1]
    assert "p4ssword" not in shown


def test_an_edit_with_a_blank_password_keeps_the_stored_one(client_in, server, password):
    client_in.post(f"/servers/{server.pk}/edit/", GOOD | {"name": "renamed", "user": "bench", "password": ""})
    server.refresh_from_db()
    assert (server.name, server.target().password) == ("renamed", password)
    assert Event.objects.get(did="changed").what == "renamed"


def test_an_edit_with_a_password_changes_the_stored_one(client_in, server):
    client_in.post(f"/servers/{server.pk}/edit/", GOOD | {"password": "  new one "})
    server.refresh_from_db()
    assert server.target().password == "  new one "
    assert "new one" not in str(list(Event.objects.values()))


def test_a_refused_edit_changes_nothing(client_in, server):
    answer = client_in.post(f"/servers/{server.pk}/edit/", GOOD | {"name": "other", "port": "0"})
    assert "Edit &lt;b&gt;Bobby" in answer.content.decode()
    server.refresh_from_db()
    assert server.name.startswith("<b>Bobby")


def test_a_lost_key_of_the_password_is_reported(client_in, server, tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    shown = page(client_in, f"/servers/{server.pk}/")
    assert "no longer has" in shown and "enter its password again" in shown


def test_a_server_is_not_registered_when_no_password_can_be_sealed(client_in, monkeypatch, password):
    monkeypatch.setenv(vault.ENVIRONMENT, "not a key")
    answer = client_in.post("/servers/register/", GOOD | {"password": password}, follow=True)
    assert "cannot be read" in answer.content.decode()
    assert not Server.objects.exists()


def test_pending_restores_are_shown(client_in, server):
    PendingRestore.objects.create(server=server, kind="variable", name="sync_binlog", old="1", problem="no answer <i>")
    PendingRestore.objects.create(server=server, kind="schema", name="durascope_7")
    shown = page(client_in, f"/servers/{server.pk}/")
    assert "Still to be put back" in shown
    assert "sync_binlog" in shown and "durascope_7" in shown and "no answer &lt;i&gt;" in shown


def test_a_server_is_deleted(client_in, server):
    client_in.post(f"/servers/{server.pk}/delete/")
    assert not Server.objects.exists()
    assert Event.objects.get(did="deleted").what.startswith("<b>Bobby")


def test_a_get_changes_nothing(client_in, server):
    assert client_in.get(f"/servers/{server.pk}/delete/").status_code == 405
    assert client_in.get(f"/servers/{server.pk}/test/").status_code == 405
