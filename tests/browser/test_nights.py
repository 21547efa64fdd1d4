"""A schedule is made in a browser that says meanwhile what it comes to; a webhook's secret is shown once."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.records.accounts import actions
from dashboard.records.accounts.models import Person
from dashboard.records.schedules.models import Schedule
from dashboard.records.servers.models import Server
from tests.browser.patience import patient

PASSWORD = "a long test password"


@pytest.fixture
def dba(page, live_server, transactional_db):
    """Logged in, in Berlin, with a sandbox."""
    actions.add(None, "maria", "operator")
    user = Person.objects.get(user__username="maria").user
    user.set_password(PASSWORD)
    user.save()
    Person.objects.update(must_change_password=False)
    Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill("maria")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("link", name="Schedules")).to_be_visible()


@pytest.fixture
def context(browser):
    context = patient(browser.new_context(viewport={"width": 1280, "height": 900}, timezone_id="Europe/Berlin"))
    yield context
    context.close()


def test_a_schedule_says_what_it_comes_to_while_it_is_written(page, live_server, dba):
    page.goto(f"{live_server.url}/nights/new/?recipe=what-does-safety-cost")
    says = page.locator("[data-plan-says]")
    expect(says).to_contain_text("At 02:30 every day")
    expect(says).to_contain_text("Europe/Berlin")
    page.get_by_label("When", exact=True).fill("0 4 * * 1-5")
    expect(says).to_contain_text("At 04:00 on Monday through Friday")
    expect(says.locator("li")).to_have_count(5)
    page.get_by_label("box").check()
    expect(says).to_contain_text("Each run takes about")
    page.get_by_label("Must end by").fill("04:01")
    expect(says).to_contain_text("the window leaves 1 min")
    page.get_by_label("Must end by").fill("06:00")
    expect(says).not_to_contain_text("the window leaves")
    page.get_by_label("When", exact=True).fill("0 4 * *")
    expect(says).to_contain_text("Write five fields")
    page.get_by_label("When", exact=True).fill("0 4 * * 1-5")
    page.get_by_role("button", name="Create the schedule").click()
    expect(page.get_by_text("06:00 Europe/Berlin")).to_be_visible()
    assert Schedule.objects.get().zone == "Europe/Berlin"


def test_a_webhook_shows_its_secret_once(page, live_server, dba):
    page.goto(f"{live_server.url}/notifications/")
    page.get_by_role("link", name="Add webhook").click()
    page.get_by_label("Name").fill("bot")
    page.get_by_label("Address").fill("https://hooks.example.org/T0KEN")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text(re.compile("whsec_"))).to_be_visible()
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("https://hooks.example.org/…")).to_be_visible()
    page.get_by_role("link", name="bot").click()
    expect(page.get_by_role("button", name="New secret")).to_be_visible()
    assert "whsec_" not in page.content() and "T0KEN" not in page.content()
