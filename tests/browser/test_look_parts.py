"""The frame and the parts of a page: theme, navigation, terms, copying, asking first, times, sorting, 360 px."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness.site import Site
from tests.browser.patience import patient


@pytest.fixture
def parts(page: Page, site: Site) -> Page:
    page.goto(f"{site.url}/parts")
    return page


def background(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_chosen_theme_is_kept_over_a_reload(parts):
    light = background(parts)
    parts.get_by_role("button", name="Dark").click()
    dark = background(parts)
    assert dark != light
    parts.reload()
    assert background(parts) == dark
    parts.get_by_role("button", name="As the system").click()
    assert background(parts) == light


def test_a_page_follows_the_systems_theme_marks_its_menu_entry_and_sorts_by_number(parts):
    light = background(parts)
    parts.emulate_media(color_scheme="dark")
    assert background(parts) != light
    assert parts.locator(".site-nav [aria-current=page]").all_inner_texts() == ["Experiments"]
    parts.get_by_role("button", name="Commits/s").click()
    assert parts.locator("table.data tbody th").all_inner_texts() == ["db10", "db1", "db2"]
    assert parts.locator("th", has_text="Commits/s").get_attribute("aria-sort") == "ascending"


def test_a_dark_page_is_printed_on_white(parts):
    parts.get_by_role("button", name="Dark").click()
    parts.emulate_media(media="print")
    assert background(parts) == "rgb(255, 255, 255)"
    assert parts.evaluate("getComputedStyle(document.body).color") == "rgb(23, 32, 42)"


def test_a_shared_page_shows_neither_navigation_nor_user(page, site):
    page.goto(f"{site.url}/parts?shared")
    assert page.locator("nav").count() == 0
    assert page.get_by_text("maria", exact=True).count() == 0
    assert page.get_by_role("button", name="Log out").count() == 0
    assert page.locator("meta[name=robots]").get_attribute("content") == "noindex"


def test_a_click_on_log_out_sends_a_form(parts, site):
    parts.locator(".account summary").click()
    parts.get_by_role("button", name="Log out").click()
    expect(parts).to_have_title("sent")
    assert site.sent[-1] == "/logout/"


def test_a_term_is_explained_on_focus_until_escape(parts):
    term = parts.locator("abbr.term")
    term.focus()
    tip = parts.get_by_role("tooltip")
    expect(tip).to_contain_text("share one fsync")
    assert term.get_attribute("aria-describedby") == tip.get_attribute("id")
    parts.keyboard.press("Tab")
    assert parts.evaluate("document.activeElement.textContent").startswith("In MySQL")
    expect(tip).to_be_visible()
    parts.keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_the_fix_of_a_check_can_be_copied(parts, context, site):
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
    parts.get_by_role("button", name="Copy: Privileges").click()
    assert parts.evaluate("navigator.clipboard.readText()").startswith("GRANT CREATE")


def test_a_dangerous_form_asks_first(parts, site):
    before = len(site.sent)
    parts.get_by_role("button", name="Remove", exact=True).click()
    expect(parts.get_by_role("dialog")).to_contain_text("Its results are kept")
    parts.keyboard.press("Escape")
    expect(parts.get_by_role("dialog")).to_have_count(0)
    assert len(site.sent) == before
    parts.get_by_role("button", name="Remove", exact=True).click()
    parts.get_by_role("button", name="Remove it").click()
    expect(parts).to_have_title("sent")
    assert site.sent[before:] == ["/remove"]


def test_times_are_shown_in_the_readers_zone(browser, site):
    context = patient(browser.new_context(timezone_id="Asia/Tokyo"))
    page = context.new_page()
    page.goto(f"{site.url}/parts")
    expect(page.locator("time")).to_have_text("31 Jan 2026, 19:00")
    assert page.locator("time").get_attribute("title") == "2026-01-31 10:00:00 UTC"
    context.close()


def test_every_state_has_a_sign_beside_its_word(parts):
    signs = parts.locator(".badge").evaluate_all(
        "badges => badges.map(badge => [badge.textContent, getComputedStyle(badge, '::before').content])"
    )
    assert all(word and len(sign.split("/")[0].strip(' "')) == 1 for word, sign in signs)
    sign_of = dict(signs)
    assert len({sign_of[word] for word in ("passed", "warned", "failed", "unknown")}) == 4


def test_every_page_fits_360_pixels(page, site):
    page.set_viewport_size({"width": 360, "height": 780})
    widths = {}
    for name in ("parts", "charts", "live", "login"):
        page.goto(f"{site.url}/{name}")
        widths[name] = page.evaluate("document.documentElement.scrollWidth")
    assert {name: width for name, width in widths.items() if width > 360} == {}


def test_an_inline_style_that_the_policy_refuses_is_reported(parts, problems):
    parts.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x</p>')")
    parts.wait_for_timeout(50)
    assert any("style" in problem for problem in problems)
    problems.clear()
