import pytest

from workers import celery_config, tasks


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


def test_a_worker_keeps_a_thread_for_tending(conducted):
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
