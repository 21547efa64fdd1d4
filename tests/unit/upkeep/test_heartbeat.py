import errno
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.records.fleet.models import StuckThread, Worker
from workers.bench.abilities import Abilities, HostBuild
from workers.upkeep.heartbeat import Heartbeat, HeartbeatPorts

NEW = Abilities(builds={"new": HostBuild()})
BOTH = Abilities(builds={"old": HostBuild(), "new": HostBuild()})


class Host:
    """Answers that a test can change: a value, or an error to raise. `now_s`: its clock."""

    def __init__(self):
        self.now_s, self.installed, self.able, self.stuck = 1000.0, [], Abilities(), []
        self.asked = []  # each question for abilities
        self.during = lambda: None  # happens while it is asked for its builds

    def ports(self):
        return HeartbeatPorts(self._clock, self._installed, self._describe, lambda: self.stuck)

    def _clock(self):
        return _said(self.now_s)

    def _installed(self):
        self.during()
        return _said(self.installed)

    def _describe(self):
        self.asked.append(1)
        return _said(self.able)


def _said(answer):
    if isinstance(answer, Exception):
        raise answer
    return answer


@pytest.fixture
def host():
    return Host()


@pytest.fixture
def heartbeat(transactional_db, host):
    made = Heartbeat(host.ports(), beat_s=3600)  # no beats but the tests' own
    yield made
    made.stop()


def test_two_threads_that_start_it_share_one_worker(heartbeat):
    def start():
        heartbeat.start()
        connection.close()

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Worker.objects.count() == 1


def test_after_a_short_silence_a_worker_stays_the_same(heartbeat):
    worker = heartbeat.start()
    earlier = worker.beat_at - timedelta(seconds=5)
    Worker.objects.filter(pk=worker.pk).update(beat_at=earlier)
    heartbeat.beat()
    worker.refresh_from_db()
    assert worker.beat_at > earlier
    assert heartbeat.start() == worker


def test_after_a_long_silence_a_worker_comes_back_as_a_new_one(heartbeat, host):
    lost = heartbeat.start()
    host.now_s += 60
    heartbeat.beat()
    assert heartbeat.start() != lost
    assert not Worker.objects.get(pk=lost.pk).is_alive
    assert heartbeat.start().is_alive


def test_a_worker_whose_heartbeat_took_too_long_comes_back_as_a_new_one(heartbeat, host):
    """The database hears it, but late: others have taken it for dead in the meantime, and given its work away."""
    lost = heartbeat.start()
    host.now_s += 5

    def on_its_way():
        host.now_s += 60

    host.during = on_its_way
    heartbeat.beat()
    found = heartbeat.start()
    assert found != lost and not Worker.objects.get(pk=lost.pk).is_alive and found.is_alive
    host.during = lambda: None
    host.now_s += 5
    heartbeat.beat()
    assert heartbeat.start() == found, "its silence begins anew"


def test_abilities_are_asked_for_again_only_when_builds_come_or_go(heartbeat, host):
    host.installed = ["old"]
    worker = heartbeat.start()
    host.asked, host.able = [], BOTH
    heartbeat.beat()
    worker.refresh_from_db()
    assert worker.able.builds is None and not host.asked
    host.installed = ["new", "old"]
    heartbeat.beat()
    heartbeat.beat()
    worker.refresh_from_db()
    assert set(worker.abilities["builds"]) == {"old", "new"} and len(host.asked) == 1


def test_news_that_could_not_be_written_is_told_by_the_next_beat(heartbeat, host, monkeypatch):
    worker = heartbeat.start()
    host.installed, host.able, host.stuck = ["new"], NEW, [StuckThread("a schedule", 0, "")]
    with monkeypatch.context() as broken:
        broken.setattr(QuerySet, "update", database_is_locked)
        with pytest.raises(OperationalError):
            heartbeat.beat()
    heartbeat.beat()
    worker.refresh_from_db()
    assert set(worker.abilities["builds"]) == {"new"}
    assert worker.stuck == [{"what": "a schedule", "row": 0, "since": ""}]


def database_is_locked(*_, **__):
    raise OperationalError("database is locked")


NO_FILE = OSError(errno.EMFILE, "Too many open files")


def test_a_worker_stays_alive_when_no_file_can_be_opened(heartbeat, host):
    worker = heartbeat.start()
    Worker.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    host.installed = NO_FILE
    heartbeat.beat()
    assert heartbeat.start() == worker and worker.is_alive


@pytest.mark.parametrize("fault", [OSError(errno.EIO, "Input/output error"), MemoryError(), ValueError("odd")])
def test_no_fault_ends_the_thread_of_the_heartbeat(transactional_db, host, fault):
    beats, third = [], threading.Event()

    def clock():
        if heartbeat.worker is not None:  # born: each beat begins with this question
            beats.append(1)
            if len(beats) == 3:
                third.set()
            raise fault
        return host.now_s

    ports = replace(host.ports(), clock=clock)
    heartbeat = Heartbeat(ports, beat_s=0.01)
    heartbeat.start()
    assert third.wait(20)
    heartbeat.stop()


def test_a_worker_that_cannot_get_a_new_row_tries_again(heartbeat, host):
    lost = heartbeat.start()
    host.now_s += 60
    host.able = NO_FILE
    with pytest.raises(OSError, match="Too many open files"):
        heartbeat.beat()
    host.able = Abilities()
    heartbeat.beat()
    assert heartbeat.start() != lost and heartbeat.start().is_alive


def test_a_worker_whose_row_was_ended_comes_back_as_a_new_one(heartbeat):
    lost = heartbeat.start()
    Worker.objects.update(ended_at=timezone.now())
    heartbeat.beat()
    assert heartbeat.start() != lost and heartbeat.start().is_alive


def test_a_worker_that_no_thread_can_be_started_for_is_never_seen(heartbeat, monkeypatch):
    def no_thread(_):
        raise NO_FILE

    with monkeypatch.context() as broken:
        broken.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(OSError, match="Too many open files"):
            heartbeat.start()
    assert not Worker.objects.exists()
    assert heartbeat.start().is_alive and heartbeat._thread.is_alive()
