"""The page of a failover trial: one time axis, readable on a phone, no text on another."""

from dataclasses import asdict

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.test_nights import dba  # noqa: F401 - a fixture
from tests.unit.results import trials
from workers.topology.setup_and_result import FailoverStory, Rejoin, WriteOutage

STORY = FailoverStory(
    promoted="replica 1", because="The primary acknowledged commits that no replica had received yet.", phantoms=30,
    reads=1200, ghosts=31, ghosts_acknowledged=30, outage=WriteOutage(0.42, None, 0.3, 0.1, 0.02, None, None, 0.3, 0.5),
    rejoin=Rejoin("stopped", "1236: diverged", None), holds={"primary": 22000, "replica 1": 21970},
    per_100_ms=(32, 160, 142, 172, 171, 114), after_per_100_ms=(0,) * 10 + (40, 140),
)  # fmt: skip
OVERLAPS = """() => {
  const texts = [...document.querySelectorAll(".failover .crash-parts > span, .failover th, .axis-seconds span")];
  const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width);
  const cross = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap(([text, box], n) =>
    boxes.slice(n + 1).filter(([, other]) => cross(box, other)).map(([other]) => `${text} / ${other}`));
}"""


@pytest.fixture
def trial():
    experiment = trials.experiment({"1/1": {"primary-host-loss": [(30, 30)]}}, measured=0)
    found = experiment.trials.get()
    found.evidence.data |= {"failover": asdict(STORY), "crash_at_s": 0.58}
    found.evidence.save()
    return found


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_a_failover_is_drawn_over_one_time_axis(page, live_server, dba, trial, width, scheme):  # noqa: F811
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{live_server.url}/results/trials/{trial.pk}/")
    drawn = page.get_by_role("table").filter(has_text="replica 1")
    expect(drawn).to_contain_text("writes refused for 420 ms")
    expect(drawn).to_contain_text("30 missing")
    places = drawn.locator("td:nth-child(2) svg").evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().left, one.getBoundingClientRect().right].map(Math.round))"
    )
    assert len(places) == 3 and len({tuple(place) for place in places}) == 1
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
