import pytest

from dashboard.records.experiments import why_queued
from tests.unit.conducting import experiments as make
from workers import celery_config, tasks
from workers.conducting.room import Room

pytestmark = pytest.mark.django_db
MEASURING = celery_config.worker_concurrency - 1


def conducted(room):
    """Experiments that are conducted, if each begins the next one while it runs."""
    begun = []

    def conduct(experiment_id):
        begun.append(experiment_id)
        room.conduct(experiment_id + 1, conduct)

    room.conduct(1, conduct)
    return begun


def test_a_worker_keeps_a_thread_for_housekeeping():
    assert conducted(tasks.room) == [*range(1, MEASURING + 1)]


def test_a_thread_is_free_again_after_an_error():
    def fails(*_):
        raise OSError

    room = Room(2)
    for work in (lambda: room.conduct(1, fails), lambda: room.run(fails)):
        with pytest.raises(OSError):
            work()
    assert conducted(room) == conducted(room) == [1, 2]


def test_an_experiment_that_finds_no_free_thread_says_so():
    one = make.experiment(make.attached("a"))
    Room(1).conduct(one.pk + 1, lambda _: None)
    one.refresh_from_db()
    assert one.activity != why_queued.NO_FREE_THREAD
    room = Room(1)
    room.conduct(one.pk + 1, lambda _: room.conduct(one.pk, pytest.fail))
    one.refresh_from_db()
    assert (one.state, one.activity) == ("queued", why_queued.NO_FREE_THREAD)
