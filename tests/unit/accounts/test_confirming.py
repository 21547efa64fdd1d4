"""Acts that outlast a stolen session ask once more who one is, and then go on where they stopped."""

import time
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client

from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import role_of
from dashboard.records.api.models import ApiToken
from dashboard.records.servers.models import Server
from tests.confirmed import confirm
from tests.unit.accounts.test_sign_on import come_back, sign_on
from tests.unit.api.tokens import somebody

__all__ = ["sign_on"]
pytestmark = pytest.mark.django_db
PASSWORD = "a long test password"
TOKEN = {"name": "script", "scopes": ["see"], "days": "30"}


@pytest.fixture
def stolen(client, admin):
    """An administrator's session, of which nobody has confirmed anything."""
    client.force_login(admin)
    return client


@pytest.fixture
def maria(db):
    return somebody(Role.VIEWER, "maria")


@pytest.fixture
def server(admin):
    return Server.objects.create(name="db1", kind="attached", host="192.0.2.1", user="u", owner=admin)


def state():
    """All that the acts below could change."""
    return (
        list(User.objects.order_by("pk").values("username", "password", "is_active", "person__role")),
        list(ApiToken.objects.values()),
        list(Server.objects.values("expendable", "crash_command")),
        list(SocialAccount.objects.values()),
    )


ACTS = {
    "/tokens/make/": TOKEN,
    "/people/add/": {"name": "eve", "role": "administrator"},
    "/people/{maria}/role/": {"role": "administrator"},
    "/people/{maria}/activate/": {},
    "/people/{maria}/password/": {},
    "/people/{maria}/factors/": {},
    "/servers/{server}/expendable/": {"name": "db1", "crash": "/bin/sh -c id", "start": "/bin/true"},
    "/second-factors/app/add/": {},
    "/second-factors/app/remove/": {},
    "/second-factors/passkeys/add/": {},
    "/second-factors/codes/renew/": {},
    "/sign-on/": {},
}


@pytest.mark.parametrize("act", ACTS)
def test_a_stolen_session_is_asked_who_it_is_and_changes_nothing(stolen, maria, server, admin, act):
    if "app/remove" in act or "codes" in act:
        TOTP.activate(admin, generate_totp_secret())
        RecoveryCodes.activate(admin)
    before = state()
    answer = stolen.post(act.format(maria=maria.pk, server=server.pk), ACTS[act])
    assert answer.status_code == 302 and answer["Location"].startswith("/password/confirm/?next="), answer
    assert state() == before


@pytest.mark.parametrize("path", ["/people/{maria}/deactivate/", "/people/{maria}/tokens/", "/people/{maria}/end/"])
def test_taking_rights_away_is_never_delayed(stolen, maria, path):
    assert stolen.post(path.format(maria=maria.pk))["Location"] == f"/people/{maria.pk}/"


def test_pages_are_shown_without_confirming(stolen, maria, server):
    for path in ("/tokens/", "/people/add/", f"/people/{maria.pk}/", f"/servers/{server.pk}/expendable/"):
        assert stolen.get(path).status_code == 200


def test_after_the_password_it_goes_on_where_it_stopped(stolen, admin):
    asked = stolen.post("/tokens/make/", TOKEN)
    assert b"Confirm that it is you" in stolen.get(asked["Location"]).content
    wrong = stolen.post(asked["Location"], {"password": "another long password", "next": "/tokens/make/"})
    assert wrong.status_code == 200 and not ApiToken.objects.exists()
    made = stolen.post(asked["Location"], {"password": PASSWORD, "next": "/tokens/make/"})
    assert made.status_code == 200 and "durascope_" in made.content.decode()
    assert ApiToken.objects.get().user == admin
    assert stolen.post("/tokens/make/", TOKEN).status_code == 200, "once within five minutes is enough"


def test_a_form_sent_before_the_confirmation_needs_the_right_again_after_it(stolen, admin, maria):
    """The form was sent as an administrator; in between somebody took that role away."""
    asked = stolen.post(f"/people/{maria.pk}/role/", {"role": "administrator"})
    admin.person.role = Role.VIEWER
    admin.person.save()
    stolen.post(asked["Location"], {"password": PASSWORD, "next": f"/people/{maria.pk}/role/"})
    assert role_of(User.objects.get(pk=maria.pk)) == Role.VIEWER


def test_confirming_lasts_five_minutes(stolen, admin, monkeypatch):
    confirm(stolen, admin)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 299)
    assert stolen.post("/tokens/make/", TOKEN).status_code == 200
    monkeypatch.setattr(time, "time", lambda: now + 301)
    assert stolen.post("/tokens/make/", TOKEN).status_code == 302


def test_a_person_without_a_password_confirms_with_the_second_factor(stolen, admin):
    """Company sign-on and an authenticator app: no password."""
    admin.set_unusable_password()
    admin.save()
    stolen.force_login(admin)
    TOTP.activate(admin, generate_totp_secret())
    assert stolen.post("/tokens/make/", TOKEN)["Location"].startswith("/second-factors/reauthenticate/?next=")


@pytest.fixture
def grace(admin):
    """Company sign-on alone."""
    user = somebody(Role.OPERATOR, "grace")
    user.set_unusable_password()
    user.save()
    SocialAccount.objects.create(user=user, provider="company", uid="4711")
    return user


def test_a_person_with_company_sign_on_only_logs_in_there_again(client, grace, sign_on):
    client.force_login(grace)
    told = client.post("/tokens/make/", TOKEN, headers={"Referer": "http://testserver/tokens/"})
    asked = parse_qs(urlsplit(told["Location"]).query)
    assert told["Location"].startswith("/sign-on/company/login/?")
    assert (asked["next"], asked["auth_params"]) == (["/tokens/"], ["prompt=login"])
    assert "Nothing was changed yet" in client.get(told["Location"]).content.decode()
    away = parse_qs(urlsplit(client.post(told["Location"])["Location"]).query)
    assert away["prompt"] == ["login"], "the company asks again instead of knowing the browser"
    back = client.get("/sign-on/company/callback/", {"code": "c", "state": away["state"][0]})
    assert back["Location"] == "/tokens/"
    assert client.post("/tokens/make/", TOKEN).status_code == 200
    assert ApiToken.objects.get().user == grace


def test_a_login_at_the_company_long_ago_is_none(client, grace, sign_on, monkeypatch):
    come_back(client)
    assert client.post("/tokens/make/", TOKEN).status_code == 200
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 301)
    assert client.post("/tokens/make/", TOKEN).status_code == 302


def test_the_way_back_leads_to_no_other_site(client, grace, sign_on):
    client.force_login(grace)
    told = client.post("/tokens/make/", TOKEN, headers={"Referer": "https://evil.example.org/tokens/"})
    assert parse_qs(urlsplit(told["Location"]).query)["next"] == ["/"]


def test_a_person_with_no_way_to_confirm_is_refused(client, admin):
    eve = somebody(Role.OPERATOR, "eve")
    eve.set_unusable_password()
    eve.save()
    client.force_login(eve)
    told = client.post("/tokens/make/", TOKEN)
    assert told.status_code == 403 and b"one-time password" in told.content and not ApiToken.objects.exists()


def test_connecting_the_company_asks_too(admin, sign_on):
    """It would be another way in for ever."""
    client = Client()
    client.force_login(admin)
    page = come_back(client, "connect").content.decode()
    assert "Confirm that it is you" in page and not SocialAccount.objects.exists()
