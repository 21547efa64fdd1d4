"""The seconds of a running cell through a real Redis: each is told once, and what Redis lost is told again."""

import pytest
from redis import Redis

from dashboard.installation.home import redis_url
from dashboard.records.experiments import live
from dashboard.records.experiments.live import LivePosition, LiveWriter
from tests.real import parts


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    with parts.redis_server(), Redis.from_url(redis_url()) as link:
        yield link


@pytest.fixture(autouse=True)
def empty(there):
    there.flushall()


@pytest.fixture
def told():
    return LiveWriter(1, "claim")


def tell(told, *numbers, warming=False):
    for number in numbers:
        told.tell((number, 100.0 * number, None), warming)


def numbers(picture):
    return [second[0] for second in picture.seconds]


def test_a_reader_is_sent_the_seconds_that_it_does_not_have(told):
    tell(told, 1, 2)
    first = live.latest(1)
    assert (numbers(first), first.since, first.mark) == ([1, 2], 0, "claim")
    tell(told, 3, 4)
    more = live.latest(1, LivePosition(first.series, 2))
    assert (numbers(more), more.since, more.series) == ([3, 4], 2, first.series)
    assert numbers(live.latest(1, LivePosition(first.series, 4))) == []


def test_a_series_that_the_reader_does_not_know_comes_whole(told):
    tell(told, 1, 2, warming=True)
    warm = live.latest(1)
    tell(told, 1, 2, 3)
    measured = live.latest(1, LivePosition(warm.series, 2))
    assert (numbers(measured), measured.since, measured.warming) == ([1, 2, 3], 0, False)


def test_a_second_attempt_is_a_series_of_its_own(told):
    tell(told, 1, 2, 3)
    tell(told, 1)
    assert numbers(live.latest(1)) == [1]


def test_the_next_cell_begins_empty(told):
    tell(told, 1)
    LiveWriter(1, "next claim")
    assert (live.latest(1).mark, live.latest(1).seconds) == ("next claim", ())


def test_the_seconds_that_a_redis_lost_are_told_again(told, there):
    tell(told, 1, 2)
    there.flushall()
    tell(told, 3)
    assert numbers(live.latest(1)) == [1, 2, 3]


def test_a_second_sends_as_many_bytes_to_redis_late_in_a_cell_as_early(told, there):
    def written():
        tell(told, tell_next.pop())
        return there.info("stats")["total_net_input_bytes"]

    tell_next = list(range(600, 0, -1))
    totals = [written() for _ in range(600)]
    early, late = totals[9] - totals[4], totals[599] - totals[594]
    assert late < early * 1.2


def test_another_experiment_has_its_own(told):
    tell(told, 1)
    assert live.latest(2) == live.NO_SECONDS
