"""Sessions that nobody uses end; each person sees the own ones and ends them; one-time passwords do not wait for ever;
administrators can be made to have a second factor."""

import time
from datetime import timedelta

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard import environment
from dashboard.pages.accounts import sessions
from dashboard.records.accounts import actions
from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from tests.markup import flat
from tests.unit.api.tokens import script, somebody

pytestmark = pytest.mark.django_db
PASSWORD = "a long test password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def clock(monkeypatch):
    """`clock(minutes)`: so much later."""
    now = [time.time()]
    monkeypatch.setattr(sessions.time, "time", lambda: now[0])
    return lambda minutes: now.__setitem__(0, now[0] + 60 * minutes)


def browser(name="admin", address="192.0.2.1", agent=FIREFOX):
    client = Client(REMOTE_ADDR=address, headers={"User-Agent": agent})
    assert client.post("/login/", {"login": name, "password": PASSWORD}).status_code == 302
    return client


def is_in(client):
    return client.get("/servers/").status_code == 200


def test_a_session_that_nobody_uses_ends(settings, clock, admin):
    settings.IDLE_LIMIT = timedelta(minutes=30)
    used = browser()
    for _ in range(3):
        assert is_in(used)
        clock(29)
    assert is_in(used), "used again and again it goes on"
    clock(31)
    assert used.get("/servers/")["Location"].startswith("/login/")
    assert b"the session was idle" in used.get("/login/").content
    assert Event.objects.filter(did="logged out", name="admin").exists()


def test_a_page_that_asks_by_itself_does_not_keep_it(settings, clock, admin):
    settings.IDLE_LIMIT = timedelta(minutes=30)
    left_open = browser()
    assert is_in(left_open)
    for accept in ({"Accept": "application/json"}, {"Accept": "application/json, text/plain"}):
        clock(16)
        left_open.get("/servers/", headers=accept)
    assert not is_in(left_open)


def test_without_a_limit_it_stays(settings, clock, admin):
    settings.IDLE_LIMIT = None
    client = browser()
    is_in(client)
    clock(60 * 24 * 7)
    assert is_in(client)


def test_the_use_is_noted_once_a_minute(clock, admin, django_assert_num_queries):
    client = browser()
    is_in(client)
    seen = client.session[sessions.SEEN]
    clock(0.5)
    is_in(client)
    assert client.session[sessions.SEEN] == seen
    clock(1)
    is_in(client)
    assert client.session[sessions.SEEN] > seen


def test_each_person_sees_the_own_sessions(admin):
    here = browser()
    browser(address="198.51.100.7", agent="curl/8.1")
    page = here.get("/sessions/").content.decode()
    assert page.count("<tr>") == 3 and "Firefox on Linux" in page and "198.51.100.7" in page
    assert page.count("this session") == 1
    somebody(Role.VIEWER, "maria")
    assert browser("maria").get("/sessions/").content.decode().count("<tr>") == 2


def test_a_session_is_ended_from_elsewhere(admin):
    here, lost = browser(), browser(address="198.51.100.7")
    row = UserSession.objects.get(ip="198.51.100.7")
    here.post(f"/sessions/{row.pk}/end/")
    assert is_in(here) and not is_in(lost)
    assert Event.objects.get(did="ended sessions").detail == {"which": "the one from 198.51.100.7"}


def test_all_other_sessions_end_at_once(admin):
    here, others = browser(), [browser(), browser()]
    here.post("/sessions/end-others/")
    assert is_in(here) and not any(map(is_in, others))


def test_ending_this_one_is_logging_out(admin):
    here = browser()
    answer = here.post(f"/sessions/{UserSession.objects.get().pk}/end/")
    assert answer["Location"] == "/login/" and not is_in(here)


def test_a_person_cannot_end_the_session_of_another(admin):
    somebody(Role.OPERATOR, "maria")
    browser()
    theirs = UserSession.objects.get()
    assert browser("maria").post(f"/sessions/{theirs.pk}/end/").status_code == 404
    assert UserSession.objects.filter(pk=theirs.pk).exists()


def test_a_proxy_that_does_not_say_who_asks_breaks_nothing(admin):
    assert is_in(browser(address=""))
    assert UserSession.objects.get().ip == "0.0.0.0"


@pytest.mark.parametrize(
    ("agent", "says"),
    [(FIREFOX, "Firefox on Linux"), ("", "unknown"), ("curl/8.1", "curl"), ("<script>", "unknown"),
     ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
     ("Mozilla/5.0 (Macintosh; Intel Mac OS X) Version/18 Safari/605", "Safari on macOS")],
)  # fmt: skip
def test_a_browser_in_words(agent, says):
    assert sessions.program(agent) == says


def test_a_one_time_password_expires(admin):
    password = actions.add(admin, "maria", Role.OPERATOR)
    soon = timezone.now() + timedelta(hours=71)
    assert soon < Person.objects.get(user__username="maria").one_time_until < soon + timedelta(hours=2)
    Person.objects.update(one_time_until=timezone.now() - timedelta(seconds=1))
    answer = Client().post("/login/", {"login": "maria", "password": password})
    assert answer.status_code == 200 and b"one-time password has expired" in answer.content
    again = actions.new_password(admin, User.objects.get(username="maria"))
    assert Client().post("/login/", {"login": "maria", "password": again}).status_code == 302


def test_a_password_of_ones_own_does_not(admin):
    password = actions.add(admin, "maria", Role.OPERATOR)
    client = Client()
    client.post("/login/", {"login": "maria", "password": password})
    client.post("/password/", {"oldpassword": password, "password1": PASSWORD, "password2": PASSWORD})
    assert Person.objects.get(user__username="maria").one_time_until is None
    assert is_in(browser("maria"))


def test_the_page_says_until_when(client_in, admin):
    actions.add(admin, "maria", Role.OPERATOR)
    maria = Person.objects.get(user__username="maria")
    page = f"/people/{maria.pk}/"
    assert f"until {maria.one_time_until:%Y-%m-%d %H:%M} UTC" in flat(client_in.get(page).text)
    given = client_in.post(f"{page}password/", follow=True).content.decode()
    assert "until  UTC" not in given
    Person.objects.filter(pk=maria.pk).update(one_time_until=timezone.now())
    assert "one-time, expired" in client_in.get(page).content.decode()


def test_an_administrator_without_a_second_factor_gets_no_further(settings, admin):
    settings.SECOND_FACTOR_FOR = environment.guarded_roles({"DURASCOPE_SECOND_FACTOR": "administrators"})
    client = browser()
    assert client.get("/servers/")["Location"] == "/second-factors/"
    assert "needs a second factor" in client.get("/second-factors/").content.decode()
    answer = script(admin).get("/api/v1/servers")
    assert answer.status_code == 403 and "needs a second factor" in answer.json()["detail"]
    TOTP.activate(admin, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    assert is_in(client) and script(admin).get("/api/v1/servers").status_code == 200


def test_an_operator_needs_a_second_factor_only_if_everybody_does(settings):
    maria = somebody(Role.OPERATOR, "maria")
    settings.SECOND_FACTOR_FOR = environment.guarded_roles({"DURASCOPE_SECOND_FACTOR": "administrators"})
    assert is_in(browser("maria"))
    settings.SECOND_FACTOR_FOR = environment.guarded_roles({"DURASCOPE_SECOND_FACTOR": "everybody"})
    assert not is_in(browser("maria")) and script(maria).get("/api/v1/servers").status_code == 403


@pytest.mark.parametrize(
    ("given", "read"),
    [({"DURASCOPE_SECOND_FACTOR": "admins"}, environment.guarded_roles),
     ({"DURASCOPE_IDLE_MINUTES": "-1"}, environment.idle_limit),
     ({"DURASCOPE_IDLE_MINUTES": "an hour"}, environment.idle_limit),
     ({"DURASCOPE_ONE_TIME_HOURS": "0"}, environment.one_time_limit)],
)  # fmt: skip
def test_a_policy_that_is_none_is_refused_by_name(given, read):
    with pytest.raises(ValueError, match=next(iter(given))):
        read(given)


def test_the_policy_unless_somebody_says_otherwise():
    assert environment.guarded_roles({}) == () and environment.idle_limit({"DURASCOPE_IDLE_MINUTES": "0"}) is None
    assert (environment.idle_limit({}), environment.one_time_limit({})) == (timedelta(hours=12), timedelta(days=3))
