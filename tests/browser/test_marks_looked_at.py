"""The pictures of a result: every mark opens its trial, and they are read by keys, by a finger and on paper."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from dashboard.records.sharing import actions as sharing
from tests.browser.axe import contrast, violations
from tests.browser.patience import patient
from tests.browser.test_every_page import log_in
from tests.unit.crash.recorded_states import LOST, state, story
from tests.unit.results import trials

PAIR = ("innodb_flush_log_at_trx_commit", "sync_binlog")
MOST_WORDS = 120
# Visible words of the first screen outside pictures, tables of marks and what can be pressed.
PROSE = r"""() => {
  const apart = "svg, table, button, .button, .segments, .key, .unseen, .skip, figcaption, nav, .site-header, canvas";
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { textContent, parentElement } = walker.currentNode;
    if (parentElement.closest(apart) || !parentElement.checkVisibility()) continue;
    const range = document.createRange();
    for (const { 0: word, index } of textContent.matchAll(/\S*[a-z]{2}\S*/gi)) {
      range.setStart(walker.currentNode, index);
      range.setEnd(walker.currentNode, index + word.length);
      const { top, width } = range.getBoundingClientRect();
      if (width > 1 && top < innerHeight) found.push(word);
    }
  }
  return found;
}"""
DIMMED = "row => parseFloat(getComputedStyle(row).opacity) < 1"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT_OFF = """() => [...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 80))"""
ROW = "table.table-chart tbody tr"


@pytest.fixture
def made(transactional_db):
    """Three settings: power losses, and a recorded load of the last one."""
    one = trials.experiment()
    for variant in one.plan["variants"]:
        variant["settings"] = dict(zip(PAIR, variant["name"].split("/"), strict=True))
    one.save()
    load = trials.trial(one, one.plan["targets"][0]["server_id"], "2/0", "every-crash-point", 1, (35, 0))
    load.evidence.data["points"] = story(*(state(n / 20, LOST, lost=n) for n in range(1, 36))).as_stored()
    load.evidence.save()
    return one


@pytest.fixture
def shown(page, live_server, made):
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    log_in(page, live_server, client)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/results/{made.pk}/")
    page.locator(f"{ROW} a[tabindex='-1']").first.wait_for(state="attached")  # app.js has come
    return page


def test_each_mark_is_a_trial_and_opens_it(shown, made):
    marked = {one.get_attribute("href") for one in shown.locator("svg.losses a").all()}
    tried = made.trials.filter(kind="power-loss")
    assert marked == {f"/results/trials/{pk}/" for pk in tried.values_list("pk", flat=True)}
    last = shown.locator(f"{ROW}:last-child svg.losses a").last
    says = last.get_attribute("aria-label")
    last.locator("use").first.hover()
    expect(shown.get_by_role("tooltip")).to_have_text(says)
    last.locator("use").first.click()
    shown.wait_for_url("**/results/trials/*/")
    shown.go_back()
    shown.locator("svg.saw a use").first.click()
    shown.wait_for_url("**/results/trials/*/")


def test_the_number_of_clients_changes_the_bars_without_a_reload_and_without_scripts(browser, live_server, made):
    _, token = sharing.share(None, made)
    plain = patient(browser.new_context(java_script_enabled=False))
    try:
        page = plain.new_page()
        page.goto(f"{live_server.url}/share/{token}/")
        address = page.url
        before = page.locator("td.speed > :visible b").all_inner_texts()
        page.locator(".segments label", has_text="1").first.click()
        after = page.locator("td.speed > :visible b").all_inner_texts()
        assert len(before) == len(after) == 3 and before != after and page.url == address
    finally:
        plain.close()


def test_a_row_is_one_stop_and_arrows_go_through_its_marks(shown):
    shown.locator("th.verdict .term").focus()  # the last of the head
    stops = [press(shown, "Tab") for _ in range(3)]
    assert [one["row"] for one in stops] == [0, 1, 2] and all("name" in one["look"] for one in stops)
    assert press(shown, "ArrowUp")["row"] == 1
    mark = press(shown, "ArrowRight")
    assert mark["row"] == 1 and mark["href"].startswith("/results/trials/")
    expect(shown.get_by_role("tooltip")).to_have_text(mark["says"])
    assert press(shown, "ArrowRight")["href"] != mark["href"]
    shown.keyboard.press("Enter")
    shown.wait_for_url("**/results/trials/*/")


def press(page, key):
    page.keyboard.press(key)
    return page.evaluate("""() => {
      const one = document.activeElement, row = one.closest("tr[data-setting]");
      return {row: row ? [...row.parentElement.children].indexOf(row) : null, href: one.getAttribute("href"),
              says: one.ariaLabel, look: [...one.classList]};
    }""")


def test_a_setting_that_is_pointed_at_or_focused_dims_the_others_in_both_pictures(shown):
    first, second = shown.locator(ROW).nth(0), shown.locator(ROW).nth(1)
    assert not first.evaluate(DIMMED) and not second.evaluate(DIMMED)
    place = second.get_attribute("data-setting")
    for point in (second.hover, lambda: second.locator("a").first.focus()):
        point()
        shown.wait_for_function("getComputedStyle(document.querySelector('table.table-chart tbody tr')).opacity < 0.5")
        assert not second.evaluate(DIMMED)
        panels = shown.locator("figure[data-setting]").all()
        assert all(one.evaluate(DIMMED) == (one.get_attribute("data-setting") != place) for one in panels)
        shown.mouse.move(0, 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_with_folds_closed(shown, scheme):
    shown.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    assert [*violations(shown, but=["color-contrast"]), *contrast(shown)] == []


def test_the_first_screen_has_few_words(shown, page, live_server, made):
    words = shown.evaluate(PROSE)
    assert 20 < len(words) <= MOST_WORDS, " ".join(words)
    _, token = sharing.share(None, made)
    page.goto(f"{live_server.url}/share/{token}/")
    words = page.evaluate(PROSE)
    assert len(words) <= MOST_WORDS, " ".join(words)


@pytest.mark.parametrize("width", [320, 360, 390, 1920])
def test_nothing_scrolls_sideways(shown, width):
    """320: a window of 1280 at 400 %."""
    shown.set_viewport_size({"width": width, "height": 740})
    assert shown.evaluate(TOO_WIDE) <= 0, shown.evaluate(CUT_OFF)
    assert shown.locator(f"{ROW} svg.losses").first.bounding_box()["width"] > 150


def test_marks_are_printed(shown):
    shown.emulate_media(media="print", color_scheme="dark")
    shown.set_viewport_size({"width": 680, "height": 1000})
    marks = [one.bounding_box() for one in shown.locator("svg.losses use").all()]
    assert len(marks) > 40 and all(box["x"] >= 0 and box["x"] + box["width"] <= 680 for box in marks)
    assert shown.locator("table.table-chart thead").is_visible(), "an axis for them"


def test_the_numbers_are_a_link_away(shown):
    shown.get_by_role("link", name="All numbers").click()
    expect(shown.get_by_role("region", name="Every number of the matrix, table 1")).to_be_visible()
