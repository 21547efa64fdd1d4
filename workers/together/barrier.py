"""Workers wait for each other before they load one server together. Each blocks on a Redis list of its own; the
conductor fills all lists in one step. No clocks of two hosts are compared."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import redis
from django.conf import settings

from dashboard.records.experiments.models import Part
from dashboard.records.fleet import redis_answers
from workers.bench.load import LoadSecond
from workers.errors import Cancelled, TogetherError

KEEP_S = 120
LOOK_EVERY_S = 1  # how often a waiting worker checks whether it was cancelled
ANSWER_S = 5.0
TELL_S = 0.2  # a slow write would delay reading the next second from sysbench
TRIPS = 5
TOLD = ("tps", "qps", "writes", "errors")


@dataclass(frozen=True)
class Opened:
    """`at`: when a worker learned it, by its own clock; `late_s`: the barrier opened at most so much earlier."""

    at: float
    late_s: float


class Barrier:
    """One connection to wait on, one for the live page. Raises TogetherError when Redis does not answer."""

    def __init__(self) -> None:
        self._redis = redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=LOOK_EVERY_S + ANSWER_S, socket_connect_timeout=ANSWER_S
        )
        self._live = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=TELL_S, socket_connect_timeout=TELL_S)

    def __enter__(self) -> "Barrier":
        """Connected before a worker is ready: neither the connection nor the pings may delay its start."""
        with _answering():
            self._redis.ping()  # the connection is made with the first
            self._trip_s = max(self._asked() for _ in range(TRIPS))
        self._closed = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self._redis.close()
        self._live.close()

    def _asked(self) -> float:
        began = time.monotonic()
        self._redis.ping()
        return time.monotonic() - began

    def open(self, parts: Sequence[Part]) -> Opened:
        with _answering():
            all_at_once = self._redis.pipeline(transaction=True)
            for part in parts:
                all_at_once.rpush(_key(part, "go"), 1)
                all_at_once.expire(_key(part, "go"), KEEP_S)
            asked = time.monotonic()
            all_at_once.execute()
            now = time.monotonic()
            return Opened(now, now - asked)

    def wait(self, part: Part, cancelled: Callable[[], bool]) -> Opened:
        """Raises Cancelled. If Redis did not keep the question waiting, the barrier may have opened before it."""
        closed, asked = self._closed, time.monotonic()
        with _answering():
            while not self._redis.blpop([_key(part, "go")], timeout=LOOK_EVERY_S):
                closed = time.monotonic()
                if cancelled():
                    raise Cancelled("The others did not wait for this part any more.")
                asked = time.monotonic()
        now = time.monotonic()
        unseen_s = 0.0 if now - asked > TRIPS * self._trip_s else now - closed
        return Opened(now, unseen_s + self._trip_s)

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
        why, fix = redis_answers.why(silent)
        raise TogetherError(
            f"Redis {why}: {silent}. Workers need it to start the load together.",
            f"{fix} Then resume the experiment.",
        ) from silent
