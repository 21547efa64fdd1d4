"""When a watch stops the load, with gauges that are written down."""

import pytest

from workers.errors import ServerError, Unreachable
from workers.guardrails.limit import Level, Limit, Limits
from workers.guardrails.watch import BLIND_S, Watch


class Written:
    """Reads these values one after the other; an exception is raised."""

    def __init__(self, *values, limit=10.0, at_least=False):
        self.limit = Limit("figure", "the figure", "s", limit, at_least)
        self._values = iter(values)
        self.closed = False

    def read(self):
        value = next(self._values)
        if isinstance(value, Exception):
            raise value
        return value if isinstance(value, Level) else Level(value)

    def close(self):
        self.closed = True


class Clock:
    now_s = 0.0

    def __call__(self):
        return self.now_s


def sampled(gauge, times):
    clock = Clock()
    watch = Watch([gauge], clock=clock, now=clock)
    for _ in range(times):
        clock.now_s += 1
        watch.sample()
    return watch, clock


def test_two_samples_in_a_row_beyond_the_limit_stop_the_load():
    watch, _ = sampled(Written(3, 12, 13), 3)
    assert watch.trip.says == "the figure was 13 s, the limit is 10 s"
    assert watch.record.sampled == {"at_s": [1, 2, 3], "figure": [3, 12, 13]}


@pytest.mark.parametrize("values", [(12, 3, 12), (10, 10, 10), (12, Level(), 12)])
def test_a_single_spike_and_a_value_at_the_limit_stop_no_load(values):
    assert sampled(Written(*values), 3)[0].trip is None


def test_a_limit_from_below():
    assert sampled(Written(9, 8, at_least=True), 2)[0].trip
    assert sampled(Written(11, 11, at_least=True), 2)[0].trip is None


def test_an_unknown_figure_counts_as_beyond_its_limit():
    watch, _ = sampled(Written(Level(unknown="its applier is stopped"), Level(unknown="its applier is stopped")), 2)
    assert watch.trip.says == "the figure is not known: its applier is stopped (the limit is 10 s)"
    assert watch.record.sampled["figure"] == [None, None]


def test_a_gauge_that_cannot_be_read_stops_the_load_after_seconds():
    watch, clock = sampled(Written(1, *[Unreachable("gone.")] * 9), 4)
    assert watch.trip is None
    clock.now_s = 1 + BLIND_S + 0.1
    assert watch.trip.says == "the figure is not known: gone. (the limit is 10 s)"


def test_a_gauge_that_hangs_stops_the_load_too():
    watch, clock = sampled(Written(1), 1)
    clock.now_s += BLIND_S + 0.1
    assert "the server does not answer" in watch.trip.says


def test_the_load_is_refused_with_the_value_if_a_limit_is_passed_already():
    with pytest.raises(ServerError, match="The load was not started: the figure was 12 s, the limit is 10 s"):
        Watch([Written(11, 12)]).check()
    with pytest.raises(ServerError, match=r"The load was not started: .* gone\."):
        Watch([Written(1, Unreachable("gone."))]).check()
    Watch([Written(11, 9)]).check()


def test_a_watch_ends_and_closes_its_gauges():
    gauge = Written(*[1] * 50)
    watch = Watch([gauge], ["Nothing tells the free disk space."])
    watch.start()
    record = watch.stop()
    assert gauge.closed and record.trip is None and record.unwatched == ("Nothing tells the free disk space.",)


def test_a_limit_of_zero_is_not_named():
    assert Limits(0, 0, 0, 0).in_words == "nothing is watched"
    assert (
        Limits(1.5, 0, 0, 20).in_words
        == "stops at replica lag above 1.5 s, p99 of Durascope's own probe commits above 20 ms"
    )


def test_a_small_limit_is_not_rounded_to_none():
    assert Limits(0.05, 0, 0.04, 0).in_words == (
        "stops at replica lag above 0.05 s, less than 0.04 GiB of free disk space"
    )
