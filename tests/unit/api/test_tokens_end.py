"""Tokens end with the password under which they were made, whoever changes it."""

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management import call_command

from dashboard.records.accounts import actions as people
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from tests.unit.api.tokens import script, somebody

pytestmark = pytest.mark.django_db
OLD, NEW = "a long test password", "another long password"


@pytest.fixture
def maria(db):
    return somebody(Role.OPERATOR, "maria")


def own(client, admin, user):
    client.force_login(user)
    answer = client.post("/password/", {"oldpassword": OLD, "password1": NEW, "password2": NEW})
    assert answer.status_code == 302


def changepassword(client, admin, user, monkeypatch=None):
    from django.contrib.auth.management.commands.changepassword import Command

    asked = iter([NEW, NEW])
    command = Command()
    command._get_pass = lambda prompt="": next(asked)
    call_command(command, user.username)


WAYS = {
    "changed by the person": own,
    "reset by an administrator": lambda client, admin, user: people.new_password(admin, user),
    "makeadmin --reset": lambda client, admin, user: people.reset_administrator(user.username),
    "changepassword": changepassword,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_new_password_ends_the_tokens_of_its_person_alone(client, admin, maria, way):
    hers, others = [script(maria), script(maria, "see")], script(admin)
    assert all(one.get("/api/v1/servers").status_code == 200 for one in (*hers, others))
    WAYS[way](client, admin, maria)
    assert not User.objects.get(pk=maria.pk).check_password(OLD)
    for one in hers:
        told = one.get("/api/v1/servers")
        assert told.status_code in (401, 403) and maria.api_tokens.filter(revoked_at=None).count() == 0
    assert others.get("/api/v1/servers").status_code == 200
    noted = Event.objects.filter(did="revoked token")
    assert noted.count() == 2 and noted.first().detail == {"of": "maria", "why": "the password changed"}


def test_a_wrong_attempt_ends_none(client, maria):
    hers = script(maria)
    client.force_login(maria)
    client.post("/password/", {"oldpassword": "wrong one altogether", "password1": NEW, "password2": NEW})
    client.post("/password/", {"oldpassword": OLD, "password1": "short", "password2": "short"})
    assert hers.get("/api/v1/servers").status_code == 200


def test_a_login_that_renews_the_hash_ends_none(client, maria, settings):
    """Django does so when a new version of it counts more rounds."""
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        "django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher",
    ]
    weak = make_password(OLD, hasher="pbkdf2_sha1")
    User.objects.filter(pk=maria.pk).update(password=weak)
    hers = script(maria)
    assert client.post("/login/", {"login": "maria", "password": OLD}).status_code == 302
    assert User.objects.get(pk=maria.pk).password != weak
    assert hers.get("/api/v1/servers").status_code == 200


def test_the_form_says_so_before(client, maria):
    client.force_login(maria)
    assert b"revokes all API tokens of the account" in client.get("/password/").content
