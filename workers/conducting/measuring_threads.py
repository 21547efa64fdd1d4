"""The threads of a worker that may measure."""

import threading
from collections.abc import Callable
from functools import partial

from dashboard.records.experiments import lifecycle, why_queued
from dashboard.records.experiments.models import Experiment


class MeasuringThreads:
    def __init__(self, threads: int) -> None:
        self._free = threading.BoundedSemaphore(threads)

    def conduct(self, experiment_id: int, conduct: Callable[[int], object]) -> None:
        """Without a free thread the experiment stays queued; housekeeping sends its task again."""
        if not self.run(partial(conduct, experiment_id)):
            lifecycle.say(Experiment(pk=experiment_id), why_queued.NO_FREE_THREAD)

    def run(self, work: Callable[[], object]) -> bool:
        """False: no thread is free, and nothing was done."""
        if not self._free.acquire(blocking=False):
            return False
        try:
            work()
        finally:
            self._free.release()
        return True
