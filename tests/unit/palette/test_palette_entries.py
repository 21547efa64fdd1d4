"""The navigation and the palette offer exactly what the gate lets a person open."""

import re

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse

from dashboard.pages.palette.entries import SECTIONS, address_for, section
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role

pytestmark = pytest.mark.django_db
LINK = re.compile(r'<a role="option" href="([^"]+)" tabindex="-1" data-words')
ENTRY = re.compile(r'<a href="([^"]+)" *(?:aria-current="page")?>')
NAV = re.compile(r'<nav class="site-\w+".*?</nav>', re.DOTALL)


def somebody(role):
    user = User.objects.create_user(f"a {role}", password="a long test password")
    Person.objects.filter(user=user).update(role=role)
    return User.objects.get(pk=user.pk)


def offered(client):
    page = client.get("/").content.decode()
    return {*LINK.findall(page), *(link for nav in NAV.findall(page) for link in ENTRY.findall(nav))}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR, Role.ADMINISTRATOR])
def test_each_entry_opens_for_the_role_that_sees_it(client, role):
    client.force_login(somebody(role))
    shut = {one: status for one in offered(client) if (status := client.get(one).status_code) != 200}
    assert shut == {}


def test_a_role_sees_no_entry_of_a_higher_one(client):
    acting = {reverse(name) for name in ("experiments:new", "schedules:new", "servers:register", "portable:import")}
    administering = {reverse(name) for name in ("people:list", "audit:list")}
    seen = {}
    for role in (Role.VIEWER, Role.OPERATOR, Role.ADMINISTRATOR):
        client.force_login(somebody(role))
        seen[role] = offered(client)
    assert not seen[Role.VIEWER] & (acting | administering)
    assert acting <= seen[Role.OPERATOR] and not seen[Role.OPERATOR] & administering
    assert acting | administering <= seen[Role.ADMINISTRATOR]


def test_a_view_without_an_operation_is_offered_to_nobody(admin, settings):
    assert address_for(admin, "home") == "/"
    settings.ROOT_URLCONF = "tests.unit.palette.unnamed"
    assert address_for(admin, "home") == ""


def test_guests_are_offered_nothing_that_needs_a_login():
    assert address_for(AnonymousUser(), "home") == ""
    assert address_for(AnonymousUser(), "help:limits") == "/help/limits/"


def test_a_page_belongs_to_the_entry_with_the_longest_beginning():
    paths = ("/", "/servers/3/", "/servers/audit/pasted/", "/results/3/", "/results/compare/", "/people/")
    told = ["home", "servers:list", "servers:audit", "experiments:list", "results:compare", ""]
    assert [section(path) for path in paths] == told
    assert all(reverse(name) for name in SECTIONS.values())


def test_the_login_page_has_neither_navigation_nor_palette(client):
    answer = client.get("/login/").content.decode()
    assert 'id="palette"' not in answer and "site-nav" not in answer and "site-tabs" not in answer
