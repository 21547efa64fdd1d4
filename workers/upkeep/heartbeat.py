"""A worker's heartbeat: a thread of its own writes the time into the worker's row every few seconds."""

import atexit
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.db import close_old_connections, connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from dashboard.installation.version import VERSION
from dashboard.records.fleet.models import DEAD_AFTER, StuckThread, Worker
from workers.bench.abilities import Abilities
from workers.sandbox.builds import store
from workers.upkeep import abilities
from workers.upkeep.stuck_threads import pool

BEAT_S = 5.0
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HeartbeatPorts:
    """What a heartbeat asks of its host and of its process."""

    clock: Callable[[], float] = time.monotonic
    installed: Callable[[], list[str]] = store.installed
    describe: Callable[[], Abilities] = abilities.describe
    stuck: Callable[[], list[StuckThread]] = pool.stuck


class Heartbeat:
    """Runs from `start` to `stop`. One per process; `worker` is its row.

    A worker that was silent for so long that others take it for dead (stopped, starved, no database) goes on as a new
    row: it no longer holds what it held, and its threads learn that from the old row.
    """

    def __init__(self, ports: HeartbeatPorts = HeartbeatPorts(), beat_s: float = BEAT_S) -> None:
        self._ports, self._clock, self._beat_s = ports, ports.clock, beat_s
        self._last = 0.0  # when the last beat that came through was sent
        self.listens = False  # whether it takes tasks: a command line that measures does not
        self.stopping = threading.Event()  # the worker was asked to end: experiments stop and can be resumed
        self._stop = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._installed: list[str] = []  # builds, when abilities were last told
        self._stuck: list[StuckThread] = []  # threads that hang, as last told
        self.worker: Worker | None = None

    def start(self) -> Worker:
        with self._starting:
            if self.worker is None:
                self._thread = self._thread or self._started()
                self.worker = self._born()
                atexit.register(self.stop)
            return self.worker

    def stop(self) -> None:
        if self.worker is None:
            return
        atexit.unregister(self.stop)
        self._stop.set()
        if self._thread:
            self._thread.join(BEAT_S)
        Worker.objects.filter(pk=self.worker.pk).update(ended_at=Now())

    def _started(self) -> threading.Thread:
        """Before the worker is known: one that no thread can be started for is never seen."""
        thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        thread.start()
        return thread

    def _born(self) -> Worker:
        """By the database's clock, by which others take it for dead."""
        installed, able, stuck = self._ports.installed(), self._ports.describe(), self._ports.stuck()
        began = self._clock()
        born = Worker.objects.create(
            host=socket.gethostname(),
            pid=os.getpid(),
            site=settings.SITE,
            listens=self.listens,
            version=VERSION,
            abilities=asdict(able),
            stuck=[asdict(one) for one in stuck],
            started_at=Now(),
            beat_at=Now(),
        )
        born.refresh_from_db()
        self._installed, self._stuck = installed, stuck
        self._last = began  # not earlier: one that could not be born is still silent
        return born

    def _beat(self) -> None:
        while not self._stop.wait(self._beat_s):
            try:
                close_old_connections()
                self.beat()
            except Exception:  # a worker without a heartbeat loses all that it takes: no fault may end this thread
                log.exception("heartbeat not written; trying again")
        connection.close()

    def beat(self) -> None:
        """The silence is checked before and after the write: on a broken line the write waits, and may reach the
        database when others have already taken this worker for dead."""
        if self.worker is None:
            return
        began = self._clock()
        row = Worker.objects.filter(pk=self.worker.pk, ended_at=None)
        heard = not self._is_dead() and self._tell(row)
        if heard and not self._is_dead():
            self._last = began
            return
        log.warning("silent for %.0f s: going on as a new worker", self._clock() - self._last)
        row.update(ended_at=Now())
        self.worker = self._born()

    def _is_dead(self) -> bool:
        return self._clock() - self._last >= DEAD_AFTER.total_seconds()

    def _tell(self, row: QuerySet[Worker]) -> bool:
        """News counts as told once the row holds it: after a failed write the next heartbeat tells it."""
        installed, able = self._new_abilities()
        stuck = self._now_stuck()
        news: dict[str, object] = {} if able is None else {"abilities": asdict(able)}
        if stuck != self._stuck:
            news["stuck"] = [asdict(one) for one in stuck]
        heard = row.update(beat_at=Now(), **news) > 0
        if heard:
            self._installed, self._stuck = installed, stuck
        return heard

    def _now_stuck(self) -> list[StuckThread]:
        """Threads that hang; those that were told last when they cannot be read."""
        try:
            return self._ports.stuck()
        except Exception:
            log.exception("threads that hang not told; trying again")
            return self._stuck

    def _new_abilities(self) -> tuple[list[str], Abilities | None]:
        """Builds; and abilities again, once builds came or went: a new one can be planned with at once. Otherwise no
        program is asked anything, for that would disturb what is measured. Where they cannot be told (no file can be
        opened), the worker is alive all the same."""
        try:
            installed = self._ports.installed()
            told = None if installed == self._installed else self._ports.describe()
        except Exception:
            log.exception("abilities not told; trying again")
            return self._installed, None
        return installed, told


heartbeat = Heartbeat()


@worker_ready.connect
def _on_ready(**_: object) -> None:
    heartbeat.listens = True
    heartbeat.start()


@worker_shutting_down.connect
def _on_stop(**_: object) -> None:
    heartbeat.stopping.set()
