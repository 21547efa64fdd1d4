"""Every kind of chart is drawn, switched, read by keyboard and saved as a picture, under the product's policy."""

import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from dashboard.findings.looks import COLOURS as COLOURS_OF_LINES
from dashboard.findings.looks import STYLES
from tests.browser.harness.pages import CROWD, CROWD_NAMES, PAYLOADS
from tests.browser.harness.site import Site
from tests.browser.watched import page_of_several_tests

DRAWN = [key for key, payload in PAYLOADS.items() if not payload["empty"]]
LOOK_AT = "const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data"
COLOURS = f"""canvas => {{
  {LOOK_AT};
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) seen.add(pixels.slice(i, i + 3).join());
  return seen.size;
}}"""
SERIES_PIXELS = f"""([figure, index]) => {{
  const {{canvas, colours}} = figure.chartView;
  const wanted = [...colours.series[index].match(/\\d+/g).map(Number), 255];
  {LOOK_AT};
  let count = 0;
  for (let i = 0; i < pixels.length; i += 4) if (wanted.every((value, at) => pixels[i + at] === value)) count += 1;
  return count;
}}"""


def figure(page: Page, key: str) -> Locator:
    found = page.locator(f"[data-chart={key}]")
    found.scroll_into_view_if_needed()
    page.wait_for_function("key => document.querySelector(`[data-chart=${key}]`).chartView", arg=key)
    return found


def series_pixels(found: Locator, index: int) -> int:
    return found.page.evaluate(SERIES_PIXELS, [found.element_handle(), index])


@pytest.fixture
def charts(page: Page, site: Site) -> Page:
    page.goto(f"{site.url}/charts")
    return page


@pytest.fixture(scope="module")
def looked_at(browser: Browser, site: Site) -> Iterator[Page]:
    """For tests that only look, or put back what they change."""
    with page_of_several_tests(browser) as page:
        page.goto(f"{site.url}/charts")
        yield page


@pytest.mark.parametrize("key", DRAWN)
def test_every_chart_draws_its_series_in_their_colours(looked_at, key):
    drawn = figure(looked_at, key)
    assert drawn.locator(".chart-plot canvas").evaluate(COLOURS) > 20
    colours = {series["colour"] for series in PAYLOADS[key]["series"]}
    assert all(series_pixels(drawn, colour) > 20 for colour in colours)


def test_a_chart_without_data_says_why(looked_at):
    empty = looked_at.locator("[data-chart=none]")
    empty.scroll_into_view_if_needed()
    assert empty.locator(".chart-empty").inner_text() == PAYLOADS["none"]["empty"]
    assert empty.locator("canvas").count() == 0


def test_a_chart_says_when_its_figures_cannot_be_loaded(page, site, problems):
    page.goto(f"{site.url}/broken")
    page.locator(".chart-empty").wait_for()
    assert "could not be loaded" in page.locator(".chart-empty").inner_text()
    assert [problem for problem in problems if "500" not in problem] == []
    problems.clear()


def test_a_button_switches_between_linear_and_log(charts):
    throughput = figure(charts, "throughput")
    scale = "figure => figure.chartView.chart.scales.y.type"
    assert throughput.evaluate(scale) == "linear"
    throughput.get_by_role("button", name="log", exact=True).click()
    assert throughput.evaluate(scale) == "logarithmic"
    assert throughput.get_by_role("button", name="log", exact=True).get_attribute("aria-pressed") == "true"
    assert series_pixels(throughput, 0) > 20


def test_a_chart_ticks_the_measured_thread_counts(looked_at):
    ticks = figure(looked_at, "throughput").evaluate("f => f.chartView.chart.scales.x.ticks.map(tick => tick.value)")
    assert ticks == [1, 2, 4, 8, 16, 32, 64]


def test_a_chart_keeps_intervals_inside_the_plot(looked_at):
    highest = max(point["hi"] for series in PAYLOADS["ratio"]["series"] for point in series["points"])
    assert figure(looked_at, "ratio").evaluate("f => f.chartView.chart.scales.y.max") >= highest


def test_names_at_the_ends_of_lines_do_not_overlap(looked_at):
    throughput = figure(looked_at, "throughput")
    tops = throughput.evaluate(
        """async figure => {
          const {settle} = await import('/static/js/charts/plugins/end-labels.js');
          const labels = [50, 52, 53, 199, 200].map(y => ({y}));
          return settle(labels, {top: 0, bottom: 200}).map(label => label.y);
        }"""
    )
    assert all(after - before >= 16 for before, after in pairwise(tops))
    assert min(tops) >= 0
    assert max(tops) <= 200


def test_a_bound_that_ends_far_from_the_names_has_none_there(looked_at):
    cut = figure(looked_at, "throughput").evaluate(
        """async figure => {
          const {isCut} = await import('/static/js/charts/plugins/end-labels.js');
          const bound = {ceiling: true}, measured = {};
          return [[bound, 100], [bound, 195], [measured, 100]].map(([series, x]) => isCut(series, x, {right: 200}));
        }"""
    )
    assert cut == [True, False, False]


def test_a_hidden_series_leaves_the_colours_of_the_others(looked_at):
    groups = figure(looked_at, "groups")
    first, others = series_pixels(groups, 0), series_pixels(groups, 2)
    groups.get_by_role("button", name="1/1").click()
    assert first > 0
    assert series_pixels(groups, 0) == 0
    assert series_pixels(groups, 2) >= others
    groups.get_by_role("button", name="1/1").click()
    assert series_pixels(groups, 0) == first


def test_the_key_lists_each_variant_and_part_of_a_stack_once(looked_at):
    names = figure(looked_at, "fsyncs").locator(".chart-key button").all_inner_texts()
    assert names == ["1/1", "2/1", "2/0", "0/0", "redo", "binlog", "data"]


def test_an_empty_bucket_is_drawn_as_zero(looked_at):
    left_out = figure(looked_at, "latency").evaluate(
        "f => f.chartView.chart.data.datasets[0].data.find(point => point.x === 2048).y"
    )
    assert left_out == 0


def test_histograms_of_variants_stand_below_each_other_to_one_scale(looked_at):
    """In the plan's order, each in its own colour; the key says once what the strokes are."""
    latency = figure(looked_at, "latency")
    panels = latency.evaluate("f => [0, 1, 2, 3].map(n => f.chartView.chart.scales[`y${n}`])"
                              ".map(({top, bottom, max, min}) => [top, bottom, max, min])")  # fmt: skip
    assert all(above[1] <= below[0] for above, below in pairwise(panels))
    assert len({(most, least) for _, _, most, least in panels}) == 1
    drawn = latency.evaluate(
        "f => f.chartView.chart.data.datasets.map(set => [set.label, set.yAxisID, set.borderColor])"
    )
    assert [(label, scale) for label, scale, _ in drawn[:3]] == [
        ("1/1 redo", "y0"),
        ("1/1 binlog", "y0"),
        ("2/1 redo", "y1"),
    ]
    assert len({colour for *_, colour in drawn}) == 4
    assert latency.locator(".chart-key button").all_inner_texts() == ["redo", "binlog"]


def test_a_chart_is_read_by_keyboard(looked_at):
    throughput = figure(looked_at, "throughput")
    canvas, reading = throughput.locator(".chart-plot canvas"), throughput.locator(".chart-reading")
    canvas.focus()
    canvas.press("ArrowRight")
    assert reading.inner_text().startswith("1/1, 1 threads: 206.6/s (95\N{NO-BREAK SPACE}%: 194.2 to 216.9)")
    canvas.press("ArrowRight")
    assert reading.inner_text().startswith("1/1, 2 threads:")
    canvas.press("ArrowDown")
    canvas.press("End")
    assert reading.inner_text().startswith("2/1, 64 threads:")
    assert reading.get_attribute("aria-live") == "polite"
    canvas.press("Escape")
    assert reading.inner_text() == ""


def test_a_reader_by_keyboard_is_told_of_stalls(looked_at):
    seconds = figure(looked_at, "seconds")
    canvas = seconds.locator(".chart-plot canvas")
    canvas.focus()
    for _ in range(23):
        canvas.press("ArrowRight")
    assert "23\N{NO-BREAK SPACE}s: 12/s, stall" in seconds.locator(".chart-reading").inner_text()
    canvas.press("Escape")


def test_the_pointer_shows_all_series(looked_at):
    throughput = figure(looked_at, "throughput")
    canvas = throughput.locator(".chart-plot canvas")
    box = canvas.bounding_box()
    canvas.hover(position={"x": box["width"] * 0.45, "y": box["height"] / 2})
    shown = throughput.evaluate("f => f.chartView.chart.tooltip.dataPoints.map(item => item.dataset.label)")
    assert shown == ["0/0", "2/0", "1/1 (limit)", "2/1", "1/1"]


def test_a_ceiling_is_named_hidden_and_shown_with_its_variant(looked_at):
    throughput = figure(looked_at, "throughput")
    hidden = "f => f.chartView.payload.series.filter((_, n) => !f.chartView.chart.isDatasetVisible(n)).map(s => s.name)"
    entry = throughput.locator(".chart-key button").filter(has_text="1/1")
    assert entry.count() == 1
    entry.dispatch_event("click")  # the key itself stands only where names have no room
    assert throughput.evaluate(hidden) == ["1/1", "1/1"]
    entry.dispatch_event("click")
    assert throughput.evaluate(hidden) == []


@pytest.mark.parametrize("key", ["throughput", "fsyncs"])
def test_the_downloaded_picture_has_twice_the_pixels(looked_at, key):
    drawn = figure(looked_at, key)
    before = drawn.evaluate("f => [f.chartView.canvas.width, f.chartView.canvas.height]")
    with looked_at.expect_download() as download:
        drawn.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == f"{key}.png"
    raw = Path(download.value.path()).read_bytes()
    assert raw.startswith(b"\x89PNG")
    width, _ = struct.unpack(">II", raw[16:24])
    assert width == 2 * (drawn.evaluate("f => f.chartView.plot.clientWidth") + 40)
    assert drawn.evaluate("f => [f.chartView.canvas.width, f.chartView.canvas.height]") == before


def test_a_chart_follows_the_theme(charts):
    throughput = figure(charts, "throughput")
    ink = "f => f.chartView.colours.ink"
    light = throughput.evaluate(ink)
    charts.get_by_role("button", name="Dark").click()
    assert throughput.evaluate(ink) != light
    assert series_pixels(throughput, 0) > 20


def test_charts_fit_a_phone(charts):
    charts.set_viewport_size({"width": 360, "height": 780})
    many = figure(charts, "many")
    assert many.evaluate("f => f.chartView.room") == 0
    assert many.locator(".chart-key button").count() == 8
    assert charts.evaluate("document.documentElement.scrollWidth <= innerWidth")
    canvas = many.locator(".chart-plot canvas").bounding_box()
    assert canvas["width"] <= 360


LOOKS = """async figure => {
  const {lookOf} = await import('/static/js/charts/strokes.js');
  const measured = figure.chartView.payload.series.filter(series => !series.ceiling);
  return measured.map(series => [series.colour, JSON.stringify(lookOf(series))].join());
}"""
OPAQUE = """figure => figure.chartView.chart.data.datasets
  .filter((set, index) => figure.chartView.chart.isDatasetVisible(index) && !set.borderColor.includes('/'))
  .map(set => set.label)"""
EVERY_LOOK = """async () => {
  const {lookOf} = await import('/static/js/charts/strokes.js');
  const all = Array.from({length: 64}, (_, n) => [n % 8, JSON.stringify(lookOf({colour: n % 8, dash: n >> 3}))].join());
  return new Set(all).size;
}"""


def test_as_many_looks_as_colours_times_styles(looked_at):
    figure(looked_at, "crowd")
    assert looked_at.evaluate(EVERY_LOOK) == COLOURS_OF_LINES * STYLES


def test_no_two_of_many_variants_look_alike(looked_at):
    """Nor do their strokes, for kinds of pictures that have no marks."""
    crowd = figure(looked_at, "crowd")
    looks = crowd.evaluate(LOOKS)
    assert len(looks) == len(set(looks)) == len(CROWD_NAMES)
    strokes = crowd.evaluate(
        "f => f.chartView.chart.data.datasets.filter(set => set.pointRadius)"
        ".map(set => [set.borderColor, set.borderDash].join())"
    )
    assert len(strokes) == len(set(strokes)) == len(CROWD_NAMES)


def test_among_many_lines_the_others_step_back(looked_at):
    """Pointed at in the key; its ceiling comes with it, and goes with it."""
    crowd = figure(looked_at, "crowd")
    assert crowd.evaluate(OPAQUE) == CROWD_NAMES
    entry = crowd.get_by_role("button", name=CROWD_NAMES[9], exact=True)
    entry.hover()
    assert crowd.evaluate(OPAQUE) == [CROWD_NAMES[9], f"{CROWD_NAMES[9]} (limit)"]
    crowd.locator("figcaption").hover()
    assert crowd.evaluate(OPAQUE) == CROWD_NAMES
    entry.focus()
    assert crowd.evaluate(OPAQUE) == [CROWD_NAMES[9], f"{CROWD_NAMES[9]} (limit)"]
    entry.blur()
    assert crowd.evaluate(OPAQUE) == CROWD_NAMES


def test_among_many_lines_the_plot_points_at_one(looked_at):
    crowd = figure(looked_at, "crowd")
    canvas = crowd.locator(".chart-plot canvas")
    at = crowd.evaluate("f => { const {x, y} = f.chartView.chart.getDatasetMeta(50).data[5]; return {x, y}; }")
    canvas.hover(position=at)
    shown = crowd.evaluate("f => f.chartView.chart.tooltip.dataPoints.map(item => item.dataset.label)")
    assert shown == [CROWD_NAMES[25]]
    assert crowd.evaluate(OPAQUE) == [CROWD_NAMES[25], f"{CROWD_NAMES[25]} (limit)"]
    crowd.locator("figcaption").hover()
    assert crowd.evaluate(OPAQUE) == CROWD_NAMES


def test_among_many_lines_the_keyboard_reads_one_after_the_other(looked_at):
    crowd = figure(looked_at, "crowd")
    canvas, reading = crowd.locator(".chart-plot canvas"), crowd.locator(".chart-reading")
    canvas.focus()
    canvas.press("ArrowRight")
    canvas.press("ArrowDown")
    assert reading.inner_text().startswith(f"{CROWD_NAMES[1]}, 1 threads:")
    assert crowd.evaluate(OPAQUE) == [CROWD_NAMES[1], f"{CROWD_NAMES[1]} (limit)"]
    canvas.press("Escape")
    assert crowd.evaluate(OPAQUE) == CROWD_NAMES


def test_a_picture_of_many_lines_shows_all_of_them(charts):
    crowd = figure(charts, "crowd")
    crowd.get_by_role("button", name=CROWD_NAMES[3], exact=True).focus()
    crowd.evaluate("f => f.chartView.toFront([6, 7])")
    with charts.expect_download():
        crowd.get_by_role("button", name="PNG").click()
    assert crowd.evaluate(OPAQUE) == CROWD_NAMES


def test_few_lines_stay_as_they_are_when_one_is_pointed_at(looked_at):
    """The negative control: eight lines are told apart by colour."""
    many = figure(looked_at, "many")
    before = many.evaluate(OPAQUE)
    many.locator(".chart-key button").first.hover()
    assert many.evaluate(OPAQUE) == before


def test_many_names_have_room_at_the_ends_of_their_lines(charts):
    crowd = figure(charts, "crowd")
    assert crowd.evaluate("f => f.chartView.room") > 0
    assert len(CROWD["series"]) == 2 * len(CROWD_NAMES)
    charts.set_viewport_size({"width": 360, "height": 780})
    charts.wait_for_function("() => document.querySelector('[data-chart=crowd]').chartView.room === 0")
    assert charts.evaluate("document.documentElement.scrollWidth <= innerWidth")
