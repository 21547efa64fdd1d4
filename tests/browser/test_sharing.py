"""Links in a real browser: made and annotated, embedded in another site's page, a comparison whose address is kept."""

import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import quote, unquote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
from tests.browser.axe import contrast, violations
from tests.browser.patience import patient
from tests.browser.test_every_page import log_in, look_here
from tests.unit.results import factory, trials
from tests.unit.results.test_comparison import every

# Words of the first screen outside of charts, tables of marks and their numbers.
PROSE = """() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest("svg, table, script, [hidden], .unseen")) continue;
    const box = parent.getBoundingClientRect();
    if (!box.height || box.top >= 800 || !parent.checkVisibility()) continue;
    words += (walker.currentNode.textContent.match(/[A-Za-z]{2,}/g) ?? []).length;
  }
  return words;
}"""
DRAWN = "document.querySelector('[data-chart]').chartView"


def drawn(page):
    page.locator("[data-chart][data-drawn]").first.wait_for()


@pytest.fixture
def admin(transactional_db):
    return User.objects.create_superuser("admin", password="a long test password")


@pytest.fixture
def inside(page, live_server, admin):
    """The page, logged in."""
    client = Client()
    client.force_login(admin)
    log_in(page, live_server, client)
    return page


def test_a_link_is_made_opened_annotated_and_revoked(inside, live_server, admin, browser):
    one = trials.experiment()
    inside.goto(f"{live_server.url}/results/{one.pk}/")
    inside.get_by_role("button", name="Share", exact=True).click()
    inside.get_by_role("link", name="All links of this result").click()
    inside.get_by_role("button", name="Create a link").click()
    address = inside.locator(".note.success pre").first.inner_text()
    assert inside.locator(".note.success [data-copy]").bounding_box()["width"] > 300, "not as a sign of the table-chart"
    guest = patient(browser.new_context())
    opened = guest.new_page()
    opened.goto(address)
    expect(opened.locator("h1")).to_have_text("Use 1/1. Every other setting lost commits.")
    expect(opened.locator(".sub")).to_contain_text("At 8 clients 1/1 makes")
    assert opened.locator("nav[aria-label=Main]").count() == 0

    inside.goto(f"{live_server.url}/share/")
    row = inside.locator("tbody tr")
    assert row.locator("[data-label=Views]").inner_text() == "1"
    row.locator("summary").press("Enter")
    row.get_by_label("Note").fill("for Grace")
    row.get_by_label("Note").press("Enter")
    assert inside.locator("tbody summary").inner_text() == "for Grace"
    inside.get_by_role("button", name="Revoke").click()
    inside.locator("dialog").get_by_role("button", name="Revoke").click()
    inside.get_by_text("The link is revoked").wait_for()
    assert opened.goto(address).status == 410
    assert not look_here(inside)
    guest.close()


def test_one_click_makes_a_link_for_30_days_and_copies_it(inside, live_server, admin):
    """By keyboard: Enter opens the popover, its button has the focus, Escape goes back."""
    one = trials.experiment()
    inside.context.grant_permissions(["clipboard-read", "clipboard-write"])
    inside.goto(f"{live_server.url}/results/{one.pk}/")
    share = inside.get_by_role("button", name="Share", exact=True)
    share.press("Enter")
    make = inside.get_by_role("button", name="Copy a link for 30 days")
    assert make.evaluate("one => one === document.activeElement") and share.get_attribute("aria-expanded") == "true"
    assert inside.evaluate("document.querySelector('[popover]').matches(':popover-open')")
    make.press("Enter")
    inside.get_by_role("button", name="Copied").wait_for()
    address = inside.evaluate("navigator.clipboard.readText()")
    assert address == inside.get_by_label("Share link").inner_text()
    (link,) = ShareLink.objects.all()
    assert round((link.expires_at - link.created_at).total_seconds() / 86400) == 30
    make.press("Enter")
    assert ShareLink.objects.count() == 1, "the second press copies the same link"
    inside.keyboard.press("Escape")
    assert share.evaluate("one => one === document.activeElement") and share.get_attribute("aria-expanded") == "false"
    assert inside.request.get(address).status == 200


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_open_popover_is_readable_and_fits_a_phone(inside, live_server, admin, theme):
    one = trials.experiment()
    inside.emulate_media(color_scheme=theme)
    inside.set_viewport_size({"width": 360, "height": 780})
    inside.goto(f"{live_server.url}/results/{one.pk}/")
    inside.get_by_role("button", name="Share", exact=True).click()
    inside.get_by_role("button", name="Copy a link for 30 days").wait_for()
    assert [*violations(inside, but=["color-contrast"]), *contrast(inside)] == []
    box = inside.locator("[popover]").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360


def test_without_scripts_share_leads_to_the_page_of_links(browser, live_server, admin):
    one = trials.experiment()
    context = patient(browser.new_context(java_script_enabled=False))
    page = context.new_page()
    client = Client()
    client.force_login(admin)
    log_in(page, live_server, client)
    page.goto(f"{live_server.url}/results/{one.pk}/")
    page.get_by_role("link", name="Share", exact=True).click()
    assert page.url.endswith(f"/share/experiments/{one.pk}/")
    context.close()


def test_a_guest_sees_speed_against_loss_on_the_first_screen(page, live_server, admin):
    _, token = actions.share(None, trials.experiment())
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/share/{token}/")
    for part in ("h1", "svg.speed-loss", ".speed-loss-plate .key"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= 800, part
    said = [one.strip() for one in page.locator("svg.speed-loss text.name").all_text_contents()]
    assert sorted(said) == ["0/0", "1/1", "2/0"]
    assert page.locator(".speed-loss-plate .key li").count() == 4
    assert page.evaluate(PROSE) <= 140
    assert page.get_by_role("heading", name="Repeat it").is_visible()
    assert not look_here(page)


def test_a_guest_copies_the_answer(page, live_server, admin):
    _, token = actions.share(None, trials.experiment())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{live_server.url}/share/{token}/")
    page.get_by_role("button", name="Copy as Markdown").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "**Use 1/1: nothing lost in" in copied and copied.endswith(f"{live_server.url}/share/{token}/")


class Elsewhere(BaseHTTPRequestHandler):
    """Another site on this machine: browsers let no site from outside frame what is inside. Its path is its page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(unquote(self.path.partition("?")[2]).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def elsewhere():
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def framed(page, elsewhere, address):
    """Its page with the frame that was pasted there."""
    html = f'<!doctype html><title>Elsewhere</title><iframe id=f src="{address}" width="700" height="480"></iframe>'
    page.goto(f"{elsewhere}?{quote(html)}")
    return page.frame_locator("#f")


def test_a_chart_stands_in_another_sites_page(page, live_server, admin, elsewhere):
    _, token = actions.share(None, trials.experiment(), embeddable=True)
    frame = framed(page, elsewhere, f"{live_server.url}/share/{token}/embed/risk/")
    frame.locator("[data-chart=risk][data-drawn]").wait_for()
    inner = page.frames[1]
    assert inner.evaluate("document.documentElement.scrollHeight <= innerHeight"), "nothing to scroll at that height"
    before = inner.evaluate("document.querySelector('.embed-source').getBoundingClientRect().top")
    assert before < 480
    frame.locator("summary").click()
    assert frame.locator("tbody tr").count() == 3
    link = frame.locator(".embed-source a")
    assert (link.get_attribute("target"), link.get_attribute("href")) == ("_blank", f"/share/{token}/")
    assert page.context.cookies() == []
    assert ShareLink.objects.get().embeds == 1


def test_the_whole_page_refuses_the_frame(page, live_server, admin, elsewhere, problems):
    """The positive control: the same site, the same link, another page of it."""
    _, token = actions.share(None, trials.experiment(), embeddable=True)
    framed(page, elsewhere, f"{live_server.url}/share/{token}/")
    assert page.frames[1].locator("main").count() == 0
    assert any("frame-ancestors" in problem for problem in problems)
    problems.clear()


def test_the_picture_for_messengers_opens_until_the_link_is_revoked(page, live_server, admin, settings):
    settings.ADDRESS = live_server.url
    link, token = actions.share(None, trials.experiment())
    page.goto(f"{live_server.url}/share/{token}/")
    address = page.locator("meta[property='og:image']").get_attribute("content")
    size = "async url => { const one = await createImageBitmap(await (await fetch(url)).blob());"
    assert page.evaluate(f"{size} return [one.width, one.height]; }}", address) == [1200, 630]
    actions.revoke(admin, link)
    assert page.request.get(address).status == 410


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chart_alone_is_readable_in_the_theme_of_its_address(page, live_server, admin, theme):
    _, token = actions.share(None, factory.experiment(), embeddable=True)
    page.emulate_media(color_scheme="dark" if theme == "light" else "light")
    page.goto(f"{live_server.url}/share/{token}/embed/throughput/?theme={theme}")
    drawn(page)
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == theme


def test_a_comparisons_address_keeps_what_is_seen(inside, live_server, admin):
    one = factory.experiment()
    inside.goto(f"{live_server.url}/results/compare/?runs={every(one)}")
    drawn(inside)
    inside.get_by_role("button", name="log", exact=True).click()
    inside.locator(".chart-key button").nth(1).click()
    assert re.search(r"\?runs=[\d,]+&scale=log&hide=1$", inside.url)
    inside.reload()
    drawn(inside)
    assert inside.evaluate(f"[{DRAWN}.log, [...{DRAWN}.hidden]]") == [True, [1]]
    inside.get_by_label("Figure").select_option("p99")
    inside.get_by_role("button", name="Show").click()
    drawn(inside)
    assert inside.evaluate(f"[{DRAWN}.payload.title, {DRAWN}.log, [...{DRAWN}.hidden]]") == ["Latency p99", True, [1]]
    points = inside.evaluate(f"{DRAWN}.payload.points_of.length")
    inside.get_by_role("link", name="threads", exact=True).click()
    drawn(inside)
    assert inside.evaluate(f"[{DRAWN}.payload.kind, {DRAWN}.log, {DRAWN}.hidden.size]") == ["scaling", True, 0]
    inside.evaluate(f"{DRAWN}.toggle([0])")
    line = inside.evaluate(f"{DRAWN}.payload.points_of[0]")
    inside.get_by_role("link", name="each point").click()
    drawn(inside)
    assert inside.evaluate(f"[...{DRAWN}.hidden]") == line, "the line's points"
    inside.get_by_role("link", name="Take out").first.click()
    drawn(inside)
    assert inside.evaluate(f"[{DRAWN}.payload.points_of.length, [...{DRAWN}.hidden]]") == [points - 1, [0]]


def test_a_shared_comparison_is_as_it_was_seen(inside, live_server, admin, browser):
    one = factory.experiment()
    inside.goto(f"{live_server.url}/results/compare/?runs={every(one)}&figure=p99")
    drawn(inside)
    inside.locator(".chart-key button").nth(2).click()
    inside.get_by_role("link", name="Share", exact=True).click()
    inside.get_by_role("button", name="Create a link").click()
    address = inside.locator(".note.success pre").first.inner_text()
    assert not look_here(inside)
    guest = patient(browser.new_context())
    opened = guest.new_page()
    opened.goto(address)
    drawn(opened)
    assert opened.evaluate(f"[{DRAWN}.payload.title, [...{DRAWN}.hidden]]") == ["Latency p99", [2]]
    opened.locator(".chart-key button").nth(2).click()
    opened.reload()
    drawn(opened)
    assert opened.evaluate(f"{DRAWN}.hidden.size") == 0, "hide= in the address says that nothing is hidden"
    guest.close()
