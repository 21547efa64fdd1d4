"""Logging in, and what guessing passwords brings."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from dashboard.pages.accounts import throttle
from dashboard.records.accounts.models import Attempt
from dashboard.records.audit.models import Event

pytestmark = pytest.mark.django_db
RIGHT = "a long test password"


def try_login(client, password, name="admin", address="192.0.2.1"):
    return client.post("/login/", {"login": name, "password": password}, REMOTE_ADDR=address)


def test_the_right_password_logs_in_and_the_login_is_recorded(client, admin):
    assert try_login(client, RIGHT).status_code == 302
    event = Event.objects.get(did="logged in")
    assert (event.who, event.detail) == (admin, {"address": "192.0.2.1"})


def test_a_failed_login_is_recorded_without_the_password(client, admin):
    answer = try_login(client, "wrong guess")
    assert answer.status_code == 200
    event = Event.objects.get(did="login failed")
    assert event.what == "admin"
    assert "wrong guess" not in str(event.__dict__)
    assert "wrong guess" not in answer.content.decode()


def test_after_many_failures_even_the_right_password_has_to_wait(client, admin):
    for _ in range(throttle.PER_NAME_AND_ADDRESS):
        try_login(client, "guess")
    answer = try_login(client, RIGHT)
    assert "Too many failed logins" in answer.content.decode()
    assert Event.objects.filter(did="login failed").count() == throttle.PER_NAME_AND_ADDRESS


def test_a_name_is_the_same_however_it_is_written(client, admin):
    assert try_login(client, RIGHT, name="ADMIN").status_code == 302  # as allauth has it: so must we count
    client.logout()
    for name in ("admin", "Admin", "aDMIN", "admiN", " ADMIN "):
        try_login(client, "guess", name=name)
    assert "Too many failed logins" in try_login(client, RIGHT, name="adMIN").content.decode()


def test_an_e_mail_address_is_no_login_name(client, admin):
    User.objects.update(email="dba@example.org")
    assert try_login(client, RIGHT, name="dba@example.org").status_code == 200
    assert Event.objects.get(did="login failed").what == "dba@example.org"


def test_the_same_name_is_not_locked_out_at_another_address(client, admin):
    for _ in range(throttle.PER_NAME_AND_ADDRESS):
        try_login(client, "guess")
    assert try_login(client, RIGHT, address="192.0.2.2").status_code == 302


def test_an_address_that_tries_many_names_is_stopped(client, admin):
    for number in range(throttle.PER_ADDRESS):
        try_login(client, "guess", name=f"name {number}")
    assert "Too many" in try_login(client, RIGHT).content.decode()


def test_failed_logins_are_forgotten_after_a_while(client, admin):
    for _ in range(throttle.PER_NAME_AND_ADDRESS):
        try_login(client, "guess")
    Attempt.objects.update(at=timezone.now() - throttle.WINDOW - timedelta(seconds=1))
    assert try_login(client, RIGHT).status_code == 302
    assert not Attempt.objects.exists(), "nothing is kept of what no longer counts"


def test_the_right_password_does_not_count(client, admin):
    for _ in range(throttle.PER_ADDRESS + 1):
        assert try_login(client, RIGHT).status_code == 302
        client.logout()


def test_a_refused_attempt_does_not_prolong_the_wait(client, admin):
    for _ in range(throttle.PER_NAME_AND_ADDRESS + 3):
        try_login(client, "guess")
    assert Attempt.objects.filter(kind="login failed").count() == throttle.PER_NAME_AND_ADDRESS


@pytest.mark.django_db(transaction=True)
def test_passwords_that_are_tried_at_the_same_time_count_before_they_are_checked(admin, monkeypatch):
    checked = []

    def check(self, password):
        checked.append(password)
        time.sleep(0.1)  # hashing takes longer in earnest; others arrive meanwhile
        return False

    monkeypatch.setattr(User, "check_password", check)

    def guess(number):
        try:
            return try_login(Client(), f"guess {number}").content
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(guess, range(24)))
    assert 1 <= len(checked) <= throttle.PER_NAME_AND_ADDRESS
    assert sum(b"Too many failed logins" in answer for answer in answers) == 24 - len(checked)


def test_attempts_under_way_count():
    """Many at once: none has failed yet."""
    assert all(throttle.begin("login failed", "admin", "192.0.2.1") for _ in range(throttle.PER_NAME_AND_ADDRESS))
    assert throttle.begin("login failed", "admin", "192.0.2.1") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True), ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
     ("::ffff:192.0.2.1", "192.0.2.1", True), ("192.0.2.1", "192.0.2.2", False), ("", "", True)],
)  # fmt: skip
def test_a_guesser_with_a_network_of_addresses_counts_as_one(one, other, same):
    assert (throttle.network(one) == throttle.network(other)) is same


def test_next_does_not_lead_to_another_site(client, admin):
    answer = client.post("/login/?next=https://evil.example/", {"login": "admin", "password": RIGHT})
    assert answer["Location"] == "/"


def test_only_a_post_logs_out(client_in):
    assert client_in.get("/logout/").status_code == 405
    assert client_in.post("/logout/")["Location"] == "/login/"


def test_a_password_is_changed(client_in, admin):
    new = "an even longer password"
    answer = client_in.post("/password/", {"oldpassword": RIGHT, "password1": new, "password2": new})
    assert answer.status_code == 302
    assert User.objects.get().check_password(new)
    assert Event.objects.filter(did="changed password").exists()


def test_the_form_for_a_new_password_is_shown(client_in):
    assert b"oldpassword" in client_in.get("/password/").content
