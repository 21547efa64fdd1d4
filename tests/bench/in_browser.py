"""How long does a browser with an empty cache take for a page, and how many files does it ask for?

    python -m tests.bench.in_browser [--home FOLDER] [--times 9] [--save FILE] [--before FILE]

Home, list, result, server and new experiment, in a Chromium, from a uvicorn as `up` starts it, with bundled files. For
each page: the median time until DOMContentLoaded (goal: 250 ms), the requests (goal: 8) and the kilobytes sent. Every
page is opened in a new browser context, the pages in turn.

--home: a copy of this installation's database is shown, for instance of the demo's .durascope; otherwise one made-up
experiment with crash trials. --save writes the figures; --before prints saved ones beside the new ones.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Request, sync_playwright

from tests.bench.large import _web_server, database
from tests.bench.machine import reference_ms
from tests.browser.chromium import program

GOALS = {"DCL ms": 250, "requests": 8, "KB": None}
DCL = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
Figures = dict[str, dict[str, float]]  # page -> what -> figure


def main() -> None:
    asked = _asked()
    with tempfile.TemporaryDirectory(prefix="durascope-bench-") as folder, database("sqlite", Path(folder)):
        pages, cookie = _prepared(asked.home)
        print(f"a fixed loop takes {reference_ms():.0f} ms")
        found = _measured(pages, cookie, asked.times)
        print(f"a fixed loop takes {reference_ms():.0f} ms")
    _print(found, json.loads(Path(asked.before).read_text()) if asked.before else {})
    if asked.save:
        Path(asked.save).write_text(json.dumps(found, indent=1))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", metavar="FOLDER")
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--save", metavar="FILE")
    parser.add_argument("--before", metavar="FILE")
    return parser.parse_args()


def _prepared(home: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """(Page -> address, the session's cookie)."""
    here = Path(os.environ["DURASCOPE_HOME"])
    for file in Path(home).glob("durascope.sqlite3*") if home else ():
        shutil.copy(file, here)
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from dashboard.records.experiments.models import Experiment
    from dashboard.records.fleet import installation

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    if not home:
        _make_up()
    if installation.is_held():
        call_command("restored", release=True, verbosity=0)
    browser = Client(headers={"host": "localhost"})
    browser.force_login(User.objects.get_or_create(username="bench", is_superuser=True)[0])
    newest = Experiment.objects.filter(state=Experiment.State.DONE).order_by("-pk")[0]
    pages = {
        "home": "/",
        "list": "/experiments/",
        "result": f"/results/{newest.pk}/",
        "server": f"/servers/{newest.plan['targets'][0]['server_id']}/",
        "new experiment": "/experiments/new/",
    }
    return pages, {name: cookie.value for name, cookie in browser.cookies.items()}


def _make_up() -> None:
    from dashboard.findings import conclusion
    from tests.unit.results import trials

    losses = {"process-kill": [(0, 0)] * 3, "power-loss": [(900, 950)] * 3}
    lost = {"1/1": {**losses, "power-loss": [(0, 0)] * 3}, "2/0": losses, "0/0": losses}
    conclusion.remember(trials.experiment(lost, levels={"1/1": 1000.0, "2/0": 3000.0, "0/0": 6000.0}))


def _measured(pages: dict[str, str], cookie: dict[str, str], times: int) -> Figures:
    found: dict[str, list[dict[str, float]]] = {name: [] for name in pages}
    with _web_server(1) as (port, _), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program(), args=ARGS)
        for number in range(-1, times):  # the first round is for the server's templates
            for name, path in pages.items():
                figures = _opened(chromium, f"http://127.0.0.1:{port}{path}", cookie)
                if number >= 0:
                    found[name].append(figures)
        chromium.close()
    return {name: {what: statistics.median(one[what] for one in every) for what in GOALS}
            for name, every in found.items()}  # fmt: skip


def _opened(chromium: Browser, url: str, cookie: dict[str, str]) -> dict[str, float]:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookie.items()])
    page, finished = context.new_page(), list[Request]()
    page.on("requestfinished", lambda request: finished.append(request))
    answer = page.goto(url, wait_until="networkidle")
    assert answer is not None and answer.ok and answer.url == url, answer
    sizes = [request.sizes() for request in finished]
    sent = sum(one["responseHeadersSize"] + one["responseBodySize"] for one in sizes)
    figures = {"DCL ms": page.evaluate(DCL), "requests": len(finished), "KB": sent / 1000}
    context.close()
    return figures


def _print(found: Figures, before: Figures) -> None:
    print(f"{'':16}" + "".join(f"{what:>22}" for what in GOALS))
    for name, figures in found.items():
        cells = (_cell(figures[what], before.get(name, {}).get(what), goal) for what, goal in GOALS.items())
        print(f"{name:16}" + "".join(f"{cell:>22}" for cell in cells))


def _cell(figure: float, before: float | None, goal: float | None) -> str:
    earlier = f"{before:,.0f} -> " if before is not None else ""
    return f"{earlier}{figure:,.0f}{' over' if goal and figure > goal else ''}"


if __name__ == "__main__":
    main()
