"""Moving between pages: the palette and the keys, the navigation of a phone, and nobody is disturbed while typing."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.unit.results import factory, trials

NAME = "orders <b>primary</b>"
FOCUSED = "document.activeElement.textContent.trim()"
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def listed(page, live_server, transactional_db) -> Page:
    client = Client()
    client.force_login(User.objects.create_superuser("admin", password="a long test password"))
    for name, cookie in client.cookies.items():
        page.context.add_cookies([{"name": name, "value": cookie.value, "url": live_server.url}])
    factory.server(NAME, label="test")
    for name in ("third", "second", "first"):
        factory.experiment({"1/1": 1.0}, threads=(1,), repeats=1, measured=0, state="done", name=name)
    page.goto(f"{live_server.url}/experiments/")
    page.wait_for_load_state("networkidle")
    return page


def chosen(page):
    return page.locator("#palette [aria-selected=true]")


def test_the_palette_opens_a_page_by_keyboard_alone(listed):
    listed.keyboard.press("Control+k")
    field = listed.get_by_role("combobox", name="Page, server or experiment")
    expect(field).to_be_focused()
    expect(chosen(listed)).to_have_text("New experiment")  # what can be done on this page
    listed.keyboard.type("s")
    listed.keyboard.type("ched")
    expect(chosen(listed)).to_have_text("New schedule")
    assert field.get_attribute("aria-activedescendant") == chosen(listed).get_attribute("id")
    listed.keyboard.press("ArrowDown")
    expect(chosen(listed)).to_have_text("Schedules")
    listed.keyboard.press("ArrowUp")
    listed.keyboard.press("ArrowUp")
    expect(chosen(listed)).to_have_text("Search the texts of all experiments")
    listed.keyboard.press("ArrowDown")
    listed.keyboard.press("ArrowDown")
    listed.keyboard.press("Enter")
    listed.wait_for_url("**/nights/")


def test_a_server_is_found_by_a_word_of_its_name_and_shown_as_text(listed):
    listed.get_by_role("button", name="Go to").click()
    listed.keyboard.type("PRIMARY")
    found = listed.get_by_role("option", name=f"{NAME} test")
    expect(found).to_be_visible()
    assert found.locator("b").count() == 0
    expect(listed.locator("#palette [role=status]")).to_have_text("2 found")
    found.click()
    listed.wait_for_url("**/servers/*/")


def test_escape_closes_and_gives_the_focus_back(listed):
    opener = listed.get_by_role("button", name="Go to")
    opener.focus()
    listed.keyboard.press("Enter")
    expect(listed.get_by_role("dialog")).to_be_visible()
    listed.keyboard.press("Escape")
    expect(listed.get_by_role("dialog")).to_have_count(0)
    expect(opener).to_be_focused()


def test_the_texts_of_all_experiments_are_searched_from_the_palette(listed):
    listed.keyboard.press("/")
    listed.keyboard.type("a & b")
    expect(chosen(listed)).to_have_text("Search the texts of all experiments")
    listed.keyboard.press("Enter")
    listed.wait_for_url("**/experiments/?words=a%20%26%20b")
    expect(listed.get_by_role("searchbox", name="Search")).to_have_value("a & b")


def test_j_and_k_move_from_row_to_row_and_enter_opens(listed):
    seen = []
    for key in "jjjjkk":
        listed.keyboard.press(key)
        seen.append(listed.evaluate(FOCUSED))
    assert seen == ["first", "second", "third", "third", "second", "first"]
    listed.keyboard.press("j")
    listed.keyboard.press("Enter")
    listed.wait_for_url("**/experiments/*/")


def test_j_moves_along_the_settings_of_a_result(listed, live_server):
    made = trials.experiment({"1/1": {"power-loss": [(0, 0)] * 3}, "0/0": {"power-loss": [(3, 3)] * 3}})
    listed.goto(f"{live_server.url}/results/{made.pk}/")
    rows = listed.locator(".table-chart tbody th a")
    listed.wait_for_load_state("networkidle")
    for nth in range(2):
        listed.keyboard.press("j")
        expect(rows.nth(nth)).to_be_focused()


def test_no_key_acts_while_somebody_types(listed):
    search = listed.get_by_role("searchbox", name="Search")
    search.focus()
    listed.keyboard.type("j/k?")
    listed.keyboard.press("Control+k")
    expect(search).to_be_focused()
    expect(search).to_have_value("j/k?")
    expect(listed.get_by_role("dialog")).to_have_count(0)


def test_the_keys_are_told_and_those_without_control_can_be_switched_off(listed):
    listed.keyboard.press("?")
    expect(listed.get_by_role("dialog", name="Keys")).to_contain_text("next row")
    listed.keyboard.press("/")  # not above another dialog
    expect(listed.locator("#palette")).to_be_hidden()
    listed.get_by_label("Keys without Ctrl work").uncheck()
    listed.get_by_role("button", name="Close").click()
    for key in ("/", "?", "j"):
        listed.keyboard.press(key)
    expect(listed.get_by_role("dialog")).to_have_count(0)
    assert listed.evaluate("document.querySelector('main tbody').contains(document.activeElement)") is False
    listed.keyboard.press("Control+k")
    expect(listed.locator("#palette")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_dialogs_are_accessible(listed, theme):
    listed.emulate_media(color_scheme=theme)
    listed.keyboard.press("Control+k")
    listed.keyboard.type("e")
    expect(listed.get_by_role("group", name="Servers found")).to_be_visible()
    assert violations(listed) == []
    listed.keyboard.press("Escape")
    listed.keyboard.press("?")
    assert violations(listed) == []


def test_a_phone_has_its_navigation_below_and_a_head_of_one_line(listed):
    listed.set_viewport_size(PHONE)
    tabs = listed.get_by_role("navigation", name="Main, below").get_by_role("link")
    assert tabs.all_inner_texts() == ["Home", "Experiments", "New", "Schedules", "Servers"]
    assert listed.locator("header.site-header").bounding_box()["height"] <= 48
    boxes = [tab.bounding_box() for tab in tabs.all()]
    assert all(box["width"] >= 44 and box["height"] >= 44 and box["y"] + box["height"] <= 844 for box in boxes)
    assert listed.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    listed.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    end = listed.get_by_role("contentinfo").bounding_box()
    assert end["y"] + end["height"] <= boxes[0]["y"]
    tabs.nth(3).click()
    listed.wait_for_url("**/nights/")
    listed.get_by_text("More", exact=True).click()
    listed.get_by_role("link", name="Audit").click()
    listed.wait_for_url("**/servers/audit/")


@pytest.mark.parametrize("width", [360, 705, 833, 1024, 1280, 1920])
def test_the_head_is_one_line_and_as_wide_as_the_page(listed, width):
    listed.set_viewport_size({"width": width, "height": 800})
    head, page = (listed.locator(one).bounding_box() for one in (".site-bar", "main"))
    assert (head["x"], head["width"]) == (page["x"], page["width"])
    assert listed.locator("header.site-header").bounding_box()["height"] <= 48
    assert listed.evaluate("document.documentElement.scrollWidth") <= width
    assert listed.evaluate("document.querySelector('.site-bar').scrollWidth") <= head["width"]
