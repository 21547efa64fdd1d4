"""Every address as nobody, viewer, operator and administrator, against the one table of roles."""

import re
from http.cookies import SimpleCookie
from itertools import product

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.template import Context, Template
from django.test import Client, RequestFactory

from dashboard.installation.home import PROJECT
from dashboard.pages.accounts.gate import Gate, May, needs
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import NOBODY, RANKS, Role
from dashboard.records.accounts.roles import OPERATIONS
from tests.unit.accounts.addresses import ALL, VIEWS
from tests.walks import report, undone

OPEN = {  # what anybody may ask for without a login: no name is added here without thinking
    "account_login", "mfa_authenticate", "mfa_login_webauthn", "account_inactive", "account_logout",
    "socialaccount_login_cancelled", "socialaccount_login_error", "socialaccount_signup",
    "openid_connect_login", "openid_connect_callback", "sharing:show", "sharing:chart", "sharing:picture",
    "sharing:part", "sharing:cell", "sharing:cell_chart", "sharing:trials", "sharing:trial", "sharing:embed",
    "api-openapi", "health", "health-live", "health-check",
    "help:limits",
}  # fmt: skip
# What asks for a token by itself: tests/unit/api walks the API, tests/unit/monitoring asks for the metrics.
BY_TOKEN = {name for name, _ in ALL if name.startswith("api:")} | {"metrics"}
OPEN |= BY_TOKEN
pytestmark = [pytest.mark.django_db, pytest.mark.any_database]  # what a role may is decided before rows are asked for


def somebody(role):
    user = User.objects.create_user(f"a {role}", password="a long test password")
    Person.objects.filter(user=user).update(role=role)
    return User.objects.get(pk=user.pk)


def refused(client, path, method):
    """Whether the gate kept this client out: sent to the login, or told that the role is not enough."""
    answer = getattr(client, method)(path)
    return answer.status_code == 403 or answer.get("Location", "").startswith("/login/?next=")


def test_the_walk_knows_every_address():
    assert {name for name, _ in ALL} >= OPEN | {"home", "servers:list", "results:page", "people:list", "audit:list"}
    assert not any("<" in path for _, path in ALL)


def test_every_view_names_an_operation_of_the_table():
    report(name for name, view in VIEWS.items() if view.operation not in OPERATIONS)


def test_only_the_listed_addresses_need_no_login():
    assert {name for name, view in VIEWS.items() if OPERATIONS[view.operation].least == NOBODY} == OPEN


def logged_in(role, **options):
    """How to get a browser in which somebody of this role is logged in; each is a new one with the same session."""
    first = Client(**options)
    if role != NOBODY:
        first.force_login(somebody(role))

    def browser():
        another = Client(**options)
        another.cookies = SimpleCookie(first.cookies.output(header="", sep=";"))
        return another

    return browser


def gate(view, user):
    request = RequestFactory().get("/somewhere/")
    request.user = user
    return Gate(lambda _: None).process_view(request, view, (), {})


def shut_by_gate(view, user):
    try:
        return gate(view, user) is not None
    except PermissionDenied:
        return True


@pytest.mark.parametrize("role", RANKS)
def test_every_address_lets_in_the_roles_of_the_table(role):
    """Every address, by GET and by POST. Its view answers the least role that gets in. A page costs 50 times as much as
    the gate's decision: of higher roles only the gate is asked, and other tests ask the views as administrator."""
    browser, offenders = logged_in(role), []
    user = User.objects.filter(username=f"a {role}").first()  # nobody is above no role
    for (name, path), method in product(ALL, ("get", "post")):
        rank, least = RANKS.index(role), RANKS.index(OPERATIONS[VIEWS[name].operation].least)
        with undone():
            is_refused = shut_by_gate(VIEWS[name], user) if rank > least else refused(browser(), path, method)
            if is_refused != (rank < least):
                offenders.append(f"{method} {path} ({name}): {role} {'gets in' if rank < least else 'is kept out'}")
    report(offenders)


def test_every_post_needs_a_csrf_token():
    """The API reads no session: it answers that a token is missing."""
    browser, offenders = logged_in(Role.ADMINISTRATOR, enforce_csrf_checks=True), []
    for name, path in ALL:
        with undone():
            status = browser().post(path).status_code
        if status not in ((401, 405) if name.startswith("api:") else (403, 405)):
            offenders.append(f"{path} ({name}): {status}")
    report(offenders)


def test_a_view_without_an_operation_is_shut_even_to_administrators(admin):
    with pytest.raises(PermissionDenied, match="no access rule"):
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


def test_a_refusal_names_the_needed_role(client):
    client.force_login(somebody(Role.VIEWER))
    answer = client.get("/people/")
    assert answer.status_code == 403
    assert "you must be an administrator. Your account is a viewer" in answer.content.decode()


def test_the_documents_show_the_same_table():
    shown = [line for line in (PROJECT / "docs/security.md").read_text().splitlines() if line.startswith("| ")]
    for operation in OPERATIONS.values():
        row = f"| {operation.says} | {operation.least or 'anybody, without a login'} | {operation.rule} |".replace(
            "|  |", "| |"
        )
        assert row in shown
    assert sum(line.count("|") == 4 for line in shown) == len(OPERATIONS) + 1  # and the heading


def test_templates_show_allowed_operations_only(rf, db):
    asked = rf.get("/")
    asked.user = somebody(Role.VIEWER)
    shown = Template("{% if may.see %}see{% endif %} {% if may.run %}run{% endif %}")
    assert shown.render(Context({"may": May(asked)})).split() == ["see"]
    asked.user = somebody(Role.ADMINISTRATOR)
    assert shown.render(Context({"may": May(asked)})).split() == ["see", "run"]


def test_a_page_that_names_no_operation_is_in_the_log(rf, db, caplog):
    asked = rf.get("/nowhere/")
    asked.user = somebody(Role.ADMINISTRATOR)
    with pytest.raises(PermissionDenied):
        Gate(lambda request: None).process_view(asked, lambda request: None, (), {})
    assert "/nowhere/ names no operation" in caplog.text


def test_templates_ask_for_operations_that_exist():
    asked = set()
    for template in (PROJECT / "templates").rglob("*.html"):
        asked |= set(re.findall(r"\bmay\.(\w+)", template.read_text()))
    assert asked and asked <= OPERATIONS.keys()
