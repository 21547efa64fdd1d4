import errno
import threading
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.records.fleet.models import Worker
from workers.bench.abilities import Abilities, HostBuild
from workers.upkeep import heartbeat as module

NEW = Abilities(builds={"new": HostBuild()})
BOTH = Abilities(builds={"old": HostBuild(), "new": HostBuild()})


@pytest.fixture
def heartbeat(transactional_db, monkeypatch):
    monkeypatch.setattr(module.abilities, "describe", Abilities)
    monkeypatch.setattr(module, "BEAT_S", 3600)  # no beats but the tests' own
    made = module.Heartbeat()
    yield made
    made.stop()


def test_two_threads_that_start_it_share_one_worker(heartbeat):
    def start():
        heartbeat.start()
        module.connection.close()

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Worker.objects.count() == 1


def test_it_goes_on_beating_after_a_short_silence(heartbeat):
    worker = heartbeat.start()
    earlier = worker.beat_at - timedelta(seconds=5)
    Worker.objects.filter(pk=worker.pk).update(beat_at=earlier)
    heartbeat.beat()
    worker.refresh_from_db()
    assert worker.beat_at > earlier
    assert heartbeat.start() == worker


def test_it_comes_back_as_a_new_worker_after_a_long_silence(heartbeat):
    lost = heartbeat.start()
    heartbeat._last -= 60
    heartbeat.beat()
    assert heartbeat.start() != lost
    assert not Worker.objects.get(pk=lost.pk).is_alive
    assert heartbeat.start().is_alive


def test_it_comes_back_as_a_new_worker_when_its_beat_took_too_long(heartbeat, monkeypatch):
    """The database hears it, but late: others have taken it for dead in the meantime, and given its work away."""
    lost = heartbeat.start()
    now = [1000.0]
    heartbeat._clock, heartbeat._last = lambda: now[0], now[0] - 5

    def on_its_way() -> list[str]:
        now[0] += 60
        return []

    monkeypatch.setattr(module.store, "installed", on_its_way)
    heartbeat.beat()
    found = heartbeat.start()
    assert found != lost and not Worker.objects.get(pk=lost.pk).is_alive and found.is_alive
    monkeypatch.setattr(module.store, "installed", list)
    now[0] += 5
    heartbeat.beat()
    assert heartbeat.start() == found, "its silence begins anew"


def test_it_tells_of_builds_that_came_and_asks_nothing_otherwise(heartbeat, monkeypatch):
    asked = []
    monkeypatch.setattr(module.store, "installed", lambda: ["old"])
    worker = heartbeat.start()
    monkeypatch.setattr(module.abilities, "describe", lambda: asked.append(1) or BOTH)
    heartbeat.beat()
    worker.refresh_from_db()
    assert worker.able.builds is None and not asked
    monkeypatch.setattr(module.store, "installed", lambda: ["new", "old"])
    heartbeat.beat()
    heartbeat.beat()
    worker.refresh_from_db()
    assert set(worker.abilities["builds"]) == {"old", "new"} and len(asked) == 1


def test_news_that_could_not_be_written_is_told_by_the_next_beat(heartbeat, monkeypatch):
    worker, hangs = heartbeat.start(), [{"what": "a schedule", "row": 0, "since": ""}]
    monkeypatch.setattr(module.store, "installed", lambda: ["new"])
    monkeypatch.setattr(module.abilities, "describe", lambda: NEW)
    monkeypatch.setattr(module.pool, "stuck", lambda: hangs)
    with monkeypatch.context() as broken:
        broken.setattr(QuerySet, "update", database_is_locked)
        with pytest.raises(OperationalError):
            heartbeat.beat()
    heartbeat.beat()
    worker.refresh_from_db()
    assert (set(worker.abilities["builds"]), worker.stuck) == ({"new"}, hangs)


def database_is_locked(*_, **__):
    raise OperationalError("database is locked")


def no_file_can_be_opened():
    raise OSError(errno.EMFILE, "Too many open files")


def test_it_beats_on_when_no_file_can_be_opened(heartbeat, monkeypatch):
    worker = heartbeat.start()
    Worker.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    monkeypatch.setattr(module.store, "installed", no_file_can_be_opened)
    heartbeat.beat()
    assert heartbeat.start() == worker and worker.is_alive


@pytest.mark.parametrize("fault", [OSError(errno.EIO, "Input/output error"), MemoryError(), ValueError("odd")])
def test_no_fault_ends_its_thread(heartbeat, monkeypatch, fault):
    beats = []

    def beat():
        beats.append(1)
        if len(beats) == 3:
            heartbeat._stop.set()
        raise fault

    monkeypatch.setattr(module, "BEAT_S", 0)
    monkeypatch.setattr(heartbeat, "beat", beat)
    heartbeat._beat()
    assert len(beats) == 3


def test_a_worker_that_cannot_get_a_new_row_tries_again(heartbeat, monkeypatch):
    lost = heartbeat.start()
    heartbeat._last -= 60
    with monkeypatch.context() as broken:
        broken.setattr(module.abilities, "describe", no_file_can_be_opened)
        with pytest.raises(OSError, match="Too many open files"):
            heartbeat.beat()
    heartbeat.beat()
    assert heartbeat.start() != lost and heartbeat.start().is_alive


def test_a_worker_whose_row_was_ended_comes_back_as_a_new_one(heartbeat):
    lost = heartbeat.start()
    Worker.objects.update(ended_at=timezone.now())
    heartbeat.beat()
    assert heartbeat.start() != lost and heartbeat.start().is_alive


def test_a_worker_that_no_thread_can_be_started_for_is_never_seen(heartbeat, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(module.threading.Thread, "start", lambda thread: no_file_can_be_opened())
        with pytest.raises(OSError, match="Too many open files"):
            heartbeat.start()
    assert not Worker.objects.exists()
    assert heartbeat.start().is_alive and heartbeat._thread.is_alive()
