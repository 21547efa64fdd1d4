"""The Celery tasks. Each carries one id and finds everything else in the database."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from dashboard.history import update as history
from dashboard.installation import newer_database
from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments import lifecycle, why_queued
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import task_queue
from dashboard.records.notifications import post
from dashboard.records.retention import thin_out as retention
from dashboard.records.schedules import nights
from workers import celery_config
from workers.conducting.conduct import conduct
from workers.together import joiner
from workers.upkeep import connections
from workers.upkeep.heartbeat import heartbeat

THINNING_S = 60.0  # in one hour; the next goes on
log = logging.getLogger(__name__)


class MeasuringThreads:
    """The threads of a worker that may measure."""

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


# One thread never measures: connection tests, messages and schedules do not wait for hours of measurements.
threads = MeasuringThreads(celery_config.worker_concurrency - 1)


def _is_old() -> bool:
    """A newer version migrated the database since this worker started. Newer workers do what comes regularly."""
    try:
        newer_database.check()
    except newer_database.NewerDatabase as newer:
        log.warning("%s", newer)
        return True
    return False


@shared_task
def run_experiment(experiment_id: int) -> None:
    threads.conduct(experiment_id, lambda pk: conduct(pk, heartbeat.start()))


@shared_task
def join_load(part_id: int) -> None:
    """A worker without a free thread, or an old one, leaves the part; the conductor sends the task again."""
    if not _is_old():
        threads.run(lambda: joiner.join(part_id, heartbeat.start()))


@shared_task
def preflight(preflight_id: int) -> None:
    connections.run_preflight(preflight_id, heartbeat.start())


@shared_task
def watch_nights() -> None:
    """Once a minute: start what is due, and send messages whose task was lost or that failed before."""
    if _is_old():
        return
    now = timezone.now()
    tell_site = partial(task_queue.send, task_queue.SCHEDULE, expires_s=60)
    nights.watch(now, experiments.notify_workers, connections.unreachable, tell_site)
    for message in post.waiting(now):
        deliver.delay(message)


@shared_task
def look_at_schedule(schedule_id: int) -> None:
    """The part of `watch_nights` that only a worker of the servers' site can do."""
    if _is_old():
        return
    nights.look(schedule_id, timezone.now(), experiments.notify_workers, connections.unreachable)


@shared_task
def keep_history() -> None:
    """Once a minute."""
    if _is_old():
        return
    history.keep(timezone.now(), experiments.notify_workers, heartbeat.start().host)


@shared_task
def thin_out() -> None:
    """Once an hour."""
    if _is_old():
        return
    retention.thin_out(timezone.now(), settings.KEEP_DAYS, THINNING_S)


@shared_task
def deliver(delivery_id: int) -> None:
    post.deliver(delivery_id, timezone.now())
