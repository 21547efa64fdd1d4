"""Two experiments are chosen by name and server, and everything that one of them lacks is said."""

import pytest
from playwright.sync_api import expect

from tests.browser.folds import unfolded
from tests.browser.test_every_page import PHONE, settled_width
from tests.browser.test_nights import dba  # noqa: F401 - a fixture
from tests.unit.results import factory, trials

GROUND = "element => getComputedStyle(element).backgroundColor"
LINE = """figure => {
  const asked = document.createElement("i");
  asked.style.color = figure.chartView.chart.data.datasets[0].borderColor;
  document.body.append(asked);
  return getComputedStyle(asked).color;
}"""


@pytest.fixture
def two(db):
    lost = {"1/1": {"power-loss": [(0, 0)] * 3}, "0/0": {"power-loss": [(5, 900)] * 3}}
    trials.experiment(lost, levels={"1/1": 100.0, "0/0": 900.0}, name="before")
    factory.experiment({"1/1": 200.0}, servers=[factory.server("db8")], threads=(1, 8, 64), name="after")


def test_two_experiments_are_chosen_and_nothing_is_left_out(page, live_server, dba, two):  # noqa: F811
    page.goto(f"{live_server.url}/results/compare/")
    for side, name, words in (("a", "before, db7 in rack 3", "rack 3"), ("b", "after, db8", "AFTER db8")):
        page.get_by_label("Search").fill(words)
        page.keyboard.press("Enter")
        expect(page.locator("#search-says")).to_contain_text("1 experiment with these words")
        choice = page.locator(f"select[name={side}]")
        choice.select_option(choice.locator("option", has_text=name).get_attribute("value"))
    page.get_by_role("button", name="Compare", exact=True).click()
    main = page.locator("main")
    expect(main.locator("p.finding").first).to_contain_text("The throughput differs at 2 of 2 points")
    expect(main).to_contain_text("Only in A: 0/0 at 1 and 8 threads")
    expect(main).to_contain_text("Only in B: 1/1 at 64 threads")
    crash = page.get_by_role("row").filter(has_text="commits lost in 3 of 3")
    expect(crash).to_contain_text("not tried")
    page.wait_for_function("() => document.querySelector('[data-chart=compared]').chartView")
    swatch = page.locator("[aria-label=Pairs] tr", has_text="1/1").locator(".swatch").first
    colour = swatch.evaluate(GROUND)
    assert page.locator("[data-chart=compared]").evaluate(LINE) == colour
    page.set_viewport_size(PHONE)
    assert settled_width(page) == 0
    wide = "els => els.filter(e => e.getBoundingClientRect().right > innerWidth).length"
    assert page.locator("main .stacked .badge").evaluate_all(wide) == 0
    page.get_by_role("link", name="before", exact=True).click()
    row = unfolded(page.locator(".crash-matrix tr", has_text="1/1"))
    assert row.locator(".swatch").evaluate(GROUND) == colour
