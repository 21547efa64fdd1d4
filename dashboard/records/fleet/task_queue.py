"""Tells workers that a row waits for them: a Celery task that carries the row's id and nothing else. A message may be
lost: the database is the truth, and housekeeping sends another for every row that still waits."""

import socket

from django.conf import settings
from kombu.exceptions import OperationalError
from redis import RedisError

from dashboard.records.fleet import site_names
from workers.celery import app

EXPERIMENT = "workers.tasks.run_experiment"
PREFLIGHT = "workers.tasks.preflight"
DELIVERY = "workers.tasks.deliver"
SCHEDULE = "workers.tasks.look_at_schedule"
JOIN = "workers.tasks.join_load"
BROKEN = (OperationalError, RedisError, OSError)


class QueueDown(Exception):
    """The message queue (Redis) does not answer. What was asked is queued and runs by itself once Redis is back."""


def send(task: str, row_id: int, site: str | None = None, host: str = "", expires_s: float | None = None) -> None:
    """To the workers of a site, or to those on one of its hosts; without a site to any worker. Raises QueueDown. The
    connection is a new one: one that was kept would be broken after a restart of Redis."""
    queue = site_names.queue(site, host) if site else site_names.ANYBODY
    try:
        with app.connection_for_write() as fresh:
            app.send_task(task, (row_id,), connection=fresh, retry=False, queue=queue, expires=expires_s)
    except BROKEN as broken:
        raise QueueDown(QueueDown.__doc__) from broken


def worker_answers(pid: int) -> bool:
    """Whether the worker of this host with this process id takes tasks; other workers may share its Redis."""
    node = f"{settings.SITE}.{pid}@{socket.gethostname()}"  # `-n` of manage.py worker
    try:
        with app.connection_for_write() as fresh:
            return bool(app.control.ping(destination=[node], timeout=0.3, connection=fresh))
    except BROKEN:
        return False
