"""What a running cell looks like right now, told through Redis. May be lost without harm: a page that misses it
shows the database's word only, and a measurement never waits for it."""

import json
from functools import lru_cache
from typing import Any

import redis
from django.conf import settings

KEEP_S = 120


@lru_cache(maxsize=1)
def _redis() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5)


def _key(experiment_id: int) -> str:
    return f"durascope:live:{experiment_id}"


def publish(experiment_id: int, picture: dict[str, Any]) -> None:
    """Tell the newest picture: {cell, warming, seconds: [[t_s, tps, p95_ms], ...]}."""
    try:
        _redis().set(_key(experiment_id), json.dumps(picture), ex=KEEP_S)
    except redis.RedisError:
        return


def latest(experiment_id: int) -> dict[str, Any]:
    """The newest picture, {} when there is none or Redis cannot be asked."""
    try:
        raw = _redis().get(_key(experiment_id))
    except redis.RedisError:
        return {}
    return json.loads(raw) if raw else {}


def answers() -> bool:
    """Whether Redis can be asked."""
    try:
        return bool(_redis().ping())
    except redis.RedisError:
        return False
