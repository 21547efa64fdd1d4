"""The live page fills itself by asking each second, says when nobody answers, and reloads when all is over."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness.site import Site


def state(**changed: object) -> dict:
    return {
        "state": "running", "activity": "measuring", "done": 3, "total": 12, "failed": 0, "left_s": 104.0,
        "cell": {"variant": "2/0", "workload": "update by key", "threads": 8, "repeat": 1},
        "seconds": [{"t_s": t, "tps": 4000 + 10 * t, "p95_ms": 3.2} for t in range(1, 7)],
        "warming": False, "message": "", "over": False,
    } | changed  # fmt: skip


@pytest.fixture
def live(page: Page, site: Site) -> Page:
    site.poll_works = True
    site.state = state()
    page.goto(f"{site.url}/live")
    return page


def test_the_live_page_shows_progress_cell_and_curve(live):
    expect(live.locator("[data-live-count]")).to_have_text("3 of 12")
    expect(live.locator("[data-live-left]")).to_have_text("2 min left")
    expect(live.locator("[data-live-tps]")).to_have_text("4,060/s")
    expect(live.locator("[data-live-variant]")).to_have_text("2/0")
    assert live.locator("progress").evaluate("bar => bar.value / bar.max") == 0.25
    canvas = live.locator("[data-live-plot] canvas")
    blank = "canvas => !canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
    assert canvas.evaluate(blank) is False


def test_the_live_page_shows_newer_figures_each_second(live, site):
    site.state = state(done=4, seconds=[[1, 250.4, 9.1]])  # rows, as the worker sends them
    expect(live.locator("[data-live-count]")).to_have_text("4 of 12")
    expect(live.locator("[data-live-tps]")).to_have_text("250/s")


def test_the_live_page_says_when_there_is_no_second_to_show(live, site):
    plot = live.locator("[data-live-plot]")
    words = "plot => getComputedStyle(plot, '::after').content"
    expect(plot.locator("canvas")).to_be_visible()
    assert plot.evaluate(words) == "none"
    site.state = state(seconds=[], warming=True)
    expect(plot.locator("canvas")).to_be_hidden()
    assert "No throughput to show" in plot.evaluate(words)
    site.state = state()
    expect(plot.locator("canvas")).to_be_visible()


def test_the_live_page_says_when_nobody_answers_and_recovers(page, site, problems):
    site.poll_works = False
    site.state = state(done=6)
    page.goto(f"{site.url}/live")
    expect(page.locator("[data-live-link]")).to_contain_text("trying again")
    site.poll_works = True
    expect(page.locator("[data-live-count]")).to_have_text("6 of 12")
    expect(page.locator("[data-live-link]")).to_have_text("")
    problems.clear()


def test_the_live_page_reloads_when_the_experiment_is_over(live, site):
    live.evaluate("window.before = true")
    site.state = state(state="done", done=12, over=True)
    live.wait_for_function("() => window.before === undefined")
    site.state = state()
