"""Tokens: made and shown once, hashed, scoped, expiring, revoked; wrong ones are counted."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.pages.api import actions
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed
from dashboard.records.api.models import ApiToken
from dashboard.records.audit.models import Event
from tests.confirmed import confirm
from tests.unit.api.tokens import client_of, script, somebody, token_of

pytestmark = pytest.mark.django_db
HERE = "/api/v1/servers"


@pytest.fixture
def maria(db):
    return somebody(Role.OPERATOR, "maria")


@pytest.fixture
def page(client, maria):
    client.force_login(maria)
    confirm(client, maria)
    return client


def made_on(page, **fields):
    answer = page.post("/tokens/make/", {"name": "nightly", "scopes": ["see", "run"], "days": "30", **fields})
    found = re.search(r"<code>(durascope_[\w-]+)</code>", answer.content.decode())
    return answer, found[1] if found else ""


def test_the_page_makes_a_token_that_works_and_is_shown_once(page, maria):
    answer, text = made_on(page)
    assert answer["Cache-Control"] == "no-store" and client_of(text).get(HERE).status_code == 200
    token = ApiToken.objects.get()
    assert token.scopes == ["run", "see"] and token.token_hash == actions.hashed(text)
    assert timedelta(days=29) < token.expires_at - timezone.now() <= timedelta(days=30)
    again = page.get("/tokens/").content.decode()
    assert text not in again and token.prefix in again
    assert text not in str([list(ApiToken.objects.values()), list(Event.objects.values())])
    assert Event.objects.get(did="made token").detail == {"name": "nightly", "scopes": ["run", "see"], "days": 30}


@pytest.mark.parametrize("fields", [{"scopes": []}, {"scopes": ["fly"]}, {"scopes": ["administer"]}, {"days": "0"},
                                    {"days": "99999"}, {"name": ""}])  # fmt: skip
def test_the_page_refuses_what_does_not_fit(page, fields):
    answer, text = made_on(page, **fields)
    assert answer.status_code == 200 and not text and not ApiToken.objects.exists()


def test_a_token_cannot_have_more_rights_than_its_owner(client):
    viewer = somebody(Role.VIEWER)
    with pytest.raises(NotAllowed):
        actions.make(viewer, "x", ["see", "run"], 1)
    client.force_login(viewer)
    confirm(client, viewer)
    answer, text = made_on(client)
    assert not text and not ApiToken.objects.exists()
    assert 'value="run"' not in answer.content.decode() and 'value="see"' in answer.content.decode()


def test_a_token_falls_with_its_persons_role(maria):
    client = script(maria)
    assert client.post("/api/v1/experiments/7/cancel").status_code == 404
    Person.objects.filter(user=maria).update(role=Role.VIEWER)
    assert client.post("/api/v1/experiments/7/cancel").status_code == 403
    assert client.get(HERE).status_code == 200


def test_a_token_ends_with_its_account(maria):
    client = script(maria)
    User.objects.filter(pk=maria.pk).update(is_active=False)
    answer = client.get(HERE)
    assert (answer.status_code, "deactivated" in answer.json()["detail"]) == (401, True)


def test_tokens_rest_while_somebody_else_knows_the_password(maria):
    client = script(maria)
    Person.objects.filter(user=maria).update(must_change_password=True)
    assert client.get(HERE).status_code == 403
    Person.objects.filter(user=maria).update(must_change_password=False)
    assert client.get(HERE).status_code == 200


def test_an_expired_token_opens_nothing(maria):
    answer = client_of(token_of(maria, expires_in=-timedelta(seconds=1))).get(HERE)
    assert (answer.status_code, "expired" in answer.json()["detail"]) == (401, True)


def test_a_revoked_token_opens_nothing(page, maria):
    _, text = made_on(page)
    token = ApiToken.objects.get()
    assert page.post(f"/tokens/{token.pk}/revoke/").status_code == 302
    answer = client_of(text).get(HERE)
    assert (answer.status_code, "revoked" in answer.json()["detail"]) == (401, True)
    assert Event.objects.get(did="revoked token").what == token.prefix


def test_the_token_of_another_person_cannot_be_revoked(page):
    token_of(somebody(Role.OPERATOR, "otto"))
    theirs = ApiToken.objects.get()
    assert page.post(f"/tokens/{theirs.pk}/revoke/").status_code == 404
    assert ApiToken.objects.get().revoked_at is None


def test_an_administrator_may_revoke_anybodys(maria, admin):
    token_of(maria)
    with pytest.raises(NotAllowed):
        actions.revoke(somebody(Role.OPERATOR, "otto"), ApiToken.objects.get())
    actions.revoke(admin, ApiToken.objects.get())
    assert Event.objects.get(did="revoked token").detail["of"] == "maria"


def test_an_administrator_revokes_all_of_somebodys_on_their_page(maria, client_in):
    scripts = [script(maria), script(maria)]
    here = f"/people/{maria.pk}/"
    assert "Revoke API tokens" in client_in.get(here).content.decode()
    assert client_in.post(f"{here}tokens/").status_code == 302
    assert [one.get(HERE).status_code for one in scripts] == [401, 401]
    assert Event.objects.filter(did="revoked token").count() == 2
    assert "Revoke API tokens" not in client_in.get(here).content.decode()


def test_the_last_use_is_noted_once_a_minute(maria):
    client = script(maria)
    client.get(HERE)
    first = ApiToken.objects.get().used_at
    assert first
    client.get(HERE)
    assert ApiToken.objects.get().used_at == first
    ApiToken.objects.update(used_at=first - timedelta(minutes=2))
    client.get(HERE)
    assert ApiToken.objects.get().used_at >= first


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic bWFyaWE6c2VjcmV0", "durascope_x", "Bearer\tx"])
def test_a_header_without_a_token_is_refused_and_not_counted(header):
    answer = Client().get(HERE, headers={"Authorization": header})
    assert answer.status_code == 401 and answer["WWW-Authenticate"].startswith("Bearer")
    assert not Event.objects.filter(did="token failed").exists()


def test_wrong_tokens_are_logged_without_what_they_might_be():
    Client().get(HERE, headers={"Authorization": "Bearer correct horse battery staple"})
    Client().get(HERE, headers={"Authorization": "Bearer durascope_abcdefghijklmnop"})
    assert [event.what for event in Event.objects.filter(did="token failed").order_by("pk")] == [
        "something else",
        "durascope_abcdef",
    ]
    assert "horse" not in str(list(Event.objects.values())) and "ghijkl" not in str(list(Event.objects.values()))


def test_after_five_wrong_ones_one_waits_and_right_ones_do_not(maria):
    wrong, right = client_of("durascope_abcdefghijklmnop"), script(maria)
    assert [wrong.get(HERE).status_code for _ in range(7)] == [401] * 5 + [429] * 2
    answer = wrong.get(HERE)
    assert answer["Retry-After"] == "600" and answer["Content-Type"] == "application/problem+json"
    assert "Wait 10 minutes" in answer.json()["detail"]
    assert right.get(HERE).status_code == 200
    assert Event.objects.filter(did="token failed").count() == 5


def test_an_address_with_many_wrong_tokens_gets_429():
    told = [client_of(f"durascope_{n:06}abc").get(HERE).status_code for n in range(32)]
    assert told == [401] * 30 + [429] * 2


def test_wrong_tokens_and_wrong_passwords_are_counted_apart(maria, client):
    for n in range(31):
        client_of(f"durascope_{n:06}abc").get(HERE)
    answer = client.post("/login/", {"login": "maria", "password": "a long test password"})
    assert answer.status_code == 302
