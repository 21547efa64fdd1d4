"""The plan's form in a browser: few Tab stops, one screen, lines that follow, and a start that happens once."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Preflight, Server
from tests.browser.test_nights import dba  # noqa: F401 - a fixture
from tests.own_transactions import EXAMPLE

MOST_STOPS = 15
STARTED = re.compile(r"/experiments/\d+/$")
FOCUSED = "(document.activeElement.getAttribute('name') ?? document.activeElement.textContent).trim()"


@pytest.fixture
def form(page, live_server, dba, monkeypatch):  # noqa: F811 - the fixture
    monkeypatch.setattr(actions, "notify_workers", lambda pk: None)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/experiments/new/")
    expect(page.locator("[data-plan-says]")).to_contain_text("27 measurements")
    return page


def test_start_is_a_few_tabs_away_from_the_top_of_the_page_and_on_the_first_screen(form):
    """With a dozen servers, of which the last one is ticked."""
    for number in range(1, 12):
        Server.objects.create(name=f"db{number}", kind="attached", host=f"db{number}", user="x", label="test")
    last = Server.objects.create(name="last", kind="attached", host="db99", user="x", label="test")
    form.goto(f"{form.url}?server={last.pk}")
    expect(form.get_by_label("last")).to_be_checked()
    start = form.get_by_role("button", name="Start", exact=True)
    for shown in (form.get_by_label("last"), form.get_by_label("0/0"), form.get_by_label("Measuring seconds"), start):
        box = shown.bounding_box()
        assert box["y"] + box["height"] < 800
    Server.objects.filter(pk=last.pk).update(label="production")
    form.reload()
    expect(form.get_by_label("last (production, attached)")).to_be_checked()
    form.keyboard.press("Tab")
    assert form.evaluate(FOCUSED) == "Skip to the form"
    form.keyboard.press("Enter")
    stops = 1
    while form.evaluate(FOCUSED) != "Start":
        form.keyboard.press("Tab")
        stops += 1
        assert stops <= MOST_STOPS, form.evaluate(FOCUSED)
    form.get_by_text("more servers").click()
    expect(form.get_by_label("db9")).to_be_visible()


def test_the_line_of_a_group_follows_its_fields(form):
    line = form.locator("[data-plan-summary=length]")
    expect(line).to_have_text("3 repeats of 10 s, fsyncs and group commits are counted")
    form.get_by_label("Measuring seconds").fill("20")
    expect(line).to_have_text("3 repeats of 20 s, fsyncs and group commits are counted")


def test_a_server_that_is_ticked_has_its_setting_ticked_and_marked(form):
    own = Server.objects.create(name="own", kind="attached", host="db1", user="x")
    settings = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "0"}
    Preflight.objects.create(server=own, state="done", done_at=timezone.now(), facts={"settings": settings})
    form.reload()
    pair = form.get_by_role("checkbox", name="1/0")
    expect(pair).not_to_be_checked()
    form.get_by_label("own (attached)", exact=True).check()
    expect(pair).to_be_checked()
    expect(form.locator("[data-yours]:visible")).to_have_count(1)
    form.get_by_label("own (attached)", exact=True).uncheck()
    expect(form.locator("[data-yours]:visible")).to_have_count(0)


def test_a_setting_that_is_no_longer_ticked_leaves_the_headline(form):
    headline = form.locator("[name=main_variant]")
    headline.evaluate("field => { field.value = '0/0'; }")
    form.get_by_label("2/0").uncheck()
    expect(headline).to_have_value("0/0")
    form.get_by_label("0/0").uncheck()
    expect(headline).to_have_value("")


def test_a_double_click_a_resent_form_and_a_reload_start_one(form, problems):
    start = form.get_by_role("button", name="Start", exact=True)
    form.get_by_label("box").uncheck()
    start.click()
    expect(form.get_by_text("Choose a server.", exact=True)).to_be_visible()
    form.reload()  # the refused form is sent again
    expect(form.get_by_text("Choose a server.", exact=True)).to_be_visible()
    assert not Experiment.objects.exists()
    form.get_by_label("box").check()
    start.dblclick()
    expect(form).to_have_url(STARTED)  # the second click ends the navigation of the first
    address = form.url
    form.reload()
    form.go_back()
    form.get_by_label("box").check()
    start.click()
    form.wait_for_url(STARTED)
    assert form.url == address and Experiment.objects.count() == 1
    problems.clear()  # the browser complains of 422


def test_a_file_of_an_own_transaction_is_shown_with_values_or_with_the_line_of_its_error(form, tmp_path):
    form.locator("[data-plan-summary=load]").click()
    shown, text = form.locator("[data-own-shown]"), form.get_by_label("Your own transaction").first
    expect(shown).to_be_hidden()
    (tmp_path / "own.toml").write_text(EXAMPLE)
    form.get_by_label("Choose a file").set_input_files(tmp_path / "own.toml")
    expect(text).to_have_value(EXAMPLE)
    expect(shown).to_contain_text("UPDATE `orders` SET `state` = 'paid' WHERE `id` = 1")
    expect(shown).to_contain_text("Crash trials can be judged with it")
    text.fill(EXAMPLE.replace("UPDATE orders", "DROP TABLE orders; UPDATE orders"))
    expect(form.locator("[data-plan-says]")).to_contain_text(re.compile(r"line \d+, transactions\[1\].statements\[3\]"))
    expect(shown).to_be_hidden()
    text.fill(
        EXAMPLE.replace("UPDATE orders SET state = 'paid' WHERE id = :order", "DELETE FROM customers WHERE id = 1")
    )
    expect(shown).to_contain_text(re.compile(r"Crash trials cannot be judged .* line \d+"))


def test_a_preview_that_fails_says_so_and_the_next_one_replaces_it(form):
    says = form.locator("[data-plan-says]")
    start = form.get_by_role("button", name="Start", exact=True)
    place = start.bounding_box()
    form.route("**/experiments/review/", lambda route: route.fulfill(body="Log in"))
    form.get_by_label("Measuring seconds").fill("7")
    expect(says).to_have_text(re.compile("The preview could not be worked out"))
    assert start.bounding_box() == place  # a button that moves is missed
    form.unroute("**/experiments/review/")
    form.get_by_label("Measuring seconds").fill("8")
    expect(says).to_contain_text("27 measurements")
