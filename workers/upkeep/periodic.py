"""Each worker tends its own site and host: a round as soon as it is there, for a server may have been left down, and
then one every few seconds, as long as it lives. So does a command line while it measures: no worker may be alive.
What is owed is paid in a thread of its own: an owner's start command may take minutes, and nobody else's experiment
waits for that."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from celery.signals import worker_ready, worker_shutting_down
from django.db import close_old_connections, connection

from dashboard.fleet import task_queue
from workers.upkeep import housekeeping, restores

EVERY_S = 10.0
log = logging.getLogger(__name__)


def once(duty: Callable[[], None]) -> None:
    """One round. A failure is logged."""
    try:
        close_old_connections()
        duty()
    except Exception:
        log.exception("a round of %s", duty)


class Rounds:
    def __init__(self) -> None:
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, *duties: Callable[[], None]) -> None:
        """Each in a thread of its own."""
        for duty in duties:
            thread = threading.Thread(target=self._go, args=[duty], name="rounds", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, wait_s: float = 0) -> None:
        """No further round begins; one that is under way is waited for so long, then left to end with the process."""
        self._stop.set()
        for thread in self._threads:
            thread.join(wait_s)

    def _go(self, duty: Callable[[], None]) -> None:
        while not self._stop.is_set():
            once(duty)
            self._stop.wait(EVERY_S)
        connection.close()


rounds = Rounds()


@worker_ready.connect
def _on_ready(**_: object) -> None:
    tending = partial(
        housekeeping.tend,
        partial(task_queue.ring, task_queue.EXPERIMENT),
        partial(task_queue.ring, task_queue.PREFLIGHT),
    )
    rounds.start(tending, restores.pay_all)


@worker_shutting_down.connect
def _on_stop(**_: object) -> None:
    rounds.stop()
