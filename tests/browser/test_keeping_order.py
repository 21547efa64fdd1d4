"""An experiment is tagged, commented on, renamed, searched for, deleted and brought back, in a real browser; the list
is narrowed with the keyboard alone, and without JavaScript."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from dashboard.records.experiments import care
from dashboard.records.experiments.models import Experiment
from tests.browser.patience import patient
from tests.browser.test_every_page import LONG, look
from tests.unit.results import factory


@pytest.fixture
def two(transactional_db):
    return factory.experiment(name="Before the upgrade"), factory.experiment(name="Something else")


def cookies(live_server):
    client = Client()
    client.force_login(User.objects.create_superuser("maria", password="a long test password"))
    return [{"name": name, "value": one.value, "url": live_server.url} for name, one in client.cookies.items()]


@pytest.fixture
def maria(page, live_server, two):
    page.context.add_cookies(cookies(live_server))
    return page


def open_notes(page):
    """The fold at the end of a result, unless an address with its fragment has opened it."""
    page.wait_for_load_state()
    fold = page.locator("details.fold", has=page.get_by_role("heading", name="Notes"))
    if fold.get_attribute("open") is None:
        fold.locator("> summary").click()


def test_an_experiment_is_commented_tagged_found_deleted_and_restored(maria, live_server, two):
    page, (before, _) = maria, two
    page.goto(f"{live_server.url}/results/{before.pk}/")
    open_notes(page)
    page.get_by_label("Comment").fill("The disk is new.\n<b>Since May</b>")
    page.get_by_role("button", name="Save").click()
    open_notes(page)
    expect(page.locator(".comment p")).to_have_text("The disk is new.\n<b>Since May</b>", use_inner_text=True)
    page.get_by_text("Name, tags, baseline, delete").click()
    page.get_by_label("Tags").fill("Upgrade, rack 9")
    page.get_by_role("button", name="Set the tags").click()
    expect(page.locator("main .tags .tag")).to_have_text(["rack 9", "upgrade"])
    open_notes(page)
    page.get_by_text("Name, tags, baseline, delete").click()
    page.get_by_label("Name", exact=True).fill("Before the great upgrade")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(".crumb")).to_contain_text("Before the great upgrade")
    open_notes(page)
    page.get_by_text("Name, tags, baseline, delete").click()
    page.get_by_role("button", name="Make it the baseline").click()
    expect(page.locator("main .badge.info").first).to_have_text("baseline")
    page.get_by_role("link", name="rack 9").click()
    expect(page.locator("tbody th > a")).to_have_text(["Before the great upgrade"])


def test_a_comment_is_deleted_after_a_question(maria, live_server, two):
    page, (before, _) = maria, two
    page.goto(f"{live_server.url}/results/{before.pk}/")
    open_notes(page)
    page.get_by_label("Comment").fill("A slip")
    page.get_by_role("button", name="Save").click()
    open_notes(page)
    page.get_by_role("button", name="Delete the comment of maria").click()
    page.get_by_role("dialog").get_by_role("button").first.wait_for()
    page.keyboard.press("Escape")
    expect(page.locator(".comment")).to_have_count(1)
    page.get_by_role("button", name="Delete the comment of maria").click()
    page.get_by_role("dialog").locator("button.danger, button.primary").click()
    expect(page.get_by_text("The comment is deleted.")).to_be_visible()
    expect(page.locator(".comment")).to_have_count(0)


def test_deleting_can_be_undone_at_once_and_later(maria, live_server, two):
    page, (before, _) = maria, two

    def delete():
        page.goto(f"{live_server.url}/results/{before.pk}/")
        open_notes(page)
        page.get_by_text("Name, tags, baseline, delete").click()
        page.get_by_role("button", name="Delete", exact=True).click()

    delete()
    expect(page.get_by_role("link", name="Before the upgrade")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Before the upgrade is restored.")).to_be_visible()
    delete()
    page.goto(f"{live_server.url}/experiments/")
    page.get_by_text("Narrow by state, recipe, server or tag").click()
    page.get_by_label("Deleted").check()
    page.get_by_role("button", name="Show").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Before the upgrade is restored.")).to_be_visible()
    assert Experiment.objects.count() == 2


def test_the_list_is_searched_with_the_keyboard(maria, live_server):
    page = maria
    page.goto(f"{live_server.url}/experiments/")
    page.get_by_label("Search").focus()
    page.keyboard.type("UPGRADE before")
    page.keyboard.press("Enter")
    rows = page.locator("tbody th > a")
    expect(rows).to_have_text(["Before the upgrade"])
    expect(page.locator("tbody td[data-label=Server]")).to_have_text([factory.server().name])
    expect(page.get_by_text("1 experiment, narrowed by")).to_be_visible()
    assert page.url.split("?")[1].startswith("words=UPGRADE+before")
    remove = page.get_by_role("link", name="Search: UPGRADE before")
    remove.focus()
    page.keyboard.press("Enter")
    expect(rows).to_have_count(2)
    page.goto(f"{live_server.url}/experiments/?words=nothing+like+it")
    expect(page.get_by_role("heading", name="No experiment matches")).to_be_visible()
    page.get_by_role("link", name="Clear").click()
    expect(rows).to_have_count(2)


def test_each_word_of_the_navigation_leads_to_the_page_of_that_name(maria, live_server):
    page = maria
    page.goto(f"{live_server.url}/workers/")
    navigation = page.get_by_role("navigation", name="Main")
    for word in ("Servers", "Experiments", "Compare", "Schedules", "API", "Glossary", "Workers"):
        if word in ("Compare", "API", "Glossary", "Workers"):
            navigation.get_by_text("More", exact=True).click()
        navigation.get_by_role("link", name=word, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(word)
        expect(navigation.locator("[aria-current=page]")).to_have_text([word])


def test_without_javascript(browser, live_server, two):
    context = patient(browser.new_context(java_script_enabled=False))
    context.add_cookies(cookies(live_server))
    page = context.new_page()
    page.goto(f"{live_server.url}/experiments/")
    page.get_by_label("Search").fill("something")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody th > a")).to_have_text(["Something else"])
    page.locator("tbody th > a").click()
    open_notes(page)
    page.get_by_label("Comment").fill("No script was needed.")
    page.get_by_role("button", name="Save").click()
    open_notes(page)
    expect(page.locator(".comment p")).to_have_text("No script was needed.")
    context.close()


def test_the_narrowed_list_is_fit_for_everybody(maria, live_server, two, problems):
    """As tests.browser.test_every_page, for what an address has to ask for."""
    page, (before, other) = maria, two
    care.rename(None, before, LONG)
    care.tag(None, before, ["x" * 30, "nightly", "before the upgrade"])
    care.delete(None, other)
    paths = (f"?undo={other.pk}", "?deleted=on", "?words=upgrade&tag=nightly", "?words=nothing", "?state=odd")
    wrong = [one for path in paths for one in look(page, f"{live_server.url}/experiments/{path}")]
    assert not wrong, "\n".join(wrong)
    problems.clear()  # the browser complains of 422
