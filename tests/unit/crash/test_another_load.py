"""Another load of a trial, with something changed: what it takes over, what it tells, and when it ends."""

from types import SimpleNamespace

import pytest

from workers.crash.points.recorded import another_load
from workers.crash.setup_and_result import Timeline
from workers.errors import Cancelled


def recorded(told=None, cancelled=False):
    """As much of a recorded load as another one takes over."""
    timeline = Timeline([].append if told is None else told.append, lambda: cancelled)
    ports = SimpleNamespace(clock=lambda: 0.0)
    return SimpleNamespace(kind="its kind", settings={"sync_binlog": "0"}, ports=ports, timeline=timeline)


def test_another_load_has_the_settings_of_the_first_and_its_own():
    load = recorded()
    with another_load(load, "setup", "again") as same, another_load(load, "setup", "again", {"log_bin": "ON"}) as more:
        assert same.settings == {"sync_binlog": "0"} and more.settings == {"sync_binlog": "0", "log_bin": "ON"}
        assert (same.setup, same.kind, same.ports) == ("setup", load.kind, load.ports)


def test_its_steps_are_told_with_its_title_and_what_is_made_for_it_is_removed():
    told, removed = [], []
    with another_load(recorded(told), "setup", "clients=2") as begun:
        begun.made.callback(removed.append, "its disk")
        begun.timeline.step("start")
    assert (told, removed) == (["clients=2: start"], ["its disk"])


@pytest.mark.parametrize("cancelled", [False, True])
def test_it_ends_when_the_trial_is_cancelled(cancelled):
    """Its time is not limited unless it is said."""
    with another_load(recorded(cancelled=cancelled), "setup", "again") as begun:
        assert begun.timeline.is_cancelled() is cancelled


def test_it_ends_when_its_time_is_over():
    with another_load(recorded(), "setup", "again", is_over=lambda: True) as begun, pytest.raises(Cancelled):
        begun.timeline.step("start")
