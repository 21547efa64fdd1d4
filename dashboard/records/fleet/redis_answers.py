"""Whether Redis takes tasks, and words for why it does not. A Redis that answers PING may still refuse each task: it is
full, a replica, or its account lacks rights."""

import redis
from redis import exceptions

NAME = "durascope:check"  # of a key and a channel
KEPT_S = 60
SILENT = "does not answer"
START = "Start Redis."
# What Redis says, in the order in which it is looked up: a class stands before its base.
REFUSALS = (
    (exceptions.OutOfMemoryError, "is full", "Raise its maxmemory, or give Durascope a Redis of its own."),
    (exceptions.ReadOnlyError, "is a read-only replica", "Name its primary in DURASCOPE_REDIS."),
    (exceptions.NoPermissionError, "gives its account too few rights", "It needs ~* &* +@all -@admin."),
    (exceptions.AuthenticationError, "refuses its account", "Correct DURASCOPE_REDIS."),
    (exceptions.AuthorizationError, "refuses its account", "Correct DURASCOPE_REDIS."),
    (exceptions.ResponseError, "refuses to write", "Read its log."),
)


def must_take_tasks(client: redis.Redis) -> None:
    """Raises RedisError. A task is written; workers of one load and Celery hear of each other by channels."""
    client.set(NAME, "", ex=KEPT_S)
    client.publish(NAME, "")


def why(error: BaseException | None) -> tuple[str, str]:
    """(What Redis does, what to do) for an error, or for what caused it."""
    while error is not None:
        for kind, what, fix in REFUSALS:
            if isinstance(error, kind):
                return what, fix
        error = error.__cause__ or error.__context__
    return SILENT, START
