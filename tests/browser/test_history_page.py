"""A server's history on the real page: nights drawn, changes marked, read by keyboard, hidden with their lines."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.history import update
from tests.unit.history import nights
from tests.unit.results import factory

# What the plugin writes above the plot: each number and where.
MARKS = """async figure => {
  const {changes} = await import('/static/js/charts/plugins/changes.js');
  const {chart} = figure.chartView, written = [], write = chart.ctx.fillText;
  chart.ctx.fillText = (text) => written.push(text);
  changes.beforeDatasetsDraw(chart);
  chart.ctx.fillText = write;
  return written;
}"""


@pytest.fixture
def opened(transactional_db, page, context, live_server):
    server = factory.server(name="db7")
    nights.history(server, 1000 * nights.noise(30))
    nights.history(server, 3000 * nights.noise(40, seed=8), variant="2/0")
    nights.history(server, 800 * nights.noise(10, seed=4), start=30, environment=nights.NEW)
    update.keep(nights.FIRST + 41 * nights.DAY, print, round_s=60)
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    page.goto(f"{live_server.url}/history/servers/{server.pk}/")
    page.wait_for_function("() => document.querySelector('[data-chart=throughput]').chartView")
    return page


def throughput(page):
    return page.locator("[data-chart=throughput]")


def test_a_chosen_load_is_read_whole_on_a_desk(opened):
    choice = opened.locator("form.choosers select").first
    choice.evaluate("one => { one.selectedOptions[0].text = 'Update one row by key, 32 threads, 4.0 s, 10,000 rows' }")
    width = "one => [one.offsetWidth, (one.style.maxWidth = 'none', one.offsetWidth)]"
    shown, whole = choice.evaluate(width)
    assert shown == whole


def test_a_change_is_marked_under_the_number_of_the_list(opened):
    assert opened.get_by_role("rowheader", name="1.").count() == 1
    assert throughput(opened).evaluate(MARKS) == ["1"]


def test_a_mark_goes_with_its_line(opened):
    figure = throughput(opened)
    index = figure.evaluate("f => f.chartView.payload.series.findIndex((one) => one.name === '1/1')")
    figure.evaluate("(f, index) => f.chartView.toggle([index])", index)
    assert figure.evaluate(MARKS) == []
    figure.evaluate("(f, index) => f.chartView.toggle([index])", index)
    assert figure.evaluate(MARKS) == ["1"]


def test_the_keyboard_reads_nights_and_their_change(opened):
    figure = throughput(opened)
    canvas = figure.locator(".chart-plot canvas")
    canvas.focus()
    canvas.press("ArrowRight")
    reading = figure.locator(".chart-reading")
    assert "1 Jan 2026: " in reading.text_content()
    while "change 1" not in (said := reading.text_content()):
        assert "Point 40 of 40" not in said, "no night was read as a change"
        canvas.press("ArrowRight")
    assert "31 Jan 2026: " in said


def test_days_stand_on_the_axis(opened):
    labels = throughput(opened).evaluate("f => f.chartView.chart.scales.x.ticks.map(({label}) => label)")
    assert "2 Jan 2026" in labels
    assert len(labels) <= 8
