"""Each worker tends its own site and host: a round as soon as it is there, for a server may have been left down, and
then one every few seconds, as long as it lives. What is owed is paid in a thread of its own: an owner's start command
may take minutes, and nobody else's experiment waits for that."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from celery.signals import worker_ready, worker_shutting_down
from django.db import close_old_connections, connection

from workers import bell, debts
from workers.tend import tend

EVERY_S = 10.0
log = logging.getLogger(__name__)


class Rounds:
    def __init__(self) -> None:
        self._stop = threading.Event()

    def start(self) -> None:
        tending = partial(tend, partial(bell.ring, bell.EXPERIMENT), partial(bell.ring, bell.PREFLIGHT))
        for duty in (tending, debts.pay_all):
            threading.Thread(target=self._go, args=[duty], name="rounds", daemon=True).start()

    def stop(self) -> None:
        """No further round begins; one that is under way is left to end by itself, or with the process."""
        self._stop.set()

    def _go(self, duty: Callable[[], None]) -> None:
        while not self._stop.is_set():
            try:
                close_old_connections()
                duty()
            except Exception:
                log.exception("a round of %s", duty)
            self._stop.wait(EVERY_S)
        connection.close()


rounds = Rounds()


@worker_ready.connect
def _on_ready(**_: object) -> None:
    rounds.start()


@worker_shutting_down.connect
def _on_stop(**_: object) -> None:
    rounds.stop()
