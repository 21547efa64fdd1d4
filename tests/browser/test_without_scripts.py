"""The live page of the product as it asks by itself, and without scripts."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from tests.browser.patience import patient
from tests.unit.results import factory


@pytest.fixture
def running(page, live_server, transactional_db):
    client = Client()
    client.force_login(User.objects.create_superuser("admin", password="a long test password"))
    for name, cookie in client.cookies.items():
        page.context.add_cookies([{"name": name, "value": cookie.value, "url": live_server.url}])
    return factory.experiment(measured=0, state="running")


def test_the_live_page_follows(page, live_server, running, problems):
    page.goto(f"{live_server.url}/experiments/{running.pk}/")
    expect(page.locator("[data-live-count]")).to_have_text(f"0 of {running.cells.count()}")
    running.cells.filter(position__lt=5).update(state="done")
    expect(page.locator("[data-live-count]")).to_have_text(f"5 of {running.cells.count()}")
    page.goto("about:blank")


def test_without_scripts_it_says_how_to_look_again(browser, page, live_server, running):
    plain = patient(browser.new_context(java_script_enabled=False))
    try:
        plain.add_cookies(page.context.cookies())
        other = plain.new_page()
        other.goto(f"{live_server.url}/experiments/{running.pk}/")
        expect(other.locator("main")).to_contain_text(f"0 of {running.cells.count()}")
        expect(other.get_by_role("group", name="Theme")).to_be_hidden()
        running.cells.filter(position__lt=5).update(state="done")
        other.get_by_role("link", name="load it again").click()
        expect(other.locator("main")).to_contain_text(f"5 of {running.cells.count()}")
    finally:
        plain.close()
