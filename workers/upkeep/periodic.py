"""Duties that every worker repeats: once at its start, for a server may have been left down, then every few seconds.
The command line repeats them while it measures, because no worker may be alive. Pending restores have a thread of their
own: an owner's start command may take minutes."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.db import close_old_connections, connection

from dashboard.records.fleet import task_queue
from workers.upkeep import housekeeping, memory_watch, restores

EVERY_S = 10.0
log = logging.getLogger(__name__)


def run_once(duty: Callable[[], None]) -> None:
    """A failure is logged."""
    try:
        close_old_connections()
        duty()
    except Exception:
        log.exception("a round of %s", duty)


class Duties:
    def __init__(self) -> None:
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, *duties: Callable[[], None], every_s: float | None = None) -> None:
        """Each in a thread of its own. `every_s`: instead of EVERY_S."""
        for duty in duties:
            thread = threading.Thread(target=self._go, args=[duty, every_s], name="duties", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, wait_s: float = 0) -> None:
        """No duty begins again. One that is under way gets `wait_s` to end, then ends with the process."""
        self._stop.set()
        for thread in self._threads:
            thread.join(wait_s)

    def _go(self, duty: Callable[[], None], every_s: float | None = None) -> None:
        while not self._stop.is_set():
            run_once(duty)
            self._stop.wait(EVERY_S if every_s is None else every_s)
        connection.close()


duties = Duties()


@worker_ready.connect
def _on_ready(**_: object) -> None:
    clean_up = partial(
        housekeeping.run,
        partial(task_queue.send, task_queue.EXPERIMENT, site=settings.SITE),
        partial(task_queue.send, task_queue.PREFLIGHT, site=settings.SITE),
    )
    duties.start(clean_up, restores.restore_all)
    duties.start(memory_watch.look, every_s=memory_watch.LOOK_EVERY_S)


@worker_shutting_down.connect
def _on_stop(**_: object) -> None:
    duties.stop()
