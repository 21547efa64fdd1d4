"""The page of a recorded load: the map of its crash points, readable on a phone."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.findings.tested import naming
from tests.browser.axe import violations
from tests.browser.folds import unfolded
from tests.browser.test_nights import dba  # noqa: F401 - a fixture
from tests.browser.test_result_page import is_short
from tests.browser.test_risk_chart import keep
from tests.unit.crash.recorded_states import LOST, TORN, state, story
from tests.unit.results import trials
from workers.crash.points.story import KeptPoint, ShortestLoad
from workers.crash.transactions import statements

KEPT = KeptPoint(number=1, moment=1810, at_s=1.81, keeps="durable", checks=("lost-engine",), n_bytes=838_066)
SHORTEST = ShortestLoad(
    checks=("lost-engine",), clients=3, commits=5, failed=2, tried=40, found=61, loads=6, keeps="torn", acknowledged=9,
    statements=tuple(sql.decode() for one in statements(b"a secret", 0, range(1, 6)) for sql in one),
)  # fmt: skip


@pytest.fixture
def trial():
    states = [state(n / 20, redo=n * 4096, binlog=n // 2 * 1024) for n in range(36)]
    bad = [state(1.81, LOST, lost=3, redo=30 * 4096, binlog=9 * 1024, log_lines=("[ERROR] lost",)), state(1.9, TORN)]
    experiment = trials.experiment({"1/1": {"every-crash-point": [(3, 0)]}}, replica=False, measured=0)
    found = experiment.trials.get()
    found.evidence.data["points"] = story(*states, *bad, kept=(KEPT,), shortest=(SHORTEST,)).as_stored()
    found.evidence.data["steps"].append({"name": "other settings", "at_s": 2.7, "took_s": 3.0})
    found.evidence.save()
    return found


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_each_crash_point_is_a_dot_of_the_map(page, live_server, dba, trial, width, scheme):  # noqa: F811
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{live_server.url}/results/trials/{trial.pk}/")
    page.get_by_text("Where the crash points are in the load").click()
    drawn = page.get_by_role("img", name="Lost acknowledged commits at 1 of the 38 crash points of this load")
    expect(drawn.locator("circle")).to_have_count(38)
    box = drawn.bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=2) and box["width"] > 200
    page.locator("summary", has_text="Crash points at which a check failed").click()
    expect(page.get_by_role("table").filter(has_text="Crash point at")).to_contain_text(naming("InnoDB", LOST.says))
    page.get_by_text("Smallest example of a failure").click()
    page.get_by_text("Downloads", exact=True).click()
    expect(page.get_by_role("link", name="Download the disk")).to_be_visible()
    expect(page.get_by_text("3 clients with 5 commits each.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bar = page.locator("table.steps tr", has_text="trying other settings").locator("svg").bounding_box()
    assert bar["x"] + bar["width"] <= width and bar["width"] > 80
    assert violations(page) == []


@pytest.fixture
def every_crash_point():
    """As the recipe of this name: three settings, three loads of each."""
    losses = {"1/1": (0, 0), "2/0": (35, 0), "0/0": (35, 0)}
    made = trials.experiment({name: {"every-crash-point": [lost] * 3} for name, lost in losses.items()})
    for trial in made.trials.filter(kind="every-crash-point"):
        bad, most = ((), 0) if trial.variant == "1/1" else ((LOST,), 35)
        states = [state(n / 20, *bad, lost=min(n, most), redo=n * 4096, binlog=n // 2 * 1024) for n in range(1, 36)]
        trial.evidence.data["points"] = story(*states).as_stored()
        trial.evidence.save()
    return made


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "dark")])
def test_small_maps_leave_the_result_page_short(page, live_server, dba, every_crash_point, width, scheme):  # noqa: F811
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{live_server.url}/results/{every_crash_point.pk}/")
    maps = page.locator(".crash-maps svg")
    expect(maps).to_have_count(6)
    expect(maps.first).to_be_hidden()
    is_short(page)
    unfolded(maps)
    expect(maps.first).to_be_visible()
    boxes = [one.bounding_box() for one in maps.all()]
    assert all(box["width"] == pytest.approx(box["height"], abs=2) and box["width"] > 90 for box in boxes)
    lost_all = re.compile(r"^2.0, trial \d+: Lost acknowledged commits at 35 of the 35")  # a slash would end it
    expect(page.get_by_role("img", name=lost_all)).to_have_count(2)
    assert violations(page) == []
    keep(page, f"maps-{width}-{scheme}", unfolded(page.locator("#crash-matrix")).bounding_box()["y"])
