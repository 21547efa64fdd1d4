"""People are added, given roles and deactivated by administrators; the last one of these stays."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.records.accounts import actions
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed, role_of
from dashboard.records.audit.models import Event

pytestmark = pytest.mark.django_db
OWN = "a password of my own"


@pytest.fixture
def maria(admin):
    actions.add(admin, "maria", Role.OPERATOR)
    return User.objects.get(username="maria")


def fresh(user):
    return User.objects.get(pk=user.pk)


def test_an_account_made_by_hand_has_a_role_from_its_first_moment(admin):
    assert role_of(admin) == Role.ADMINISTRATOR
    assert role_of(User.objects.create_user("bob")) == Role.VIEWER


def test_the_page_adds_a_person_with_a_password_that_works_once(client_in):
    answer = client_in.post("/people/add/", {"name": "maria", "role": "operator"})
    password = re.search(r"<code>([\w-]{16})</code>", answer.content.decode())[1]
    assert answer["Cache-Control"] == "no-store"
    maria = User.objects.get(username="maria")
    assert role_of(maria) == Role.OPERATOR and maria.check_password(password)
    assert password not in str(list(Event.objects.values()))
    assert client_in.get(f"/people/{maria.pk}/").content.decode().count(password) == 0

    hers = Client()
    assert hers.post("/login/", {"login": "maria", "password": password}).status_code == 302
    assert hers.get("/servers/")["Location"] == "/password/"
    hers.post("/password/", {"oldpassword": password, "password1": OWN, "password2": OWN})
    assert hers.get("/servers/").status_code == 200
    assert not fresh(maria).check_password(password)


@pytest.mark.parametrize(
    ("name", "role"), [("", "viewer"), ("Admin", "viewer"), ("a b", "viewer"), ("x" * 151, "viewer"), ("bob", "king")]
)
def test_the_page_adds_nobody_of_a_bad_name_or_role(client_in, name, role):
    answer = client_in.post("/people/add/", {"name": name, "role": role})
    assert "errorlist" in answer.content.decode()
    assert User.objects.count() == 1


def test_a_role_is_changed_and_written_down(client_in, maria):
    client_in.post(f"/people/{maria.pk}/role/", {"role": "viewer"})
    assert role_of(fresh(maria)) == Role.VIEWER
    event = Event.objects.get(did="changed role")
    assert (event.name, event.what, event.detail) == ("admin", "maria", {"before": "operator", "role": "viewer"})


def test_a_role_that_is_none_changes_nothing(client_in, maria):
    client_in.post(f"/people/{maria.pk}/role/", {"role": "king"})
    assert role_of(fresh(maria)) == Role.OPERATOR


def test_deactivating_ends_the_sessions_and_activating_gives_the_login_back(client_in, maria):
    hers = Client()
    hers.force_login(maria)
    client_in.post(f"/people/{maria.pk}/deactivate/")
    assert hers.get("/")["Location"].startswith("/login/")
    assert not fresh(maria).is_active
    client_in.post(f"/people/{maria.pk}/activate/")
    assert fresh(maria).is_active


def test_a_deactivated_person_is_told_so_only_with_the_right_password(client_in, maria):
    maria.set_password(OWN)
    maria.is_active = False
    maria.save()
    client = Client()
    assert client.post("/login/", {"login": "maria", "password": OWN})["Location"] == "/login/inactive/"
    assert b"deactivated" not in client.post("/login/", {"login": "maria", "password": "wrong one here"}).content
    assert client.get("/").status_code == 302


@pytest.mark.parametrize(("what", "form"), [("role", {"role": "operator"}), ("deactivate", {})])
def test_the_last_administrator_stays(client_in, admin, maria, what, form):
    answer = client_in.post(f"/people/{admin.pk}/{what}/", form, follow=True)
    assert "last administrator" in answer.content.decode()
    assert role_of(fresh(admin)) == Role.ADMINISTRATOR
    actions.change_role(admin, maria, Role.ADMINISTRATOR)
    client_in.post(f"/people/{admin.pk}/{what}/", form)
    assert role_of(fresh(admin)) != Role.ADMINISTRATOR


def test_a_deactivated_administrator_does_not_count_as_one(admin, maria):
    actions.change_role(admin, maria, Role.ADMINISTRATOR)
    actions.deactivate(admin, maria)
    with pytest.raises(actions.LastAdministrator):
        actions.deactivate(admin, admin)


def test_a_forgotten_password_is_replaced_by_a_one_time_one(client_in, maria):
    hers = Client()
    hers.force_login(maria)
    answer = client_in.post(f"/people/{maria.pk}/password/")
    password = re.search(r"<code>([\w-]{16})</code>", answer.content.decode())[1]
    assert fresh(maria).check_password(password) and fresh(maria).person.must_change_password
    assert hers.get("/").status_code == 302


@pytest.mark.parametrize(
    "act",
    [
        lambda by, user: actions.add(by, "eve", Role.ADMINISTRATOR),
        lambda by, user: actions.change_role(by, user, Role.ADMINISTRATOR),
        lambda by, user: actions.deactivate(by, user),
        lambda by, user: actions.activate(by, user),
        lambda by, user: actions.new_password(by, user),
        lambda by, user: actions.remove_second_factors(by, user),
    ],
)
def test_programs_are_refused_like_pages(admin, maria, act):
    before = Event.objects.count()
    with pytest.raises(NotAllowed, match="must be an administrator"):
        act(fresh(maria), admin)
    assert Event.objects.count() == before


def test_the_way_back_in_makes_an_active_administrator(maria):
    User.objects.filter(pk=maria.pk).update(is_active=False)
    password = actions.reset_administrator("maria")
    assert fresh(maria).check_password(password)
    assert role_of(fresh(maria)) == Role.ADMINISTRATOR
