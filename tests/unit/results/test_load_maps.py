"""Small maps of recorded loads on the result page."""

import pytest
from django.urls import reverse

from dashboard.charts.crash_map import crash_map, paths
from tests.markup import flat
from tests.unit.crash.recorded_states import LOST, state, story
from tests.unit.results import trials
from tests.unit.results.recorded_trials import BAD, GOOD, loads

pytestmark = pytest.mark.django_db


def test_the_result_page_draws_a_small_map_of_each_load(client_in):
    """What a trial's page draws as four dots: of each look one path. At most six loads are drawn."""
    one = loads(*[GOOD] * 6, BAD)
    first = one.trials.order_by("position").first()
    first.evidence.data["points"] = BAD.as_stored()
    first.evidence.save()
    page = flat(client_in.get(reverse("results:page", args=[one.pk])).content.decode())
    maps = page[page.index('<div class="crash-maps">') : page.index("Each dot is a crash point")]
    assert maps.count("<svg") == 6 and "Drawn are 6 of 7 loads" in page
    assert maps.count("redo log →") == 6
    assert [maps.count(f'<path class="{look}"') for look in ("kept", "unclear", "other", "lost")] == [6, 1, 1, 1]
    assert "1/1, trial 1: Lost acknowledged commits at 1 of the 4 crash points of this load" in maps
    assert reverse("results:trial", args=[first.pk]) in maps


def test_small_maps_of_loads_without_a_flushed_binlog_rise_with_time(client_in):
    without = story(state(0.1, binlog=0), state(0.4, binlog=0))
    page = flat(client_in.get(reverse("results:page", args=[loads(GOOD, without).pk])).content.decode())
    assert (page.count("↑ binary log</text>"), page.count("↑ time</text>")) == (1, 1)


def test_dots_at_the_same_place_are_one_dot_of_a_small_map():
    near = [state(0.1, redo=4096), state(0.1001, redo=4096), state(0.4, LOST, redo=8192, lost=1)]
    assert dict(paths(crash_map(near))).keys() == {"kept", "lost"}
    assert [dots.count("M") for _, dots in paths(crash_map([*near, state(0.2, redo=2000)]))] == [2, 1]


def test_without_recorded_loads_the_result_page_has_no_maps(client_in):
    assert "crash-maps" not in client_in.get(reverse("results:page", args=[trials.experiment().pk])).text
