import pytest

from dashboard.records.experiments import why_queued
from tests.unit.conducting import experiments as make
from workers import celery_config, tasks
from workers.tasks import MeasuringThreads

pytestmark = pytest.mark.django_db
MEASURING = celery_config.worker_concurrency - 1


def conducted(threads):
    """Experiments that are conducted, if each begins the next one while it runs."""
    begun = []

    def conduct(experiment_id):
        begun.append(experiment_id)
        threads.conduct(experiment_id + 1, conduct)

    threads.conduct(1, conduct)
    return begun


def test_a_worker_keeps_a_thread_for_housekeeping():
    assert conducted(tasks.threads) == [*range(1, MEASURING + 1)]


def test_a_thread_is_free_again_after_an_error():
    def fails(*_):
        raise OSError

    threads = MeasuringThreads(2)
    for work in (lambda: threads.conduct(1, fails), lambda: threads.run(fails)):
        with pytest.raises(OSError):
            work()
    assert conducted(threads) == conducted(threads) == [1, 2]


def test_an_experiment_that_finds_no_free_thread_says_so():
    one = make.experiment(make.attached("a"))
    MeasuringThreads(1).conduct(one.pk + 1, lambda _: None)
    one.refresh_from_db()
    assert one.activity != why_queued.NO_FREE_THREAD
    threads = MeasuringThreads(1)
    threads.conduct(one.pk + 1, lambda _: threads.conduct(one.pk, pytest.fail))
    one.refresh_from_db()
    assert (one.state, one.activity) == ("queued", why_queued.NO_FREE_THREAD)
