"""Nothing moves under the reader's eyes: the cumulative layout shift of the pages people open most."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from dashboard.history import entries
from tests.unit.results import factory, trials

MOST = 0.01
WATCH = """
window.shifts = [];
new PerformanceObserver(list => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts.push(one.value);
}).observe({type: "layout-shift", buffered: true});
"""
PARTS = 6  # in which a long page arrives
ARRIVE = """async ([html, parts]) => {
  const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  document.open();
  const size = Math.ceil(html.length / parts);
  for (let at = 0; at < html.length; at += size) {
    document.write(html.slice(at, at + size));
    await frames();
  }
  document.close();
  await frames();
  return shifts.reduce((sum, one) => sum + one, 0);
}"""
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SHIFTS = """<!doctype html><title>Shifts</title><link rel=icon href=data:,><p>Above</p><h1>What one reads</h1>
<script>requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
  const late = document.createElement("div"); late.style.height = "400px"; document.querySelector("p").after(late);
  document.body.dataset.done = "1" }, 200)))</script>"""


@pytest.fixture
def stored(page, live_server, transactional_db):
    client = Client()
    client.force_login(User.objects.create_superuser("admin", password="a long test password"))
    for name, cookie in client.cookies.items():
        page.context.add_cookies([{"name": name, "value": cookie.value, "url": live_server.url}])
    page.add_init_script(WATCH)
    done = trials.experiment()
    entries.note(done)
    running = factory.experiment(measured=4, state="running", name="It runs")
    many = factory.experiment({f"variant {n}": 1000.0 + 100 * n for n in range(12)}, seconds=10, repeats=1)
    return {"done": done, "running": running, "many": many}


def shift(page, url):
    """Of a page from its first byte until everything is drawn, also what is fetched when one scrolls down."""
    page.goto(url)
    page.wait_for_load_state("load")
    height = page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, height, 600):
        page.evaluate("top => scrollTo(0, top)", top)
        page.evaluate(TWO_FRAMES)
    page.evaluate("scrollTo(0, 0)")
    page.evaluate(TWO_FRAMES)
    return page.evaluate("shifts.reduce((sum, one) => sum + one, 0)")


def test_a_page_that_shifts_would_be_found(page):
    page.add_init_script(WATCH)
    page.route("**/shifts", lambda route: route.fulfill(content_type="text/html", body=SHIFTS))
    page.goto("http://localhost/shifts")
    page.wait_for_function("document.body.dataset.done && shifts.length")
    assert page.evaluate("shifts.reduce((sum, one) => sum + one, 0)") > MOST


def test_the_content_of_a_page_does_not_move_while_it_loads(page, live_server, stored, problems):
    paths = {
        "home": reverse("home"),
        "list": reverse("experiments:list"),
        "result": reverse("results:page", args=[stored["done"].pk]),
        "many lines": reverse("results:page", args=[stored["many"].pk]),
        "live": reverse("experiments:show", args=[stored["running"].pk]),
        "words": reverse("help:words"),
    }
    shifts = {name: shift(page, live_server.url + path) for name, path in paths.items()}
    assert {name: moved for name, moved in shifts.items() if moved >= MOST} == {}
    page.goto("about:blank")
    problems.clear()  # the stream of the live page, refused on purpose


def test_the_content_does_not_move_while_a_long_page_arrives_in_parts(page, live_server, stored):
    """A column as wide as its longest word would widen with each part."""
    moved = {}
    for name in ("help:words", "api-reference"):
        url = live_server.url + reverse(name)
        html = page.context.request.get(url).text()
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(url)
            page.evaluate("shifts.length = 0")
            moved[name, width] = page.evaluate(ARRIVE, [html, PARTS])
    assert {where: shift for where, shift in moved.items() if shift >= MOST / 10} == {}
