"""The doorbells: each carries one id and finds everything else in the database."""

import threading
from dataclasses import asdict
from functools import partial

from celery import shared_task
from django.utils import timezone

from dashboard.fleet import task_queue
from dashboard.history import update as history
from dashboard.notifications import post
from dashboard.nul import storable
from dashboard.schedules import nights
from dashboard.servers import actions as servers
from dashboard.servers.models import Preflight
from dashboard.servers.vault import KeyMissing
from workers import celery_config
from workers.conducting.conduct import conduct
from workers.servers import durability
from workers.servers import preflight as checks
from workers.servers.facts import Facts
from workers.servers.settings import SETTINGS
from workers.together import joiner
from workers.upkeep.heartbeat import pulse
from workers.upkeep.reach import unreachable

# One thread stays free: with all of them measuring for hours nobody would tend or test connections.
_room = threading.BoundedSemaphore(celery_config.worker_concurrency - 1)


@shared_task
def run_experiment(experiment_id: int) -> None:
    """Leaves the experiment queued when this worker has enough to do: `tend` rings again."""
    if not _room.acquire(blocking=False):
        return
    try:
        conduct(experiment_id, pulse.start())
    finally:
        _room.release()


@shared_task
def join_load(part_id: int) -> None:
    """Not heard by a worker that has enough to do: who needs it rings again."""
    if not _room.acquire(blocking=False):
        return
    try:
        joiner.join(part_id, pulse.start())
    finally:
        _room.release()


@shared_task
def preflight(preflight_id: int) -> None:
    worker = pulse.start()
    server = servers.begin_preflight(preflight_id, str(worker), worker.site)
    if server is None:
        return
    asked = Preflight.objects.get(pk=preflight_id)
    try:
        result = checks.run(server.target())
    except KeyMissing as lost:
        failed = {"key": "password", "title": "Password", "outcome": "failed", "says": str(lost), "mend": ""}
        servers.finish_preflight(asked, [failed], [], {})
        return
    facts = result.facts
    statements = [asdict(statement) for statement in durability.report(facts)] if facts else []
    found = storable([asdict(check) for check in result.checks]), statements, storable(_kept(facts))
    servers.finish_preflight(asked, *found)


def _kept(facts: Facts | None) -> dict:
    """What pages and plan reviews need to know of a server between preflights."""
    if facts is None:
        return {}
    present = {name: facts.variable(name) for name in SETTINGS if facts.variable(name) is not None}
    return {
        "flavour": facts.flavour,
        "version_text": facts.version_text,
        "engines": dict(facts.engines),
        "settings": present,
        "words": [list(row) for row in durability.settings_in_words(facts)],
        "max_connections": facts.variable("max_connections"),
    }


@shared_task
def watch_nights() -> None:
    """A minute's round. Messages whose bell went unheard, or that failed before, are rung for again."""
    now = timezone.now()
    ring_site = partial(task_queue.ring, task_queue.SCHEDULE, expires_s=60)
    nights.watch(now, run_experiment.delay, unreachable, ring_site)
    for waiting in post.waiting(now):
        deliver.delay(waiting)


@shared_task
def look_at_schedule(schedule_id: int) -> None:
    """The part of the minute's round that only a worker of the servers' site can do."""
    nights.look(schedule_id, timezone.now(), run_experiment.delay, unreachable)


@shared_task
def keep_history() -> None:
    history.keep(timezone.now(), run_experiment.delay, pulse.start().host)


@shared_task
def deliver(delivery_id: int) -> None:
    post.deliver(delivery_id, timezone.now())
