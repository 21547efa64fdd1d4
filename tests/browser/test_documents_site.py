"""The site of documents: made without a warning, every link leads somewhere, and a reader needs no other host."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Route

from dashboard.installation.home import PROJECT
from dashboard.pages.api import document
from dashboard.pages.monitoring.figures import FIGURES
from tests.browser.test_every_page import look
from tests.walks import report
from workers.bench.plan import CrashPlan, Plan
from workers.bench.plan_field import fields_of
from workers.bench.replica_settings import REPLICAS_OWN_SETTINGS
from workers.crash.checks import CHECKS
from workers.servers.settings import SETTINGS

pytest.importorskip("sphinx", reason="deploy/site/requirements.txt is not installed: scripts/site installs it")
BUILD = PROJECT / "deploy/site/build.py"
OUTSIDE = re.compile(r"https://[a-z0-9.-]+\.[a-z]+(:\d+)?(/[!-~]*)?")  # its form only: nothing is asked
ASKED_BY_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^"')\s]+""")
HERE = "https://durascope.test"
LOOKED_AT = ("docs/README", "docs/topology", "docs/pictures", "reference/api-operations", "reference/plan", "search")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    to = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, BUILD, to], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return to


@pytest.fixture
def refused(built, context) -> list[str]:
    """The context reads the site from its folder. Requests to other hosts, and for files that are not there, are
    refused and listed."""
    found = []

    def answer(route: Route) -> None:
        parts = urlsplit(route.request.url)
        file = built / unquote(parts.path).lstrip("/")
        if f"{parts.scheme}://{parts.netloc}" == HERE and file.is_file():
            route.fulfill(path=file)
        else:
            found.append(route.request.url)
            route.abort()

    context.route("**/*", answer)
    return found


class Links(HTMLParser):
    """The addresses on a page, those that a browser asks for at once, and the places that a link can lead to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.asked: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.anchors.add(known.get("id", ""))
        found = [known[name] for name in ("href", "src", "action") if known.get(name)]
        self.addresses += found
        self.asked += found if tag not in ("a", "form") else []


def broken(folder: Path) -> Iterator[str]:
    pages = {page: Links(page) for page in folder.rglob("*.html")}
    for page, links in pages.items():
        for address in links.addresses:
            if why := _wrong(page, address, pages):
                yield f"{page.relative_to(folder)}: {why} {address}"


def _wrong(page: Path, address: str, pages: dict[Path, Links]) -> str:
    parts = urlsplit(address)
    if parts.scheme:
        return "" if OUTSIDE.fullmatch(address) else "no form of an outside link"
    there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not there.is_file():
        return "no file"
    return "" if not parts.fragment or parts.fragment in pages[there].anchors else "no such place"


def test_every_link_of_the_site_leads_somewhere(built):
    assert len(list(built.rglob("*.html"))) > 50
    report(broken(built))


def test_a_broken_link_of_the_site_is_named(tmp_path):
    """The control."""
    (tmp_path / "b.html").write_text('<p id="here">')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here"><a href="b.html#gone"><img src="c.png"><a href="#no"><a href="http:/x"><a href="https://x.org/y">'
    )
    assert list(broken(tmp_path)) == [
        "a.html: no such place b.html#gone",
        "a.html: no file c.png",
        "a.html: no such place #no",
        "a.html: no form of an outside link http:/x",
    ]


def test_the_build_refuses_broken_links(tmp_path):
    """The control of the strict build, with Sphinx's settings of the site."""
    source = tmp_path / "source"
    (source / "docs").mkdir(parents=True)
    (source / "docs/README.md").write_text("# Documents\n\n[x](gone.md)\n\n[x](#missing)\n")
    argv = [sys.executable, "-m", "sphinx", "-q", "--fail-on-warning", "-c", BUILD.parent, source, tmp_path / "out"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=PROJECT)
    assert done.returncode == 1 and "gone" in done.stderr and "missing'" in done.stderr, done.stderr


def test_the_reference_has_what_the_registries_have(built):
    names = ("plan", "checks", "server-settings", "figures", "api-operations")
    plan, checks, settings, figures, api = ((built / f"reference/{name}.html").read_text() for name in names)
    report(one.name for one in (*fields_of(Plan), *fields_of(CrashPlan)) if f">{one.name}<" not in plan)
    report(key for key in CHECKS if f">{key}<" not in checks)
    report(name for name in (*SETTINGS, *REPLICAS_OWN_SETTINGS) if f">{name}<" not in settings)
    report(name for name in FIGURES if f">{name}<" not in figures)
    operations = [one for group in document.groups().values() for one in group]
    text = unescape(re.sub("<[^>]+>", "", api))
    report(f"{one.method} {one.path}" for one in operations if f"{one.method} {one.path}\n" not in text)
    report(one["name"] for fields in document.shapes().values() for one in fields if f">{one['name']}<" not in api)


def elsewhere(folder: Path) -> Iterator[str]:
    """What pages and styles load from other hosts."""
    for page in folder.rglob("*.html"):
        yield from (f"{page.name}: {address}" for address in Links(page).asked if urlsplit(address).netloc)
    for style in folder.rglob("*.css"):
        yield from (f"{style.name}: {found}" for found in ASKED_BY_STYLE.findall(style.read_text()))


def test_no_page_and_no_style_names_a_file_of_another_host(built, tmp_path):
    report(elsewhere(built))
    (tmp_path / "a.html").write_text(
        '<a href="https://x.org/"><link href="//x.org/a.css"><script src="https://x.org/a.js">'
    )
    (tmp_path / "a.css").write_text("@import 'https://x.org/b.css'; p { background: url(https://x.org/c.png) }")
    assert len(list(elsewhere(tmp_path))) == 4, "the control"


def test_a_reader_needs_no_other_host(page, refused):
    """A page of each kind; scripts may ask, too."""
    for name in LOOKED_AT:
        page.goto(f"{HERE}/{name}.html")
    page.goto(f"{HERE}/index.html")
    page.wait_for_url("**/docs/README.html")
    page.get_by_role("searchbox").fill("semi-synchronous")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("main").get_by_role("link", name="Topologies").first.wait_for()
    assert not refused


def test_a_request_to_another_host_is_noticed(page, refused, problems):
    """The control."""
    page.goto(f"{HERE}/search.html")
    page.evaluate("fetch('https://fonts.example.org/a.woff2').catch(() => 0)")
    assert refused == ["https://fonts.example.org/a.woff2"]
    problems.clear()


@pytest.mark.usefixtures("refused")
def test_pages_of_each_kind_are_fit_for_everybody(page):
    report(wrong for name in LOOKED_AT for wrong in look(page, f"{HERE}/{name}.html"))
