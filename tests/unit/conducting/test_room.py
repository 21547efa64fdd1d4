import pytest

from dashboard.records.experiments import why_queued
from tests.unit.conducting import experiments as make
from workers import celery_config, tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def conducted(monkeypatch):
    """Experiments that were conducted, each ringing for the next while it runs."""
    begun = []

    def conduct(experiment_id, worker):
        begun.append(experiment_id)
        tasks.run_experiment(experiment_id + 1)

    monkeypatch.setattr(tasks, "conduct", conduct)
    monkeypatch.setattr(tasks.heartbeat, "start", lambda: None)
    return begun


def test_a_worker_keeps_a_thread_for_housekeeping(conducted):
    tasks.run_experiment(1)
    assert len(conducted) == celery_config.worker_concurrency - 1


def test_room_is_given_back_also_after_an_error(conducted, monkeypatch):
    tasks.run_experiment(1)

    def fails(*_):
        raise OSError

    with monkeypatch.context() as broken:
        broken.setattr(tasks, "conduct", fails)
        with pytest.raises(OSError):
            tasks.run_experiment(1)
    conducted.clear()
    tasks.run_experiment(1)
    assert len(conducted) == celery_config.worker_concurrency - 1


def test_an_experiment_that_finds_no_free_thread_says_so(conducted, monkeypatch):
    one = make.experiment(make.attached("a"))
    monkeypatch.setattr(tasks, "conduct", lambda *_: tasks.run_experiment(one.pk))
    with monkeypatch.context() as single:
        single.setattr(tasks, "_room", tasks.threading.BoundedSemaphore(1))
        tasks.run_experiment(one.pk + 1)
    one.refresh_from_db()
    assert (one.state, one.activity) == ("queued", why_queued.NO_FREE_THREAD)
