"""Every page that can be asked for, in a real browser, in light, in dark and at the width of a phone: axe-core finds
nothing, and nothing scrolls sideways. Pages are found by walking the addresses, so that a new one is looked at too."""

import contextlib
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone
from playwright.sync_api import TimeoutError

from dashboard.history import update
from dashboard.pages.results.parts import PARTS
from dashboard.records.experiments import care
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.history.models import Change
from dashboard.records.holds.models import HostLease, PendingRestore
from dashboard.records.servers import levels
from dashboard.records.servers.models import Preflight
from dashboard.records.sharing import actions as sharing
from tests.browser.axe import contrast, unreached, violations
from tests.unit.accounts.addresses import patterns
from tests.unit.history import nights
from tests.unit.results import factory, trials

LONG = "an unusually long name that has to be broken somewhere: db7.orders.eu-central-1.example.com <b>ö</b>"
UNFOLD = "for (const folded of document.querySelectorAll('details')) folded.open = true"
RESIZED_MS = 2000
CONTRAST = "color-contrast"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FAULTY = """<!doctype html><html lang="en"><title>Faulty</title><main><h1>Faulty</h1><details><summary>Open</summary>
<p style="color: #999">Hardly to be read</p></details><input><p style="width: 500px">Wide</p>
<div style="width: 100px; height: 30px; overflow: auto"><p style="width: 400px">No key can scroll it</p></div></main>"""
FAULTS = (
    "light: color-contrast", "dark: color-contrast", "light: label", "phone: scrolls sideways by",
    "phone: scrollable-region-focusable",
)  # fmt: skip
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}


def look(page, url):
    page.goto(url)
    return look_here(page)


def look_here(page):
    """Everything that is wrong with the page that is open, its folded parts opened. It begins with the size and theme
    that the last page ended with: charts are drawn anew for another."""
    page.evaluate(UNFOLD)
    views = (light, dark, phone)
    found = [wrong for view in (views if page.viewport_size == DESK else views[::-1]) for wrong in view(page)]
    return [f"{page.url}: {one}" for one in found]


def light(page):
    show(page, DESK, "light")
    return [f"light: {one}" for one in [*violations(page, but=[CONTRAST]), *contrast(page)]]


def dark(page):
    show(page, DESK, "dark")
    return [f"dark: {one}" for one in contrast(page)]


def phone(page):
    show(page, PHONE, "dark")
    wrong = unreached(page)
    if too_wide := settled_width(page):
        wrong.append(f"scrolls sideways by {too_wide} pixels")
    return [f"phone: {one}" for one in wrong]


def show(page, size, theme):
    if page.viewport_size != size:
        page.set_viewport_size(size)
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")


def settled_width(page):
    """Pixels by which the page is too wide once its charts have taken the new width."""
    if not (too_wide := page.evaluate(TOO_WIDE)):
        return too_wide
    with contextlib.suppress(TimeoutError):
        page.wait_for_function(f"() => {TOO_WIDE} <= 0", timeout=RESIZED_MS)
    return page.evaluate(TOO_WIDE)


def look_at_all(page, live_server, paths, client=None):
    log_in(page, live_server, client)
    return [wrong for path in paths for wrong in look(page, live_server.url + path)]


def log_in(page, live_server, client):
    if client:
        page.context.add_cookies([
            {"name": name, "value": cookie.value, "url": live_server.url} for name, cookie in client.cookies.items()
        ])  # fmt: skip


@pytest.fixture
def stored(transactional_db):
    """An installation in which everything has happened."""
    admin = User.objects.create_superuser("admin", password="a long test password")
    server = factory.server(LONG[:80], label="production", note=LONG)
    experiment = trials.experiment(servers=[server], name=LONG)
    levels.agree(admin, server, levels.Wanted(4000, 20, ["power"]))
    return {"admin": admin, "server": server, "experiment": experiment}


@pytest.fixture
def busy(stored):
    server, experiment = stored["server"], stored["experiment"]
    stored["preflight"] = checked(server)
    now = timezone.now()
    pending = {"server": server, "experiment": experiment, "problem": f"Access denied at {LONG}"}
    PendingRestore.objects.create(kind="variable", name="innodb_flush_log_at_trx_commit", old="1", **pending)
    PendingRestore.objects.create(kind="start", **pending)
    abilities = {"cores": 2, "sysbench": "1.0.20", "builds": {"system-mariadb": {}}, "fsync_trace": True}
    worker = Worker.objects.create(host=LONG[50:], pid=1, beat_at=now + timedelta(days=1), abilities=abilities)
    Worker.objects.create(host="dead", pid=2, beat_at=now - timedelta(days=1))
    running = factory.experiment(servers=[server], name=f"running {LONG}"[:120], measured=2, state="running")
    Experiment.objects.filter(pk=running.pk).update(worker=worker, activity="measuring 0/0", ended_at=None)
    HostLease.objects.create(host=server.host, experiment=running)
    failed = factory.experiment(servers=[server], name="failed", measured=0, state="failed")
    failed.cells.update(state="failed", error=f"Cannot connect to {LONG}.", fix="Look at its log.")
    sharing.share(stored["admin"], experiment, days=7, note=LONG)
    care.comment(None, experiment, f"{LONG}\n{LONG}")
    care.tag(None, experiment, ["x" * 30, "nightly", "before the upgrade"])
    care.mark_baseline(None, experiment)
    looked_back(server)
    return {**stored, "running": running, "failed": failed}


def looked_back(server):
    """A history with a change in it, and one that is only suspected."""
    made = [
        *nights.history(server, [1000.0] * 20),
        *nights.history(server, [700.0] * 9, start=20, environment=nights.NEW),
    ]
    update.keep(nights.FIRST + 30 * nights.DAY, print, round_s=60)
    assert Change.objects.filter(state="past").exists()
    again = Change.objects.filter(figure="throughput").get()
    again.pk, again.first, again.state, again.problem = None, made[25], "suspected", f"Not measured again: {LONG}"
    again.save()


def checked(server):
    """A preflight that found a bit of everything."""
    outcomes = {
        "passed": "It answers.",
        "warned": "1 s behind.",
        "failed": "Not allowed.",
        "unknown": "Not known here.",
    }
    checks = [
        {
            "key": outcome,
            "title": f"A check that {outcome}",
            "outcome": outcome,
            "says": says,
            "fix": "GRANT X TO 'y';",
        }
        for outcome, says in outcomes.items()
    ]
    kept = {"crash_class": "power loss", "what": "engine", "engine": "InnoDB", "outcome": "kept", "says": "Flushed."}
    durability = [{**kept, "rests_on": "https://mariadb.com/kb/en/innodb-system-variables/"}]
    words = [["innodb_flush_log_at_trx_commit", "1", "flushed at each commit"]]
    facts = {"version_text": "10.11.6-MariaDB", "flavour": "mariadb", "words": words}
    return Preflight.objects.create(
        server=server, state="done", done_at=timezone.now(), checks=checks, durability=durability, facts=facts
    )


def addresses(busy, token):
    """Every route, with what is stored in each of its places."""
    experiment, server = busy["experiment"], busy["server"]
    people = {"people": busy["admin"].pk, "servers": server.pk, "history": server.pk}
    places = {
        "experiment_id": experiment.pk,
        "cell_id": experiment.cells.first().pk,
        "trial_id": experiment.trials.first().pk,
        "token": token,
        "recipe": "what-does-safety-cost",
        "key": "throughput",
        "form": "json",
    }
    for name, route, converters, _ in patterns(get_resolver()):
        space = name.split(":")[0]
        known = {**places, "pk": people.get(space, experiment.pk)}
        path = "/" + route
        for part, converter in converters.items():
            path = replaced(path, part, converter.to_url(known.get(part, "x")))
        yield path


def replaced(path, part, value):
    before, _, rest = path.partition("<")
    inside, _, after = rest.partition(">")
    assert inside.split(":")[-1] == part, path
    return f"{before}{value}{after}"


def pages(client, paths):
    """Those that are pages: the rest are files, forms' targets and redirects."""
    for path in dict.fromkeys(paths):
        answer = client.get(path)
        if not answer.streaming and answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            yield path


def test_a_page_with_one_fault_of_each_kind_is_found_out(page, site):
    """The positive control: a page with a fault of each kind, from the desk to the phone and back."""
    page.route("**/parts", lambda route: route.fulfill(content_type="text/html", body=FAULTY))
    for _ in range(2):
        wrong = "\n".join(look(page, f"{site.url}/parts"))
        for fault in FAULTS:
            assert fault in wrong, wrong


def test_every_page_of_a_busy_installation(page, live_server, busy):
    client = Client()
    client.force_login(busy["admin"])
    _, token = sharing.share(busy["admin"], busy["experiment"], embeddable=True)
    runs = [str(cell.run.pk) for cell in busy["experiment"].cells.order_by("position")[:3]]
    compared = f"runs={runs[0]}&runs={runs[1]}&runs={runs[2]}"
    _, comparison = sharing.share(busy["admin"], None, comparison=compared, compared=[busy["experiment"]], note=LONG)
    known = [*pages(client, addresses(busy, token))]
    known += [
        f"/experiments/{busy['running'].pk}/",
        f"/experiments/{busy['failed'].pk}/",
        f"/results/trials/{busy['experiment'].trials.last().pk}/",
        f"/results/compare/?from={busy['experiment'].pk}&{compared}",
        f"/results/compare/?a={busy['experiment'].pk}&b={busy['failed'].pk}",
        f"/results/compare/?by=threads&figure=p99&{compared}",
        *(f"/results/{busy['experiment'].pk}/parts/{key}/" for key in PARTS),
        f"/share/comparisons/?{compared}",
        f"/share/{comparison}/",
        f"/results/{busy['experiment'].pk}/trials/?variant=0&server=0&crash=power-loss",
        "/servers/register/?kind=sandbox",
    ]
    assert len(known) > 25, known
    wrong = look_at_all(page, live_server, known, client)
    assert not wrong, "\n".join(wrong)


def test_pages_of_an_empty_installation(page, live_server, transactional_db):
    client = Client()
    client.force_login(User.objects.create_superuser("admin", password="a long test password"))
    paths = ["/", "/servers/", "/experiments/", "/experiments/new/", "/results/compare/", "/workers/", "/audit/"]
    paths += ["/workers/builds/", "/workers/storage/"]
    wrong = look_at_all(page, live_server, paths, client)
    assert not wrong, "\n".join(wrong)


def test_pages_for_guests(page, live_server, stored, problems):
    admin, experiment = stored["admin"], stored["experiment"]
    revoked, token = sharing.share(admin, experiment)
    sharing.revoke(admin, revoked)
    expired, old = sharing.share(admin, experiment, days=1)
    expired.expires_at = timezone.now() - timedelta(days=1)
    expired.save()
    wrong = look_at_all(page, live_server, ["/login/", f"/share/{token}/", f"/share/{old}/", f"/share/{'x' * 32}/"])
    assert not wrong, "\n".join(wrong)
    problems.clear()  # the browser complains of 404 and 410


def send(page, live_server, path, before=""):
    """Sends the form of a page as it stands, past the browser's own checks."""
    page.goto(live_server.url + path)
    page.evaluate(f"form => {{ {before}; form.noValidate = true }}", page.locator("main form").element_handle())
    with page.expect_navigation():
        page.locator("main form button[type=submit]").first.click()


def test_pages_that_say_no(page, live_server, stored, problems, monkeypatch):
    viewer = User.objects.create_user("a viewer", password="a long test password")
    client = Client()
    client.force_login(viewer)
    wrong = look_at_all(page, live_server, ["/", "/experiments/", "/servers/", "/people/", "/nothing/"], client)
    client.force_login(stored["admin"])
    log_in(page, live_server, client)
    told = {}
    for path in ("/servers/register/", "/experiments/new/"):
        send(page, live_server, path)
        told[path] = page.locator("main :is(.errorlist, .note.error)").count()
        wrong += look_here(page)
    send(page, live_server, "/servers/register/", "form.csrfmiddlewaretoken.value = 'x'")
    told["csrf"] = page.get_by_role("heading", name="This form has expired").count()
    wrong += look_here(page)
    monkeypatch.setattr("dashboard.records.servers.queries.lines", lambda _: 1 / 0)
    page.goto(f"{live_server.url}/servers/")
    told["broken"] = page.get_by_role("heading", name="This page failed").count()
    wrong += look_here(page)
    assert all(told.values()), told
    assert not wrong, "\n".join(wrong)
    problems.clear()  # the browser complains of 403, 404, 422 and 500
