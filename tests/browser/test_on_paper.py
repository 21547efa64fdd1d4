"""Pages as they are printed: light whatever the theme, without what only a screen needs, nothing cut off."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.records.experiments.models import Comment
from dashboard.records.servers import levels
from tests.browser import pdf_text
from tests.browser.test_every_page import log_in
from tests.unit.results import factory, trials
from tests.unit.results.test_comparison import every

PAPER = {"width": 680, "height": 1000}  # A4 without its margins, in CSS pixels
LIGHTNESS = """canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let ink = 0, sum = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] < 200) continue;
    ink += 1;
    sum += (pixels[i] + pixels[i + 1] + pixels[i + 2]) / 3;
  }
  return sum / ink;
}"""
SEEN = "element => element.getClientRects().length > 0"
ONLY_ON_A_SCREEN = ".site-nav, .site-tabs, .site-tools, .actions, .chart-tools, main form, main .button, .copy-button"
SHOWN = """controls => [...document.querySelectorAll(controls)]
  .filter((one) => one.getClientRects().length > 0).map((one) => one.outerHTML.slice(0, 80))"""
CUT_OFF = """() => [...document.querySelectorAll('main :is(canvas, table, figure, pre, p)')]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 80))"""


DRAWN = "() => [...document.querySelectorAll('[data-chart]')].every((one) => one.chartView)"


@pytest.fixture
def pages(page, live_server, transactional_db):
    """name -> address; the page is logged in."""
    client, admin = Client(), User.objects.create_superuser("admin", password="a long test password")
    client.force_login(admin)
    log_in(page, live_server, client)
    one, other = trials.experiment(), factory.experiment()
    Comment.objects.create(experiment=one, author=admin, name="admin", text="Checked by hand.", confirms=True)
    levels.agree(None, factory.server(), levels.Wanted(4000, 20, ["power"]))
    return {
        "result": f"{live_server.url}/results/{one.pk}/",
        "report": f"{live_server.url}/results/{one.pk}/report/",
        "report of a load": f"{live_server.url}/results/{other.pk}/report/",
        "compare": f"{live_server.url}/results/compare/?runs={every(other)}",
        "cell": f"{live_server.url}/results/cells/{one.cells.first().pk}/",
        "trials": f"{live_server.url}/results/{one.pk}/trials/",
        "trial": f"{live_server.url}/results/trials/{one.trials.first().pk}/",
        "claims": f"{live_server.url}/experiments/claims/",
    }


def print_preview(page, address):
    """The page as print shows it: what browsers do before they print, on a sheet of paper."""
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    charts = page.locator("[data-chart]:visible")
    if charts.count():
        charts.first.scroll_into_view_if_needed()
        page.locator("[data-chart][data-drawn]:visible").first.wait_for()  # charts.js has come
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print", color_scheme="dark")


def test_every_page_fits_and_shows_no_controls(page, pages):
    page.goto(pages["result"])
    assert len(page.evaluate(SHOWN, ONLY_ON_A_SCREEN)) > 3, "the control"
    for name, address in pages.items():
        print_preview(page, address)
        assert page.evaluate(SHOWN, ONLY_ON_A_SCREEN) == [], name
        assert page.evaluate(CUT_OFF) == [], (name, page.evaluate(CUT_OFF))
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        head = page.locator(".on-paper").inner_text()
        assert address in head and re.search(r"Printed \d+ \w+ \d{4}", head), name
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.documentElement.className") == ""


def test_charts_are_drawn_light_and_as_wide_as_the_sheet_or_printed_as_their_table(page, pages):
    """Seconds are fetched when a reader scrolls to them; who prints before has their table."""
    page.route("**/charts/seconds.json*", lambda route: None)  # never answered
    print_preview(page, pages["result"])
    drawn = page.locator("[data-chart=throughput]")
    page.locator("[data-chart=throughput][data-drawn]").wait_for()
    canvas = drawn.locator(".chart-plot canvas")
    box = canvas.bounding_box()
    assert 560 < box["width"] <= 680
    assert drawn.evaluate("one => one.chartView.colours.surface").replace(" ", "") == "rgb(255,255,255)"
    assert canvas.evaluate(LIGHTNESS) < 200, "lines and words on paper, no dark ground"
    seconds = page.locator("[data-chart=seconds]")
    assert not seconds.locator(".chart-plot").evaluate(SEEN)
    assert seconds.locator("table").evaluate(SEEN)
    assert drawn.locator(".chart-plot").evaluate(SEEN) and not drawn.locator("table").evaluate(SEEN)


def as_pdf(page, address, sheets):
    """The words of its only so many sheets, once the chart is drawn: a chart and its table have different heights."""
    page.goto(address)
    page.locator("[data-print]").wait_for()  # app.js has come
    page.wait_for_function(DRAWN)
    printed = pdf_text.pages(page.pdf(format="A4"))
    assert [f"Page {n} of {sheets}" in sheet for n, sheet in enumerate(printed, start=1)] == [True] * sheets
    return " ".join(printed)


def test_the_report_tells_on_two_sheets_what_was_asked_measured_and_confirmed(page, pages):
    printed = as_pdf(page, pages["report"], 2)
    for told in (
        "2/0 RPO 0 s: nothing lost in a power loss commits lost in 4 of 4 power losses, at most the last 17 s",
        "1/1 8 4,290 4,212 4,368 3 997",
        "Commits lost per power loss, simulated disk",
        "Checked by hand.",
        "server version 10.11.6-MariaDB",
        "Seed of the experiment 42",
        "0/0: power loss 91, 92, 93, 94",
    ):
        assert told in printed, told
    assert "Print or save as PDF" not in printed


def test_the_report_of_a_load_has_its_speed_and_nothing_of_crashes(page, pages):
    printed = as_pdf(page, pages["report of a load"], 2)
    assert "RPO 0 s: nothing lost in a power loss Not tried." in printed
    assert "Threads Throughput per second 95 % from 95 % to Repeats p50 p95 p99 1/1 1 1,002 974.4 1,030 3" in printed
    assert "Nobody yet." in printed and "seeds of" not in printed.lower() and "Crash matrix" not in printed


def test_the_dark_screen_comes_back(page, pages):
    page.emulate_media(color_scheme="dark")
    page.goto(pages["cell"])
    page.locator("[data-chart][data-drawn]").wait_for()
    dark = page.evaluate("document.querySelector('[data-chart]').chartView.colours.surface")
    printed = pdf_text.pages(page.pdf(format="A4"))
    assert len(printed) == 3 and "sysbench /opt/lua/update_key.lua" in printed[1]
    assert printed[2].startswith("Page 3 of 3 Set LUA_PATH")
    page.locator("html:not(.printing)").wait_for()
    assert page.evaluate("document.querySelector('[data-chart]').chartView.colours.surface") == dark
