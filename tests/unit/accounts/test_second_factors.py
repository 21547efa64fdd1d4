"""What lies in the database of second factors, and how they are lost and found."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.core.cache import cache

from dashboard.installation import vault
from dashboard.records.accounts import actions
from dashboard.records.audit.models import Event
from dashboard.records.servers import rotation

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
PASSWORD = {"login": "admin", "password": "a long test password"}


@pytest.fixture(autouse=True)
def own_keys(monkeypatch, tmp_path):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))
    cache.clear()


@pytest.fixture
def guarded(admin):
    TOTP.activate(admin, SECRET)
    return admin


def code(wrong=False):
    right = format_hotp_value(hotp_value(SECRET, int(time.time()) // 30))
    return f"{(int(right) + 7) % 10**6:06d}" if wrong else right


def test_secrets_lie_sealed(guarded):
    stored = Authenticator.objects.get().data["secret"]
    assert SECRET not in stored and vault.open_sealed(stored.encode()) == SECRET


def test_new_keys_open_them_still(guarded):
    codes = RecoveryCodes.activate(guarded).get_unused_codes()
    before = Authenticator.objects.get(type="totp").data["secret"]
    assert rotation.rotate_file().lost == ()
    assert Authenticator.objects.get(type="totp").data["secret"] != before
    assert Authenticator.objects.get(type="totp").wrap().validate_code(code())
    assert Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes() == codes


def test_a_factor_that_no_key_opens_is_named(guarded):
    vault.store([vault.new_key()])
    assert rotation.rotate_file().lost == ("admin's second factor",)


def test_the_password_alone_opens_nothing(client, guarded):
    assert client.post("/login/", PASSWORD)["Location"] == "/login/second/"
    assert client.get("/")["Location"].startswith("/login/")
    assert not Event.objects.filter(did="logged in").exists()
    client.post("/login/second/", {"code": code()})
    assert client.get("/").status_code == 200


def test_guessing_codes_is_stopped_even_for_the_right_one(client, guarded):
    client.post("/login/", PASSWORD)
    for _ in range(10):
        client.post("/login/second/", {"code": code(wrong=True)})
    client.post("/login/second/", {"code": code()})
    assert client.get("/").status_code == 302
    failed = Event.objects.filter(did="second factor failed")
    assert 1 <= failed.count() <= 10
    assert failed[0].detail["factor"] == "authenticator app" and failed[0].what == "admin"


def test_an_administrator_helps_whoever_lost_the_telephone(client_in, admin):
    actions.add(None, "maria", "viewer")
    maria = type(admin).objects.get(username="maria")
    TOTP.activate(maria, SECRET)
    assert "Remove second factors" in client_in.get(f"/people/{maria.pk}/").content.decode()
    client_in.post(f"/people/{maria.pk}/factors/")
    assert not Authenticator.objects.exists()
    assert Event.objects.get(did="removed second factor").what == "maria"


def test_the_command_line_helps_the_last_administrator(guarded):
    actions.reset_administrator("admin")
    assert not Authenticator.objects.exists()


def test_there_is_no_page_to_sign_up(client):
    assert client.get("/signup/").status_code == 404
    assert client.post("/sign-on/new/").status_code in (302, 404)
