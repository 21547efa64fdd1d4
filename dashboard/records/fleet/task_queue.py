"""Notifies workers: a Celery task carries the id of a waiting row and nothing else. A lost message does no harm:
housekeeping sends another for every row that still waits."""

import socket

from django.conf import settings
from kombu.exceptions import OperationalError
from redis import RedisError

from dashboard.records.fleet import redis_answers, site_names
from workers.celery import app

EXPERIMENT = "workers.tasks.run_experiment"
PREFLIGHT = "workers.tasks.preflight"
DELIVERY = "workers.tasks.deliver"
SCHEDULE = "workers.tasks.look_at_schedule"
JOIN = "workers.tasks.join_load"
BROKEN = (OperationalError, RedisError, OSError)


class QueueDown(Exception):
    """No task can be sent. `why`: what Redis does."""

    def __init__(self, why: str = redis_answers.SILENT, fix: str = redis_answers.START) -> None:
        super().__init__(
            f"The message queue (Redis) {why}. {fix} Your request is stored and runs by itself once Redis takes tasks."
        )
        self.why, self.fix = why, fix


def send(task: str, row_id: int, site: str | None = None, host: str = "", expires_s: float | None = None) -> None:
    """Send to the workers of a site, to those on one of its hosts, or without a site to any worker. Raises QueueDown.
    Each call opens a connection, because a kept one would break when Redis is restarted."""
    queue = site_names.queue(site, host) if site else site_names.ANYBODY
    try:
        with app.connection_for_write() as fresh:
            app.send_task(task, (row_id,), connection=fresh, retry=False, queue=queue, expires=expires_s)
    except BROKEN as broken:
        raise QueueDown(*redis_answers.why(broken)) from broken


def worker_answers(pid: int) -> bool:
    """Whether the worker with this process id on this host takes tasks. Other workers may use the same Redis."""
    node = f"{settings.SITE}.{pid}@{socket.gethostname()}"  # `-n` of manage.py worker
    try:
        with app.connection_for_write() as fresh:
            return bool(app.control.ping(destination=[node], timeout=0.3, connection=fresh))
    except BROKEN:
        return False
