"""Company sign-on: off by default; then the company's word opens an account, and makes one only where it may."""

from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User

from dashboard.pages.accounts.sign_on import BadSignOn, company
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import role_of
from dashboard.records.audit.models import Event
from tests.unit.accounts.company import CLIENT, SECRET, Company

SET = {
    "DURASCOPE_OIDC_ISSUER": "https://login.example.org/realms/dba/",
    "DURASCOPE_OIDC_CLIENT_ID": CLIENT,
    "DURASCOPE_OIDC_CLIENT_SECRET": SECRET,
}


def test_sign_on_is_off_without_an_issuer():
    assert company({}) is company({"DURASCOPE_OIDC_CLIENT_ID": "x"}) is None


def test_sign_on_is_read_from_the_environment():
    found = company({**SET, "DURASCOPE_OIDC_NAME": "Example AG", "DURASCOPE_OIDC_ORIGINS": "https://sso.example.org/x"})
    assert found.origins == ("https://login.example.org", "https://sso.example.org")
    assert found.app["settings"]["server_url"] == "https://login.example.org/realms/dba"
    assert (found.app["name"], found.role) == ("Example AG", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLIENT_ID", ""),
        ("CLIENT_SECRET", ""),
        ("ISSUER", "login.example.org"),
        ("ISSUER", "https://x;script-src *"),
        ("ORIGINS", "javascript:alert(1)"),
        ("ROLE", "administrator"),
        ("ROLE", "king"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_by_the_name_of_its_variable(name, value):
    with pytest.raises(BadSignOn, match=r"DURASCOPE_OIDC_|no address of a sign-on"):
        company({**SET, f"DURASCOPE_OIDC_{name}": value})


@pytest.fixture
def sign_on(settings, db):
    """The product set up for a company that answers."""
    with Company() as one:
        set_up = company({**SET, "DURASCOPE_OIDC_ISSUER": one.issuer})
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [set_up.app], "OAUTH_PKCE_ENABLED": True}}
        yield one


def come_back(client, process="login"):
    """What a browser does: to the company, and back with its code."""
    away = client.post(f"/sign-on/company/login/?process={process}")
    asked = parse_qs(urlsplit(away["Location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    return client.get("/sign-on/company/callback/", {"code": "c", "state": asked["state"][0]}, follow=True)


@pytest.mark.django_db
def test_without_it_there_is_no_button_and_no_way_in(client):
    assert "Company sign-on" not in client.get("/login/").content.decode()
    assert client.post("/sign-on/company/login/").status_code == 404


def test_an_unknown_person_gets_no_account_unless_the_installation_says_so(client, sign_on):
    assert "Company sign-on" in client.get("/login/").content.decode()
    assert "You have no account here" in come_back(client).content.decode()
    assert not User.objects.exists()


def test_an_unknown_person_gets_the_role_that_the_installation_says(client, sign_on, settings):
    settings.SIGN_ON_ROLE = Role.VIEWER
    come_back(client)
    grace = User.objects.get(username="grace")
    assert role_of(grace) == Role.VIEWER and not grace.has_usable_password()
    assert client.get("/servers/").status_code == 200 and client.get("/servers/register/").status_code == 403
    assert sign_on.asked[0]["code_verifier"]
    assert list(Event.objects.order_by("pk").values_list("did", flat=True)) == ["added person", "logged in", "refused"]


def test_another_person_of_the_same_name_gets_another_account(client, sign_on, settings, admin):
    settings.SIGN_ON_ROLE = Role.VIEWER
    sign_on.person["preferred_username"] = "admin"
    come_back(client)
    assert client.get("/people/").status_code == 403
    assert not SocialAccount.objects.filter(user=admin).exists()


def test_somebody_connects_the_own_account_and_then_needs_no_password(client, sign_on, admin):
    client.force_login(admin)
    page = come_back(client, "connect").content.decode()
    if "Confirm that it is you" in page:
        client.post("/password/confirm/", {"password": "a long test password"})
        come_back(client, "connect")
    assert SocialAccount.objects.get().user == admin
    client.logout()
    come_back(client)
    assert client.get("/people/").status_code == 200
    assert Event.objects.filter(did="connected company sign-on").exists()


def test_a_deactivated_account_is_not_opened_by_the_company_either(client, sign_on, admin):
    SocialAccount.objects.create(user=admin, provider="company", uid="4711")
    User.objects.update(is_active=False)
    assert "deactivated" in come_back(client).content.decode()
    assert client.get("/").status_code == 302


def test_an_answer_to_a_question_nobody_asked_is_refused(client, sign_on):
    answer = client.get("/sign-on/company/callback/", {"code": "c", "state": "forged"})
    assert answer.status_code in (200, 401) and not User.objects.exists()
    assert "Company sign-on failed" in answer.content.decode()
