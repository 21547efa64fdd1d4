"""The folded parts of a result page are loaded when a reader opens or prints them, and nothing in sight moves."""

import pytest
from playwright.sync_api import expect

from dashboard.records.sharing import actions as sharing
from tests.browser import pdf_text
from tests.browser.folds import unfolded
from tests.browser.patience import patient
from tests.browser.test_layout_shift import MOST, TWO_FRAMES, WATCH
from tests.browser.test_risk_chart import drawn, opened, result, risk  # noqa: F401 - fixtures
from tests.unit.results import factory

SPEED, HOW_IT_WORKS = "Speed in detail", "How it works: fsyncs, group commit, models"
SLOW_S = 0.8  # a browser forgives what moves within half a second after a click
SURFACE = "figure => figure.chartView.colours.surface"
MOVED = "shifts.reduce((sum, one) => sum + one, 0)"


@pytest.fixture
def asked(page):
    """Addresses of parts that the page asked for."""
    found = []
    page.on("request", lambda request: found.append(request.url) if "/parts/" in request.url else None)
    return found


def part(page, title):
    return unfolded(page.locator("details.part", has=page.locator("summary", has_text=title)))


def unfold(page, title):
    part(page, title).locator("summary").first.click()
    return part(page, title)


def test_a_part_is_loaded_once_when_it_is_opened_and_follows_theme_and_choice(opened, asked):  # noqa: F811
    page = opened(threads=0)
    risk(page)
    assert not asked and page.locator("[data-chart=ratio]").count() == 0
    unfold(page, SPEED)
    expect(drawn(page, "seconds").locator("figcaption")).to_have_text("Second by second at 1 thread")
    assert len(asked) == 1 and "threads=0" in asked[0]
    unfold(page, HOW_IT_WORKS)
    fsyncs = drawn(page, "fsyncs")
    light = fsyncs.evaluate(SURFACE)
    page.get_by_role("group", name="Theme").get_by_text("Dark").click()
    page.wait_for_function("light => document.querySelector('[data-chart=fsyncs]').chartView.colours.surface != light",
                           arg=light)  # fmt: skip
    fsyncs.locator("summary").click()
    fsyncs.locator(".term").first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    unfold(page, SPEED)
    unfold(page, SPEED)
    expect(page.locator("[data-chart=ratio][data-drawn]")).to_be_visible()
    assert len(asked) == 2


def test_nothing_in_sight_moves_when_a_slow_part_arrives(page, opened):  # noqa: F811
    held = []  # until the page was looked at without them
    page.add_init_script(WATCH)
    page.route("**/parts/**", lambda route: held.append(route))
    opened()
    risk(page)
    part(page, SPEED).scroll_into_view_if_needed()
    page.evaluate(TWO_FRAMES)
    page.evaluate("shifts.length = 0")
    unfold(page, SPEED)
    expect(part(page, SPEED)).to_contain_text("Loading the charts.")
    page.wait_for_timeout(1000 * SLOW_S)
    for route in held:
        route.continue_()
    page.locator("[data-chart=ratio][data-drawn]").wait_for()
    page.evaluate(TWO_FRAMES)
    assert page.evaluate(MOVED) < MOST


def test_a_part_that_was_not_loaded_says_so_and_can_be_tried_again(page, opened, problems):  # noqa: F811
    answers = [lambda route: route.abort(), lambda route: route.fulfill(status=429, body="Busy"),
               lambda route: route.fulfill(status=200, content_type="text/html", body="<h1>Log in</h1>")]  # fmt: skip
    page.route("**/parts/**", lambda route: answers.pop(0)(route) if answers else route.continue_())
    opened()
    held = unfold(page, SPEED)
    for left in (2, 1, 0):
        expect(held).to_contain_text("This part could not be loaded. The rest of the page is complete.")
        assert len(answers) == left
        held.get_by_role("button", name="Try again").click()
    drawn(page, "ratio")
    expect(held.locator("[role=status]")).to_have_count(0)
    problems.clear()  # the browser complains of the failed requests


def test_the_seconds_can_be_tried_again_too(page, opened, problems):  # noqa: F811
    answers = [lambda route: route.abort()]
    page.route("**/seconds.json*", lambda route: answers.pop(0)(route) if answers else route.continue_())
    opened()
    unfold(page, SPEED)
    seconds = page.locator("[data-chart=seconds]")
    seconds.scroll_into_view_if_needed()
    expect(seconds).to_contain_text("The figures of this chart could not be loaded. Its table has them.")
    seconds.get_by_role("button", name="Try again").click()
    drawn(page, "seconds")
    problems.clear()


def test_all_parts_are_printed_with_their_charts(page, opened, asked):  # noqa: F811
    opened()
    risk(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for key in ("ratio", "fsyncs", "probe"):
        assert page.locator(f"[data-chart={key}][data-drawn]").count() == 1, key
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("[data-chart=ratio]")).to_be_hidden()
    assert len(asked) == 2
    opened()
    risk(page)
    printed = " ".join(pdf_text.pages(page.pdf(format="A4")))
    for told in (SPEED, "Throughput against 1/1", HOW_IT_WORKS, "Group commit", "The host was not watched"):
        assert told in printed, told


def test_a_print_that_cannot_load_a_part_says_so(page, opened, problems):  # noqa: F811
    page.route("**/parts/**", lambda route: route.abort())
    opened()
    risk(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(part(page, SPEED)).to_contain_text("This part could not be loaded.")
    page.unroute("**/parts/**")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    unfold(page, SPEED)
    drawn(page, "ratio")
    problems.clear()


def test_without_scripts_a_guest_reads_the_part_on_a_page_of_its_own(browser, live_server, transactional_db):
    one = factory.experiment(servers=[factory.server("alpha"), factory.server("beta", host="b")])
    _, token = sharing.share(None, one)
    plain = patient(browser.new_context(java_script_enabled=False))
    try:
        page = plain.new_page()
        page.goto(f"{live_server.url}/share/{token}/?threads=0")
        unfold(page, SPEED).get_by_role("link").click()
        expect(page.get_by_role("heading", level=2).first).to_have_text(SPEED)
        seconds = page.locator("[data-chart=seconds]")
        expect(seconds.locator("figcaption")).to_have_text("Second by second at 1 thread")
        seconds.locator("summary").click()
        expect(seconds.locator("table")).to_contain_text("1/1, Server A")
        page.get_by_role("link", name="Result", exact=True).click()
        expect(part(page, SPEED)).to_be_visible()
        assert f"/share/{token}/?" in page.url and "threads=0" in page.url
    finally:
        plain.close()


def test_a_guest_opens_a_part(page, live_server, context, asked, transactional_db):
    _, token = sharing.share(None, factory.experiment())
    page.goto(f"{live_server.url}/share/{token}/")
    unfold(page, HOW_IT_WORKS)
    drawn(page, "fsyncs")
    assert len(asked) == 1 and f"/share/{token}/parts/how-it-works/" in asked[0]
