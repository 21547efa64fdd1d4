"""Workers wait for each other before they load one server together. Each blocks on a Redis list of its own; the
conductor fills all lists in one step. No clocks of two hosts are compared."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence

import redis
from django.conf import settings

from dashboard.records.experiments.models import Part
from workers.bench.load import LoadSecond
from workers.errors import Cancelled, TogetherError

KEEP_S = 120
LOOK_EVERY_S = 1  # how often a waiting worker checks whether it was cancelled
ANSWER_S = 5.0
TELL_S = 0.2  # a slow write would delay reading the next second from sysbench
TRIPS = 5
TOLD = ("tps", "qps", "writes", "errors")


class Barrier:
    """One connection to wait on, one for the live page. Raises TogetherError when Redis does not answer."""

    def __init__(self) -> None:
        self._redis = redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=LOOK_EVERY_S + ANSWER_S, socket_connect_timeout=ANSWER_S
        )
        self._live = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=TELL_S, socket_connect_timeout=TELL_S)

    def __enter__(self) -> "Barrier":
        return self

    def __exit__(self, *_: object) -> None:
        self._redis.close()
        self._live.close()

    def trip_s(self) -> float:
        """The longest of a few round trips: no worker learns later than this that the barrier is open."""
        with _answering():
            self._redis.ping()  # the connection is made with the first
            return max(self._asked() for _ in range(TRIPS))

    def _asked(self) -> float:
        began = time.monotonic()
        self._redis.ping()
        return time.monotonic() - began

    def open(self, parts: Sequence[Part]) -> None:
        with _answering():
            all_at_once = self._redis.pipeline(transaction=True)
            for part in parts:
                all_at_once.rpush(_key(part, "go"), 1)
                all_at_once.expire(_key(part, "go"), KEEP_S)
            all_at_once.execute()

    def wait(self, part: Part, cancelled: Callable[[], bool]) -> float:
        """Returns when it opened, by this process's own clock. Raises Cancelled."""
        with _answering():
            while not self._redis.blpop([_key(part, "go")], timeout=LOOK_EVERY_S):
                if cancelled():
                    raise Cancelled("The others did not wait for this part any more.")
            return time.monotonic()

    def tell(self, part: Part, second: LoadSecond) -> None:
        """Publish the newest second of a part, for the live page. It may be lost without harm."""
        with contextlib.suppress(redis.RedisError):
            self._live.set(_key(part, "second"), json.dumps([getattr(second, name) for name in TOLD]), ex=KEEP_S)

    def told(self, parts: Sequence[Part]) -> list[dict[str, float]]:
        """The newest second of each part that has published one."""
        with contextlib.suppress(redis.RedisError):
            found = self._live.mget([_key(part, "second") for part in parts])
            return [dict(zip(TOLD, json.loads(one), strict=True)) for one in found if one]
        return []


def _key(part: Part, what: str) -> str:
    return f"durascope:part:{part.pk}:{part.attempt.timestamp()}:{what}"


@contextlib.contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as silent:
        raise TogetherError(
            f"Redis did not answer: {silent}. Workers need it to start the load together.",
            "Start Redis, then resume the experiment.",
        ) from silent
