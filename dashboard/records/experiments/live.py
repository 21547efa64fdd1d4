"""The seconds of a running cell, sent by the worker to the live page through Redis. If they are lost, the page shows
the rows of the database. A measurement never waits for Redis.

A worker appends each second once to a list. A reader asks for the seconds that it does not have.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

import redis
from django.conf import settings

from dashboard.records.fleet import redis_answers

KEEP_S = 120
Second = tuple[float, float, float | None]  # t_s, tps, p95_ms


@lru_cache(maxsize=1)
def _redis() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5)


def mark(claimed_at: datetime | None) -> str:
    """The claim of a cell as text; "" for a cell that is not claimed."""
    return claimed_at.astimezone(UTC).isoformat() if claimed_at else ""


def _key(experiment_id: int) -> str:
    return f"durascope:live:{experiment_id}"


def _list(experiment_id: int, series: str) -> str:
    return f"{_key(experiment_id)}:{series}"


class LiveWriter:
    """Writes the seconds of one cell. `mark` identifies the claim of the cell. Warm-up and measurement are separate
    series, and so is the second attempt after sysbench aborted."""

    def __init__(self, experiment_id: int, mark: str) -> None:
        self._experiment_id, self._mark = experiment_id, mark
        self._begin(warming=True, number=0)

    def tell(self, second: Second, warming: bool) -> None:
        began_again = bool(self._seconds) and second[0] <= self._seconds[-1][0]
        if warming != self._warming or began_again:
            self._begin(warming, self._number + 1)
        self._seconds.append(second)
        told = self._write(self._seconds[-1:])
        if told not in (None, len(self._seconds)):  # Redis was restarted and lost some
            self._write(self._seconds, anew=True)

    def _begin(self, warming: bool, number: int) -> None:
        self._warming, self._number = warming, number
        self._seconds: list[Second] = []
        self._write([])

    def _write(self, seconds: list[Second], anew: bool = False) -> int | None:
        """How many seconds of this series Redis has; None if Redis does not answer."""
        series = f"{self._mark} {self._number}"
        head = {"mark": self._mark, "series": series, "warming": self._warming}
        rows = _list(self._experiment_id, series)
        try:
            with _redis().pipeline() as together:
                together.set(_key(self._experiment_id), json.dumps(head), ex=KEEP_S)
                if anew:
                    together.delete(rows)
                if seconds:
                    together.rpush(rows, *map(json.dumps, seconds))
                together.expire(rows, KEEP_S)
                together.llen(rows)
                return int(together.execute()[-1])
        except redis.RedisError:
            return None


@dataclass(frozen=True)
class LivePosition:
    """The seconds that a reader has: the first `count` of `series`."""

    series: str = ""
    count: int = 0


FROM_START = LivePosition()


@dataclass(frozen=True)
class LiveSeconds:
    """The seconds of a series from number `since` on. A reader that does not know the series gets all of them."""

    mark: str = ""
    series: str = ""
    warming: bool = False
    since: int = 0
    seconds: tuple[Second, ...] = ()


NO_SECONDS = LiveSeconds()


def latest(experiment_id: int, have: LivePosition = FROM_START) -> LiveSeconds:
    """The seconds that the reader does not have. NO_SECONDS if no cell runs or Redis does not answer."""
    try:
        raw = _redis().get(_key(experiment_id))
        if not raw:
            return NO_SECONDS
        head = json.loads(raw)
        since = have.count if have.series == head["series"] else 0
        rows = _redis().lrange(_list(experiment_id, head["series"]), since, -1)
    except redis.RedisError:
        return NO_SECONDS
    return LiveSeconds(**head, since=since, seconds=tuple(tuple(json.loads(row)) for row in rows))


def problem() -> tuple[str, str]:
    """(Why no task can be queued, what to do); two empty texts if Redis takes tasks."""
    try:
        redis_answers.must_take_tasks(_redis())
    except redis.RedisError as error:
        return redis_answers.why(error)
    return "", ""
