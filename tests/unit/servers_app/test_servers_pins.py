"""A person confirms the certificate or key that a server shows."""

from dataclasses import asdict, replace
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from dashboard.commands import key_lines
from dashboard.local import doctor
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.refused import Refused
from dashboard.records.servers import actions, pins
from dashboard.records.servers.models import Preflight, Server
from tests.unit.schedules.made import somebody
from tests.unit.servers.test_logins import Key
from tests.unit.servers_app.test_servers_importing import command
from tests.unit.servers_app.test_servers_moving import edit
from workers.errors import Unreachable
from workers.servers import keys
from workers.servers.keys import SeenKeys
from workers.servers.pins import fingerprint, key_fingerprint

ONE, OTHER = fingerprint(b"one"), fingerprint(b"other")


@pytest.fixture(scope="module")
def pem():
    return Key().pem.decode()


def saw(server, seen):
    stored = None if seen is None else asdict(seen)
    return Preflight.objects.create(server=server, state="done", done_at=timezone.now(), keys=stored)


def page(client, server):
    return client.get(f"/servers/{server.pk}/").text


def confirm(client, server, shown):
    return client.post(f"/servers/{server.pk}/confirm-key/", {"shown": shown}, follow=True).text


def pinned(server):
    now = Server.objects.get(pk=server.pk)
    return now.certificate_pin, now.key_pin, now.any_key


def test_the_owner_confirms_what_the_newest_test_saw(client_in, server, pem):
    saw(server, SeenKeys(ONE, pem))
    shown = page(client_in, server)
    assert ONE in shown and key_fingerprint(pem) in shown and "Confirm this key" in shown
    assert "is confirmed" in confirm(client_in, server, pins.keys(server).shown)
    target = Server.objects.get().target()
    assert (target.certificate_pin, target.key_pin, target.any_key) == (ONE, pem, False)
    event = Event.objects.get(did="confirmed the key")
    assert event.detail == {"certificate": ONE, "key": key_fingerprint(pem)}
    assert "Confirm this key" not in (after := page(client_in, server)) and "Confirmed." in after


def test_what_was_not_seen_is_not_confirmed(client_in, server):
    """Between the page and the button a test saw another certificate."""
    saw(server, SeenKeys(ONE))
    shown = pins.keys(server).shown
    saw(server, SeenKeys(OTHER))
    assert "Nothing was confirmed" in confirm(client_in, server, shown)
    assert pinned(server) == ("", "", False)


def test_without_a_test_nothing_is_confirmed(client_in, server):
    saw(server, None)
    assert "Nothing was confirmed" in confirm(client_in, server, "/")


def test_a_change_is_told_with_both_fingerprints(client_in, server):
    pins.pin(None, server, SeenKeys(ONE))
    server.refresh_from_db()
    saw(server, SeenKeys(OTHER))
    shown = page(client_in, server)
    assert "another certificate or key" in shown and ONE in shown and OTHER in shown
    confirm(client_in, server, pins.keys(server).shown)
    assert pinned(server)[0] == OTHER


def test_only_a_person_who_may_change_the_server_confirms(client, server):
    saw(server, SeenKeys(ONE))
    client.force_login(somebody("maria", Role.OPERATOR))  # not its owner
    assert "Confirm this key" not in page(client, server)
    assert client.post(f"/servers/{server.pk}/confirm-key/", {"shown": f"{ONE}/"}).status_code == 403
    assert pinned(server) == ("", "", False)


@pytest.mark.parametrize("changed", [{"host": "", "socket": "/run/x"}, {"tls": "verify"}], ids=["socket", "verify"])
def test_a_server_with_a_better_proof_has_nothing_to_confirm(client_in, server, changed):
    saw(server, SeenKeys(ONE))
    Server.objects.update(**changed, any_key=True)
    assert "Key of the server" not in page(client_in, server)
    assert not pins.unconfirmed()


def test_at_a_new_address_nothing_is_confirmed(client_in, server, pem):
    saw(server, SeenKeys(ONE))
    pins.pin(None, server, SeenKeys(ONE, pem))
    edit(client_in, server, password="given again")
    assert pinned(server) == ("", "", False) and pins.keys(Server.objects.get()) is None


def test_a_test_that_runs_while_the_address_changes_is_asked_again(client_in, server):
    """Its worker has reached the old address."""
    asked = Preflight.objects.create(server=server)
    actions.begin_preflight(asked.pk, "a worker")
    asked.refresh_from_db()
    edit(client_in, server, password="given again")
    actions.finish_preflight(asked, [], keys=SeenKeys(ONE))
    asked.refresh_from_db()
    assert (asked.state, asked.keys) == ("queued", None)
    assert actions.begin_preflight(asked.pk, "another worker").pk == server.pk


@pytest.mark.parametrize(("tls", "asks"), [("required", ("certificate",)), ("off", ("key",))])
def test_what_another_tls_mode_does_not_ask_for_has_not_changed(client_in, server, pem, tls, asks):
    pins.pin(None, server, SeenKeys(ONE, pem))
    Server.objects.update(tls=tls)
    server.refresh_from_db()
    saw(server, SeenKeys(**{name: {"certificate": ONE, "key": pem}[name] for name in asks}))
    assert not pins.keys(server).changed and not pins.keys(server).is_open
    shown = page(client_in, server)
    assert "not asked for in this TLS mode" in shown and "another certificate or key" not in shown
    confirm(client_in, server, pins.keys(server).shown)
    assert pinned(server) == (ONE, pem, False)


def test_what_is_asked_for_and_gone_has_changed(server, pem):
    pins.pin(None, server, SeenKeys(ONE, pem))
    server.refresh_from_db()
    saw(server, SeenKeys(ONE, ""))
    assert pins.keys(server).changed


def test_what_was_not_asked_for_is_not_what_is_gone(client_in, server, pem):
    """Between the page and the button a test in another TLS mode asked for the key."""
    pins.pin(None, server, SeenKeys(ONE, pem))
    saw(server, SeenKeys(OTHER))
    shown = pins.keys(server).shown
    saw(server, SeenKeys(OTHER, ""))
    assert "Nothing was confirmed" in confirm(client_in, server, shown)


@pytest.mark.parametrize("moved", [{"host": "elsewhere.example.org"}, {"site": "far"}], ids=["host", "site"])
def test_a_pin_for_the_old_address_is_refused(server, moved):
    Server.objects.update(**moved)
    with pytest.raises(Refused, match="changed meanwhile"):
        pins.pin(None, server, SeenKeys(ONE))
    assert pinned(server) == ("", "", False)


def test_servers_of_the_version_before_may_show_any_key_until_they_are_confirmed(client_in, server, sandbox):
    by_socket = Server.objects.create(name="here", kind="attached", socket="/run/x", user="u")
    verified = Server.objects.create(name="verified", kind="attached", host="v.example.org", tls="verify", user="u")
    import_module("dashboard.records.servers.migrations.0006_pins").accept_any_key(apps, None)
    of = {one.name: one.any_key for one in Server.objects.all()}
    assert of == {server.name: True, sandbox.name: False, by_socket.name: False, verified.name: False}
    assert [*pins.unconfirmed()] == [server] and doctor._servers().state == "limited"
    assert server.name in doctor._servers().says
    saw(server, SeenKeys())
    assert "Until the next version" in page(client_in, server)
    confirm(client_in, server, pins.keys(Server.objects.get(pk=server.pk)).shown)
    assert pinned(server) == ("", "", False) and doctor._servers().state == "works"


@pytest.fixture
def show(monkeypatch):
    """What servers show, by host."""
    shown = {}

    def seen(target):
        found = shown[target.host]
        if isinstance(found, Exception):
            raise found
        assert not target.password
        return found

    monkeypatch.setattr(keys, "seen", seen)
    return shown


@pytest.fixture
def three(db, show, pem):
    """A new one with a key, one whose certificate changed, and one that is not reached."""
    for name, pin in (("new", ""), ("changed", ONE), ("silent", "")):
        Server.objects.create(name=name, kind="attached", host=name, user="u", certificate_pin=pin)
    show |= {"new": SeenKeys(key=pem), "changed": SeenKeys(OTHER), "silent": Unreachable("Nothing listens there.")}


def test_the_command_shows_all_fingerprints_and_confirms_what_is_new(three, pem):
    status, out, _ = command("pin", "--all", "--yes")
    assert status == 0 and "1 confirmed" in out and "silent" in out and "Nothing listens there." in out
    assert all(one in out for one in (key_fingerprint(pem), ONE, OTHER))
    assert pinned(Server.objects.get(name="new")) == ("", pem, False)
    assert pinned(Server.objects.get(name="changed")) == (ONE, "", False), "only by its name"
    assert command("pin", "changed", "--yes")[0] == 0
    assert pinned(Server.objects.get(name="changed")) == (OTHER, "", False)
    assert "Nothing was confirmed" in command("pin", "changed", "--yes")[1]


@pytest.mark.parametrize(("answer", "confirmed"), [("y", True), ("", False)])
def test_the_command_asks(three, monkeypatch, answer, confirmed):
    asked = []
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or answer)
    status, _, err = command("pin", "new")
    assert asked == ["Confirm 1? [y/N] "]
    assert (status, "Nothing was confirmed" in err) == ((0, False) if confirmed else (2, True))
    assert bool(pinned(Server.objects.get(name="new"))[1]) == confirmed


@pytest.mark.parametrize("words", [[], ["nobody"], ["new", "--all"]])
def test_the_command_needs_one_server_or_all(three, words):
    assert command("pin", *words, "--yes")[0] == 2


def test_of_servers_of_another_site_their_newest_test_tells(server, show):
    Server.objects.update(site="far")
    [line] = key_lines.read([Server.objects.get()])
    assert line.seen is None and "Test its connection" in "".join(line.lines)
    saw(server, SeenKeys(ONE))
    [line] = key_lines.read([Server.objects.get()])
    assert line.seen == SeenKeys(ONE) and replace(line, why="").to_confirm(by_name=False) == SeenKeys(ONE)


def test_a_server_that_shows_nothing_is_said_to_get_scrambles(server, show):
    show["db.example.org"] = SeenKeys()
    Server.objects.update(any_key=True)
    _, out, _ = command("pin", "--all", "--yes")
    assert "scrambles of the password" in out and pinned(server) == ("", "", False)
