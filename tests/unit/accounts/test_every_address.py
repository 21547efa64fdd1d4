"""Every address as nobody, viewer, operator and administrator, against the one table of roles."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory

from dashboard.accounts.gate import Gate, needs
from dashboard.accounts.models import Person
from dashboard.accounts.roles import NOBODY, OPERATIONS, RANKS, Role
from dashboard.home import PROJECT
from tests.unit.accounts.addresses import ALL, VIEWS

OPEN = {  # what strangers may ask for: no name is added here without thinking
    "account_login", "mfa_authenticate", "mfa_login_webauthn", "account_inactive", "account_logout",
    "socialaccount_login_cancelled", "socialaccount_login_error", "socialaccount_signup",
    "openid_connect_login", "openid_connect_callback", "sharing:show", "sharing:chart",
    "sharing:cell", "sharing:cell_chart", "sharing:trials", "sharing:trial", "sharing:embed", "sharing:preview",
    "api-openapi", "health", "health-live", "health-check",
}  # fmt: skip
# What asks for a token by itself: tests/unit/api walks the API, tests/unit/monitoring asks for the metrics.
BY_TOKEN = {name for name, _ in ALL if name.startswith("api:")} | {"metrics"}
OPEN |= BY_TOKEN
pytestmark = pytest.mark.django_db


def somebody(role):
    user = User.objects.create_user(f"a {role}", password="a long test password")
    Person.objects.filter(user=user).update(role=role)
    return User.objects.get(pk=user.pk)


def refused(client, path, method):
    """Whether the gate kept this client out: sent to the login, or told that the role is not enough."""
    answer = getattr(client, method)(path)
    return answer.status_code == 403 or answer.get("Location", "").startswith("/login/?next=")


def test_it_knows_every_address():
    assert {name for name, _ in ALL} >= OPEN | {"home", "servers:list", "results:page", "people:list", "audit:list"}
    assert not any("<" in path for _, path in ALL)


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_names_an_operation_of_the_table(name):
    assert VIEWS[name].operation in OPERATIONS


def test_nothing_else_is_open():
    assert {name for name, view in VIEWS.items() if OPERATIONS[view.operation].least == NOBODY} == OPEN


@pytest.mark.parametrize("role", RANKS)
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(("name", "path"), ALL)
def test_it_lets_in_whom_the_table_lets_in(name, path, method, role):
    client = Client()
    if role != NOBODY:
        client.force_login(somebody(role))
    least = OPERATIONS[VIEWS[name].operation].least
    assert refused(client, path, method) == (RANKS.index(role) < RANKS.index(least))


@pytest.mark.parametrize(("name", "path"), [pair for pair in ALL if pair[0] not in OPEN])
def test_it_refuses_a_post_without_the_token_of_the_form(admin, name, path):
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    assert client.post(path).status_code in (403, 405)


def gate(view, user):
    request = RequestFactory().get("/somewhere/")
    request.user = user
    return Gate(lambda _: None).process_view(request, view, (), {})


def test_a_view_without_an_operation_is_shut_even_to_administrators(admin):
    with pytest.raises(PermissionDenied, match="in no table"):
        gate(lambda request: None, admin)
    assert gate(needs("see")(lambda request: None), admin) is None


def test_a_view_cannot_name_an_operation_that_is_not_in_the_table():
    with pytest.raises(ValueError, match="not in the table"):
        needs("fly")


def test_a_deactivated_account_is_out_at_once(client):
    user = somebody(Role.ADMINISTRATOR)
    client.force_login(user)
    assert client.get("/").status_code == 200
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert client.get("/").status_code == 302


def test_a_page_says_who_may(client):
    client.force_login(somebody(Role.VIEWER))
    answer = client.get("/people/")
    assert answer.status_code == 403
    assert "one must be an administrator; your account is a viewer" in answer.content.decode()


def test_the_documents_show_the_same_table():
    shown = [line for line in (PROJECT / "docs/security.md").read_text().splitlines() if line.startswith("| ")]
    for operation in OPERATIONS.values():
        row = f"| {operation.says} | {operation.least or 'nobody: no login'} | {operation.rule} |".replace(
            "|  |", "| |"
        )
        assert row in shown
    assert sum(line.count("|") == 4 for line in shown) == len(OPERATIONS) + 1  # and the heading


def test_templates_ask_for_operations_that_exist():
    asked = set()
    for template in (PROJECT / "templates").rglob("*.html"):
        asked |= set(re.findall(r"\bmay\.(\w+)", template.read_text()))
    assert asked and asked <= OPERATIONS.keys()
