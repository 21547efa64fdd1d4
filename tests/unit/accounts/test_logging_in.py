"""Logging in, and what guessing passwords brings."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.accounts import throttle
from dashboard.audit.models import Event

pytestmark = pytest.mark.django_db
RIGHT = "a long test password"


def try_login(client, password, name="admin", address="192.0.2.1"):
    return client.post("/login/", {"login": name, "password": password}, REMOTE_ADDR=address)


def test_it_lets_the_right_password_in_and_writes_it_down(client, admin):
    assert try_login(client, RIGHT).status_code == 302
    event = Event.objects.get(did="logged in")
    assert (event.who, event.detail) == (admin, {"address": "192.0.2.1"})


def test_it_writes_down_a_failure_without_the_password(client, admin):
    answer = try_login(client, "wrong guess")
    assert answer.status_code == 200
    event = Event.objects.get(did="login failed")
    assert event.what == "admin"
    assert "wrong guess" not in str(event.__dict__)
    assert "wrong guess" not in answer.content.decode()


def test_it_makes_a_guesser_wait_even_with_the_right_password(client, admin):
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


def test_nobody_logs_in_with_an_address(client, admin):
    User.objects.update(email="dba@example.org")
    assert try_login(client, RIGHT, name="dba@example.org").status_code == 200
    assert Event.objects.get(did="login failed").what == "dba@example.org"


def test_it_does_not_lock_out_the_same_name_elsewhere(client, admin):
    for _ in range(throttle.PER_NAME_AND_ADDRESS):
        try_login(client, "guess")
    assert try_login(client, RIGHT, address="192.0.2.2").status_code == 302


def test_it_stops_one_address_that_tries_many_names(client, admin):
    for number in range(throttle.PER_ADDRESS):
        try_login(client, "guess", name=f"name {number}")
    assert "Too many" in try_login(client, RIGHT).content.decode()


def test_it_forgives_after_a_while(client, admin):
    for _ in range(throttle.PER_NAME_AND_ADDRESS):
        try_login(client, "guess")
    Event._base_manager.update(at=timezone.now() - throttle.WINDOW - timedelta(seconds=1))
    assert try_login(client, RIGHT).status_code == 302


def test_it_does_not_follow_a_next_to_another_site(client, admin):
    answer = client.post("/login/?next=https://evil.example/", {"login": "admin", "password": RIGHT})
    assert answer["Location"] == "/"


def test_it_logs_out_by_post_only(client_in):
    assert client_in.get("/logout/").status_code == 405
    assert client_in.post("/logout/")["Location"] == "/login/"


def test_it_changes_a_password(client_in, admin):
    new = "an even longer password"
    answer = client_in.post("/password/", {"oldpassword": RIGHT, "password1": new, "password2": new})
    assert answer.status_code == 302
    assert User.objects.get().check_password(new)
    assert Event.objects.filter(did="changed password").exists()


def test_it_shows_the_form_to_change_it(client_in):
    assert b"oldpassword" in client_in.get("/password/").content
