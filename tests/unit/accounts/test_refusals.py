"""Whoever is refused leaves a trace with name and address, and can fill the log with it no further than a few lines."""

import json

import pytest
from django.db import DatabaseError
from django.test import Client

from dashboard.pages.accounts import refusals
from dashboard.records.accounts.models import Attempt, Person
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import script, somebody

pytestmark = pytest.mark.django_db
HERE = {"REMOTE_ADDR": "192.0.2.9"}


@pytest.fixture
def maria():
    return somebody(Role.OPERATOR, "maria")


@pytest.fixture
def hers(client, maria):
    client.force_login(maria)
    return client


def kept():
    return list(Event.objects.filter(did="refused").order_by("pk"))


def test_a_page_that_is_not_for_this_role(hers, maria):
    assert hers.get("/audit/", **HERE).status_code == 403
    [event] = kept()
    assert (event.who, event.what) == (maria, "/audit/")
    assert event.detail["address"] == "192.0.2.9" and event.detail["method"] == "GET"
    assert "you must be an administrator" in event.detail["why"]


def test_an_action_on_what_is_somebody_elses(hers, admin):
    """Refused inside a transaction, which takes back whatever was written in it."""
    server = actions.register(admin, Server(name="db1", kind="attached", host="192.0.2.1", user="u"), "secret")
    assert hers.post(f"/servers/{server.pk}/delete/", **HERE).status_code == 403
    [event] = kept()
    assert event.detail["why"].startswith("Only the owner of db1 and administrators") and event.name == "maria"


def test_a_program_with_a_token(maria):
    server = {"kind": "sandbox", "name": "x", "build": "system-mariadb"}
    answer = script(maria, "see").post("/api/v1/servers", json.dumps(server), "application/json", **HERE)
    assert answer.status_code == 403
    [event] = kept()
    assert event.name == "maria" and event.detail["via"].startswith("token ") and "scope" in event.detail["why"]


def test_a_token_that_may_not_read_the_metrics(maria):
    assert script(maria, "see").get("/metrics", **HERE).status_code == 403
    [event] = kept()
    assert event.who == maria and event.detail["via"].startswith("token ") and "scope" in event.detail["why"]


def test_a_token_of_a_person_who_must_change_the_password(maria):
    Person.objects.filter(user=maria).update(must_change_password=True)
    for address in ("/metrics", "/api/v1/servers"):
        assert script(maria).get(address, **HERE).status_code == 403
    assert [event.who for event in kept()] == [maria] * 2


def test_a_form_of_another_site(maria):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(maria)
    assert strict.post("/servers/register/", {"name": "x"}, **HERE).status_code == 403
    assert [event.name for event in kept()] == ["maria"]


def test_an_unknown_person_has_an_address_only():
    assert Client(enforce_csrf_checks=True).post("/login/", {"login": "x"}, **HERE).status_code == 403
    [event] = kept()
    assert (event.who, event.name, event.detail["address"]) == (None, "", "192.0.2.9")


def test_refused_logins_are_kept_though_their_status_is_not_403(client, admin):
    for _ in range(7):
        client.post("/login/", {"login": "admin", "password": "guess"}, **HERE)
    assert [event.detail["why"] for event in kept()] == ["Too many failed logins: nothing was checked."] * 2


def test_an_allowed_request_leaves_no_refusal(hers, client_in):
    hers.get("/servers/")
    client_in.get("/audit/")
    assert kept() == []


def test_the_token_of_a_share_link_is_not_kept():
    Client(enforce_csrf_checks=True).post(f"/share/{'x' * 32}/", **HERE)
    assert [event.what for event in kept()] == ["/share/[token]/"]


def test_a_person_fills_the_log_no_further_than_a_few_lines(hers):
    for _ in range(refusals.MOST + 5):
        hers.get("/audit/", **HERE)
    assert len(kept()) == refusals.MOST
    assert kept()[-1].detail["note"] == refusals.LAST and "note" not in kept()[-2].detail


def test_from_many_addresses_no_further_than_a_few_more(monkeypatch):
    monkeypatch.setattr(refusals, "MOST", 3)
    monkeypatch.setattr(refusals, "MOST_WITHOUT_LOGIN", 8)
    strict = Client(enforce_csrf_checks=True)
    for number in range(20):
        strict.post("/login/", REMOTE_ADDR=f"2001:db8:{number}::1")
    assert len(kept()) == 8
    assert Attempt.objects.filter(kind="refused").count() == 16, "nor the table of attempts"


def test_refusals_of_one_address_do_not_use_up_the_limit_of_all_addresses(monkeypatch):
    monkeypatch.setattr(refusals, "MOST", 3)
    monkeypatch.setattr(refusals, "MOST_WITHOUT_LOGIN", 8)
    strict = Client(enforce_csrf_checks=True)
    for _ in range(20):
        strict.post("/login/", REMOTE_ADDR="192.0.2.1")
    strict.post("/login/", REMOTE_ADDR="192.0.2.2")
    assert [event.detail["address"] for event in kept()] == ["192.0.2.1"] * 3 + ["192.0.2.2"]


def test_unknown_addresses_leave_room_for_people(hers, monkeypatch):
    monkeypatch.setattr(refusals, "MOST_WITHOUT_LOGIN", 1)
    strict = Client(enforce_csrf_checks=True)
    for number in range(3):
        strict.post("/login/", REMOTE_ADDR=f"192.0.2.{number}")
    hers.get("/audit/", **HERE)
    assert [event.name for event in kept()] == ["", "maria"]


def test_a_log_that_cannot_be_written_refuses_all_the_same(hers, monkeypatch):
    def broken(*_, **__):
        raise DatabaseError

    monkeypatch.setattr(refusals, "record", broken)
    assert hers.get("/audit/").status_code == 403


def test_a_line_of_the_log_stays_a_line(hers):
    hers.get("/audit/%0Aroot%20logged%20in")
    hers.get("/people/1/%E2%80%AE")
    assert all(event.what.isprintable() and event.what.isascii() for event in kept())
