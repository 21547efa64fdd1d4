"""The doorbell: tells the workers of a row's site that it waits for them (see `routes`). May go unheard, for `tend`
rings again."""

from kombu.exceptions import OperationalError
from redis import RedisError

from workers.celery import app

EXPERIMENT = "workers.tasks.run_experiment"
PREFLIGHT = "workers.tasks.preflight"
DELIVERY = "workers.tasks.deliver"
SCHEDULE = "workers.tasks.look_at_schedule"
JOIN = "workers.tasks.join_load"


class Silent(Exception):
    """The message queue (Redis) does not answer. What was asked is queued and runs by itself once Redis is back."""


def ring(task: str, row_id: int, *, queue: str | None = None, expires_s: float | None = None) -> None:
    """Raises Silent. `queue`: of these workers alone, whatever the row says. Over a connection of its own: one kept
    from before a restart of Redis would be broken."""
    try:
        with app.connection_for_write() as fresh:
            app.send_task(task, (row_id,), connection=fresh, retry=False, queue=queue, expires=expires_s)
    except (OperationalError, RedisError, OSError) as broken:
        raise Silent(Silent.__doc__) from broken
