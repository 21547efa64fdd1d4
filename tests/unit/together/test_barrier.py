"""Several workers start a load together, although each message to Redis and back takes a while."""

import threading
import time
from types import SimpleNamespace

import pytest
import redis

from dashboard.records.experiments.models import Part
from tests.unit.bench.load_requests import request
from tests.unit.together.test_parts import measured, offered
from workers.bench.load import LoadResult
from workers.bench.merge import started_within_s
from workers.together import joiner
from workers.together.barrier import Barrier
from workers.together.shared_load import SharedLoad

pytestmark = pytest.mark.django_db
__all__ = ["measured"]
TRIP_S = 0.03
PAUSE_S = 0.4
WAITED_S = 1.0
LOAD = LoadResult(("sysbench",), 3, 1, 0.0, (), ((1.5, 2),), 1.0, 2.0, 0, "raw\n", {})


class SlowRedis:
    """Lists on which others wait. A question takes one half of a trip, its answer the other."""

    def __init__(self) -> None:
        self.filled, self.asked = set(), []
        self.changed = threading.Condition()

    def ping(self) -> None:
        time.sleep(TRIP_S)

    def blpop(self, keys, timeout):
        self.asked.append(time.sleep(TRIP_S / 2))
        with self.changed:
            found = self.changed.wait_for(lambda: keys[0] in self.filled, timeout)
        time.sleep(TRIP_S / 2)
        return found

    def pipeline(self, transaction):
        keys = set()
        return SimpleNamespace(
            rpush=lambda key, _: keys.add(key), expire=lambda *_: 0, execute=lambda: self._fill(keys)
        )

    def _fill(self, keys) -> None:
        time.sleep(TRIP_S / 2)
        with self.changed:
            self.filled |= keys
            self.changed.notify_all()
        time.sleep(TRIP_S / 2)

    def close(self) -> None:
        pass


class Starts:
    """The loads that began, by a clock that no worker has."""

    def __init__(self, monkeypatch) -> None:
        self.at, self.done = [], []
        self.redis = SlowRedis()
        monkeypatch.setattr(redis.Redis, "from_url", lambda *_, **__: self.redis)
        monkeypatch.setattr(joiner.sysbench, "run", self._begin)
        monkeypatch.setattr(joiner, "save", lambda _, done: self.done.append(done))

    def _begin(self, *_) -> LoadResult:
        self.at.append(time.monotonic())
        return LOAD

    def join(self, part: Part, barrier: Barrier, cancelled=lambda: False) -> threading.Thread:
        def wait() -> None:
            self.done.append(joiner.run(part, request(), barrier.wait(part, cancelled), print, cancelled))

        thread = threading.Thread(target=wait)
        thread.start()
        return thread

    @property
    def apart_s(self) -> float:
        return max(self.at) - min(self.at)


@pytest.fixture
def starts(monkeypatch) -> Starts:
    return Starts(monkeypatch)


def test_the_worker_that_opens_the_barrier_starts_with_the_others(starts, measured, monkeypatch):
    """The bound on the page of results is one, and far below the second that the others waited."""
    _, cell, worker = measured
    own, *others = offered(measured)
    Part.objects.update(state="ready")
    load = SharedLoad(cell, worker, 3, print)
    monkeypatch.setattr(SharedLoad, "_until", lambda *_: None)
    with Barrier() as barrier:
        joining = [starts.join(part, barrier) for part in others]
        while len(starts.redis.asked) < len(others):
            time.sleep(0.001)
        time.sleep(WAITED_S)
        Part.objects.exclude(pk=own.pk).update(result={}, state="running")
        monkeypatch.setattr("workers.together.shared_load.move", lambda *_: 3)
        monkeypatch.setattr(SharedLoad, "_rows", lambda _: Part.objects.none())
        load._run([own, *others], barrier, request(), print, lambda: False)
        for thread in joining:
            thread.join()
    assert len(starts.done) == 3
    assert starts.apart_s <= started_within_s(starts.done) < 0.8 * WAITED_S


def test_an_opening_between_two_looks_of_a_worker_is_within_the_bound(starts, measured, monkeypatch):
    """It waits for its database, and the barrier opens meanwhile."""
    monkeypatch.setattr("workers.together.barrier.LOOK_EVERY_S", 0.05)
    looked = threading.Event()
    own, late, _ = offered(measured)
    with Barrier() as barrier:
        thread = starts.join(late, barrier, lambda: looked.set() or bool(time.sleep(PAUSE_S)))
        looked.wait()
        starts.done.append(joiner.run(own, request(), barrier.open([late]), print, lambda: False))
        thread.join()
    assert PAUSE_S - 0.1 < starts.apart_s <= started_within_s(starts.done)
