"""The survival board in a real browser: few words, reached by keyboard, right in both themes and on a phone."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.records.servers.models import Server
from tests.browser.test_every_page import look
from tests.unit.findings.test_audit import registered, settings
from tests.unit.results import factory, trials

MOST_WORDS = 110  # in the first screen, beside the table and the charts
WORDS = """() => {
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  let words = 0;
  while (texts.nextNode()) {
    const {parentElement: of, textContent: text} = texts.currentNode;
    const seen = of.checkVisibility({visibilityProperty: true}) && of.getBoundingClientRect().top < innerHeight;
    if (seen && !of.closest('svg, table, .unseen')) words += (text.match(/[a-z]{2,}/gi) || []).length;
  }
  return words;
}"""


@pytest.fixture
def opened(transactional_db, page, context, live_server):
    sandbox = Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")
    trials.experiment(servers=[sandbox])
    for name, levels in {"orders": ("2", "0"), "billing": ("2", "1"), "shop": ("1", "1")}.items():
        registered(name, settings(*levels))
    factory.server("silent", label="production")
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server.url)
    return page


def test_the_board_is_accessible_in_both_themes_and_on_a_phone(opened, live_server):
    assert look(opened, live_server.url) == []


def test_the_first_screen_has_few_words(opened):
    opened.locator(".note").evaluate_all("all => all.forEach(one => one.remove())")
    assert 20 < opened.evaluate(WORDS) <= MOST_WORDS


def test_a_list_opens_by_keyboard(opened):
    opened.locator(".tally.lost").nth(1).focus()
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/?crash=power&outcome=lost*")
    names = opened.locator(".board-rows tbody th > a").all_text_contents()
    assert names == ["orders", "billing", "Sandbox"]


def test_each_column_of_squares_is_the_server_of_one_row(opened):
    names = opened.locator(".board-rows tbody th > a").all_text_contents()
    for strip in opened.locator(".squares").all():
        titles = strip.locator("title").all_text_contents()
        assert [one.partition(":")[0] for one in titles] == names
