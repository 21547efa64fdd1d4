"""From a one-time password to a login with a second factor and one with a passkey, under the product's own policy."""

import re
import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from playwright.sync_api import expect

from dashboard.records.accounts import actions
from dashboard.records.audit.models import Event

OWN = "a password of my own"


@pytest.fixture
def first_password(transactional_db):
    """Of somebody who was just added as an operator."""
    cache.clear()
    return actions.add(None, "maria", "operator")


def type_login(page, live_server, password):
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill("maria")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in", exact=True).click()


def log_out(page):
    page.locator(".account summary").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def log_in_first(page, live_server, password):
    """With the one-time password, which has to be changed before anything else."""
    type_login(page, live_server, password)
    expect(page.get_by_role("heading", name="Change password")).to_be_visible()
    page.goto(f"{live_server.url}/servers/")
    expect(page.get_by_role("heading", name="Change password")).to_be_visible()
    page.get_by_label("Current Password").fill(password)
    page.get_by_label("New Password", exact=True).fill(OWN)
    page.get_by_label("New Password (again)").fill(OWN)
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("Your password was changed")).to_be_visible()


def confirm(page):
    """What changes the account's security asks for the password once more."""
    page.get_by_label("Password").fill(OWN)
    page.get_by_role("button", name="Confirm").click()


def code(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def test_a_second_factor_is_added_and_asked_for(page, live_server, first_password):
    log_in_first(page, live_server, first_password)
    page.goto(f"{live_server.url}/second-factors/")
    page.get_by_role("link", name="Add an authenticator app").click()
    confirm(page)
    picture = page.locator("img.qr")
    assert picture.evaluate("image => image.naturalWidth") > 0
    secret = page.locator("[data-copy] code").inner_text().strip()
    page.get_by_label("Authenticator code").fill("000000" if code(secret) != "000000" else "000001")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".errorlist")).to_be_visible()
    page.get_by_label("Authenticator code").fill(code(secret))
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    recovery = re.findall(r"\d{8}", page.locator("[data-copy] code").inner_text())
    assert len(recovery) == 10
    log_out(page)

    type_login(page, live_server, OWN)
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.goto(f"{live_server.url}/servers/")
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()  # the password alone opens nothing
    page.get_by_label("Code").fill("00000000")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator(".errorlist")).to_be_visible()
    page.get_by_label("Code").fill(code(secret))
    page.get_by_role("button", name="Log in").click()
    expect(page.locator(".account summary")).to_have_text("maria")
    log_out(page)

    type_login(page, live_server, OWN)
    page.get_by_label("Code").fill(recovery[0])
    page.get_by_role("button", name="Log in").click()
    expect(page.locator(".account summary")).to_have_text("maria")
    did = list(Event.objects.order_by("pk").values_list("did", flat=True))
    assert did.count("second factor failed") == 1
    assert did.count("logged in") == 3


@pytest.fixture
def key(page):
    """A passkey device that never asks, as Chromium offers it for tests."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    both = {**options, "isUserVerified": True, "automaticPresenceSimulation": True}
    session.send("WebAuthn.addVirtualAuthenticator", {"options": both})
    return session


def test_a_passkey_logs_in_alone(page, live_server, first_password, key):
    live = type("Local", (), {"url": live_server.url.replace("127.0.0.1", "localhost")})  # passkeys belong to a name
    log_in_first(page, live, first_password)
    page.goto(f"{live.url}/second-factors/passkeys/add/")
    confirm(page)
    expect(page.get_by_label("Log in with this passkey alone")).to_be_checked()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    page.goto(f"{live.url}/second-factors/passkeys/")
    expect(page.get_by_role("row", name="Passkey 1")).to_contain_text("alone")
    log_out(page)
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.locator(".account summary")).to_have_text("maria")
    assert Event.objects.filter(did="logged in", name="maria").count() == 2


def test_without_a_passkey_the_page_says_what_to_do(page, live_server, first_password, key):
    page.goto(f"{live_server.url.replace('127.0.0.1', 'localhost')}/login/")
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("No passkey was used")
