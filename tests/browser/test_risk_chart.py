"""Speed against risk on the real page: drawn, read by keyboard, saved, on a phone, and the pages behind it."""

import os
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.browser.folds import unfolded
from tests.browser.harness.pages import RISKS
from tests.unit.results import trials

HELD = [(0, 0)]
RATES = {
    "1/1": {"process-kill": HELD * 30, "power-loss": HELD * 30, "torn-power-loss": HELD * 30,
            "lying-disk": [(21000, 21000)] * 3, "graceful-restart": HELD * 3},
    "1/0": {"process-kill": HELD * 4, "power-loss": [(1, 18000), (4, 17000), (6, 18000), (3, 18100)],
            "torn-power-loss": [None, None]},
    "2/1": {"process-kill": HELD * 4, "power-loss": [(977, 0), (1060, 0), (1278, 0), (1041, 0)]},
    "2/0": {"process-kill": HELD * 4, "power-loss": [(1162, 18000), (1400, 19000), (3630, 18500), None]},
    "0/0": {"process-kill": [(948, 0), (4502, 0), (1100, 0), (1200, 0)],
            "power-loss": [(1897, 20000), (3665, 21000), (2500, 20000), (2100, 20000)]},
}  # fmt: skip
LEVELS = {"1/1": 410.0, "1/0": 900.0, "2/1": 880.0, "2/0": 2300.0, "0/0": 2600.0}
CLIP = {"x": 0, "y": 0, "height": 1600}
PIXELS = """canvas => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) seen.add(data.slice(i, i + 3).join());
  return seen.size;
}"""
NAME = """figure => {
  const {chart} = figure.chartView;
  const {x} = chart.scales;
  chart.ctx.font = '12px ' + chart.data.given.colours.font;
  return Math.max(...x.options.title.text.map(line => chart.ctx.measureText(line).width)) / x.width;
}"""
PLACED = """async figure => {
  const {labels} = await import('/static/js/charts/plugins/risk-points.js');
  return labels(figure.chartView.chart).map(({covered, lines}) => [covered, lines[0].text]);
}"""
LINES = """async figure => {
  const {labels} = await import('/static/js/charts/plugins/risk-points.js');
  const {distance, linesOf} = await import('/static/js/charts/plugins/risk-labels.js');
  const {chart} = figure.chartView;
  const points = chart.data.datasets.map((_, n) => chart.getDatasetMeta(n).data[0]);
  const apart = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
  return labels(chart).map((label, n) => ({
    led: label.stray > 0 && chart.width < 400, // a line joins it to its point
    lines: linesOf(label).map(line => ({
      own: distance(line, points[n]),
      others: points.filter(other => apart(points[n], other) > 7.5).map(other => distance(line, other)),
    })),
  }));
}"""
ORDER = """async ys => {
  const {placed} = await import('/static/js/charts/plugins/risk-labels.js');
  const context = document.createElement('canvas').getContext('2d');
  const points = ys.map((y, n) => ({x: 200, y, name: `${n}/0`, given: {mark: 'lost commits in 1 of 1 power loss'}}));
  const labels = placed(context, {left: 0, top: 0, right: 260, bottom: 400}, points, [], 6, 'sans-serif');
  return labels.map(({top}) => top);
}"""
ROOM = 30  # pixels around a point in which a line of text is taken for a label of this point


@pytest.fixture
def result(transactional_db, context, live_server):
    experiment = trials.experiment(RATES, levels=LEVELS)
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    return experiment


@pytest.fixture
def opened(page, live_server, result):
    def go(**query):
        page.goto(f"{live_server.url}/results/{result.pk}/?{urlencode(query)}")
        return page

    return go


def risk(page):
    return drawn(page, "risk")


def drawn(page, key):
    unfolded(page.locator(f"[data-chart={key}]")).scroll_into_view_if_needed()
    page.wait_for_function("key => document.querySelector(`[data-chart=${key}]`).chartView", arg=key)
    return page.locator(f"[data-chart={key}]")


def keep(page, name, top=0):
    """Screenshots to look at, where KEEP_SHOTS names a folder."""
    folder = os.environ.get("KEEP_SHOTS")
    if folder:
        part = CLIP | {"y": top, "width": page.viewport_size["width"]}
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True, clip=part)


def test_every_setting_is_drawn_with_its_name_in_both_themes_and_on_a_phone(opened):
    page = opened(mine=1)
    figure = risk(page)
    assert figure.locator(".chart-plot canvas").evaluate(PIXELS) > 20
    labels = figure.evaluate(PLACED)
    assert sorted(text for _, text in labels) == ["0/0", "1/0", "1/1", "2/0", "2/1"]
    assert all(cost < 1 for cost, _ in labels), "a name lies over a point or another name"
    keep(page, "light")
    keep(page, "light-matrix", top=unfolded(page.locator("#crash-matrix")).bounding_box()["y"] - 20)
    is_saved_as_a_picture(page)
    page.get_by_role("button", name="Dark").click()
    assert risk(page).locator(".chart-plot canvas").evaluate(PIXELS) > 20, "the dark theme"
    keep(page, "dark")
    fits_a_phone(page)


def is_saved_as_a_picture(page):
    with page.expect_download() as download:
        risk(page).get_by_role("button", name="PNG").click()
    raw = Path(download.value.path()).read_bytes()
    assert raw.startswith(b"\x89PNG")
    if os.environ.get("KEEP_SHOTS"):
        Path(os.environ["KEEP_SHOTS"], "risk-download.png").write_bytes(raw)


def fits_a_phone(page):
    page.set_viewport_size({"width": 360, "height": 780})
    page.reload()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    risk(page)
    keep(page, "phone")
    keep(page, "phone-matrix", top=unfolded(page.locator("#crash-matrix")).bounding_box()["y"] - 20)
    assert all(cost < 1 for cost, _ in risk(page).evaluate(PLACED))
    assert risk(page).evaluate(NAME) <= 1, "the name of the axis is squeezed"


def test_settings_of_several_nodes_have_a_mark_of_their_own(opened, result):
    result.trials.filter(variant__in=("1/0", "0/0"), kind="power-loss").update(kind="primary-power-loss")
    for one in result.plan["variants"]:
        one["topology"] = "semi-sync+rtt=5ms" if one["name"] in ("1/0", "0/0") else ""
    result.save()
    figure = risk(opened(lost="engine"))
    keep(figure.page, "several-nodes")
    key = figure.locator(".chart-key button").all_inner_texts()
    assert key[:2] == ["one server: durability by its disk", "several nodes: durability also by replication"]
    canvas = figure.locator(".chart-plot canvas")
    canvas.focus()
    canvas.press("ArrowRight")
    canvas.press("End")
    assert (
        "round trip 5 ms, several nodes: durability also by replication"
        in figure.locator(".chart-reading").inner_text()
    )
    fits_a_phone(figure.page)


@pytest.mark.parametrize("width", [1280, 360])
def test_each_label_belongs_to_its_own_point_and_covers_no_mark_or_label(page, site, width):
    """Of 2 to 8 settings, several nearly alike, and of the settings of the demo."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site.url}/risks")
    for chart in RISKS:
        figure = drawn(page, chart["key"])
        keep(page, f"{chart['key']}-{width}", top=figure.bounding_box()["y"] + page.evaluate("scrollY"))
        assert all(covered < 1 for covered, _ in figure.evaluate(PLACED)), chart["key"]
        labels = figure.evaluate(LINES)
        assert len({len(label["lines"]) for label in labels}) == 1, "some labels have a second line, others have none"
        for name, *second in (label["lines"] for label in labels if not label["led"]):
            assert all(name["own"] < other for other in name["others"]), f"{chart['key']}: a name is nearer to another"
            assert all(other > ROOM for line in second for other in line["others"]), f"{chart['key']}: a second line"


@pytest.mark.parametrize("ys", [(200, 204), (204, 200)])
def test_names_of_dots_that_cover_each_other_stand_in_the_order_of_the_dots(page, site, ys):
    page.goto(f"{site.url}/risks")
    first, second = page.evaluate(ORDER, list(ys))
    assert (first < second) is (ys[0] < ys[1]) and first != second


def test_settings_without_loss_are_in_a_band_and_points_can_be_read_and_hidden(opened):
    """The band is left of the decades. Arrow keys read the points; a button hides those of one outcome."""
    figure = risk(opened(lost="engine"))
    xs = figure.evaluate(
        "f => f.chartView.chart.data.datasets.map((d, n) => [d.label, f.chartView.chart.getDatasetMeta(n).data[0].x])"
    )
    ticks = figure.evaluate("f => f.chartView.chart.scales.x.ticks.map(tick => tick.label)")
    assert [name for name, _ in sorted(xs, key=lambda one: one[1])] == ["1/1", "1/0", "2/1", "2/0", "0/0"]
    assert ticks == ["none", "1", "10", "100", "1,000", "10,000"]
    is_hidden_by_what_replicas_came_to(figure)
    is_read_by_arrow_keys(figure)


def is_read_by_arrow_keys(figure):
    canvas, reading = figure.locator(".chart-plot canvas"), figure.locator(".chart-reading")
    canvas.focus()
    canvas.press("ArrowRight")
    said = reading.inner_text()
    assert said.startswith("1/1, 0 acknowledged commits lost from InnoDB per power loss, median: ")
    assert "lost nothing in 30 power losses" in said
    assert said.endswith("replicas agree. Point 1 of 5.")
    canvas.press("ArrowRight")
    assert re.match(
        r"1/0, 3\.5 acknowledged commits lost.*replicas diverge silently\. Point 2 of 5\.", reading.inner_text()
    )
    canvas.press("End")
    assert reading.inner_text().startswith("0/0, 2,300 ")


def is_hidden_by_what_replicas_came_to(figure):
    buttons = figure.locator(".chart-key button")
    assert buttons.all_inner_texts() == ["replicas agree", "replicas diverge silently"]
    read = [
        "fewest to most lost",
        "speed of one setting, 95\u00a0% interval",
        "no bar drawn: shorter than the dot",
    ]
    assert figure.locator(".chart-key li > span").all_inner_texts() == read
    for hidden in (4, 0):
        buttons.nth(1).click()
        assert figure.evaluate("f => f.chartView.hidden.size") == hidden
