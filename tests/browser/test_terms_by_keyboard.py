"""Explanations on a page of the product: by keyboard, with the manual of each flavour, also where a head sorts."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from tests.unit.results import trials

FOCUSED = "document.activeElement.textContent"


@pytest.fixture
def listed(page, live_server, transactional_db):
    client = Client()
    client.force_login(User.objects.create_superuser("admin", password="a long test password"))
    for name, cookie in client.cookies.items():
        page.context.add_cookies([{"name": name, "value": cookie.value, "url": live_server.url}])
    experiment = trials.experiment({"1/1": {"power-loss": [(0, 0), (3, 3)]}}, measured=0)
    page.goto(live_server.url + reverse("results:trials", args=[experiment.pk]))
    return page


def test_a_head_that_sorts_explains_itself(listed):
    head = listed.get_by_role("button", name="Lost from InnoDB")
    assert head.locator("[tabindex]").count() == 0  # nothing in a button takes the focus
    head.focus()
    expect(listed.get_by_role("tooltip")).to_contain_text("no longer has after recovery")
    listed.keyboard.press("Enter")
    expect(listed.locator("th", has=head)).to_have_attribute("aria-sort", "ascending")


def test_tab_reaches_both_manuals_and_escape_closes(listed):
    listed.get_by_role("button", name="Lost from the binary log").focus()
    tip = listed.get_by_role("tooltip")
    for whose in ("MariaDB", "MySQL"):
        listed.keyboard.press("Tab")
        assert listed.evaluate(FOCUSED) == f"In {whose}\N{RIGHT SINGLE QUOTATION MARK}s manual"
        assert listed.evaluate("document.activeElement.rel") == "noopener noreferrer"
        expect(tip).to_be_visible()
    listed.keyboard.press("Escape")
    expect(tip).to_have_count(0)
