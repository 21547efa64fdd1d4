"""Pages as they are printed: light whatever the theme, without what only a screen needs, nothing cut off."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.records.servers import levels
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
CUT_OFF = """() => [...document.querySelectorAll('main :is(canvas, table, figure, pre, p)')]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 80))"""


@pytest.fixture
def pages(page, live_server, transactional_db):
    """name -> address; the page is logged in."""
    client = Client()
    client.force_login(User.objects.create_superuser("admin", password="a long test password"))
    log_in(page, live_server, client)
    one, other = trials.experiment(), factory.experiment()
    levels.agree(None, factory.server(), levels.Wanted(4000, 20, ["power"]))
    return {
        "result": f"{live_server.url}/results/{one.pk}/",
        "report": f"{live_server.url}/results/{one.pk}/report/",
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
    for name, address in pages.items():
        print_preview(page, address)
        for control in (
            ".site-nav",
            ".site-tools",
            ".actions",
            ".chart-tools",
            "main form",
            "main .button",
            ".copy-button",
        ):
            assert not any(one.evaluate(SEEN) for one in page.locator(control).all()), f"{name}: {control}"
        assert page.evaluate(CUT_OFF) == [], name
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


def test_the_dark_screen_comes_back(page, pages):
    page.emulate_media(color_scheme="dark")
    page.goto(pages["cell"])
    page.locator("[data-chart][data-drawn]").wait_for()
    dark = page.evaluate("document.querySelector('[data-chart]').chartView.colours.surface")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", pdf)) >= 1
    page.locator("html:not(.printing)").wait_for()
    assert page.evaluate("document.querySelector('[data-chart]').chartView.colours.surface") == dark
