"""Faults of the host: memory, clock, and the disk of the sandboxes."""

import os
import time
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta

from redis import Redis, RedisError

from dashboard.installation.home import redis_url
from tests.bench.chaos.scene import Scene
from tests.bench.chaos.worker import OWN

USED_BYTES, LIMIT_BYTES = 97 << 20, 100 << 20
REDIS_LIMIT_S = 60
JUMPS = tuple(sign * timedelta(seconds=seconds) for seconds in (5, 90, 3600, 6 * 3600) for sign in (1, -1))


def memory_limit_reached(scene: Scene) -> str:
    """The limit comes last: without it the group is not limited."""
    group, seconds = scene.installation.place.memory, scene.a_while()
    (group / OWN).write_text("0::/\n")
    (group / "memory.stat").write_text("inactive_file 0\n")
    (group / "memory.current").write_text(f"{USED_BYTES}\n")
    (group / "memory.max").write_text(f"{LIMIT_BYTES}\n")
    try:
        scene.installation.pause(seconds)
    finally:
        (group / "memory.max").unlink()
    return f"for {seconds:.0f} s"


def redis_out_of_memory(scene: Scene) -> str | None:
    seconds, had = scene.a_while(), _redis_limit("1")
    if had is None:
        return None
    try:
        scene.installation.pause(seconds)
    finally:
        scene.installation.until(lambda: _redis_limit(had) is not None, REDIS_LIMIT_S)
    return f"for {seconds:.0f} s"


def _redis_limit(to: str) -> str | None:
    """The limit before. None: it does not answer."""
    try:
        with closing(Redis.from_url(redis_url(), socket_timeout=2, decode_responses=True)) as link:
            had = link.config_get("maxmemory")["maxmemory"]
            link.config_set("maxmemory", to)
            return had
    except RedisError:
        return None


def clock_jump(scene: Scene) -> str:
    """Of all workers and of what they start; never that of the host."""
    clock, seconds, jump = scene.installation.clock, scene.a_while(), scene.chance.choice(JUMPS)
    clock.set(datetime.now(UTC) + jump)
    try:
        scene.installation.pause(seconds)
    finally:
        clock.set(datetime.now(UTC))
    return f"{jump.total_seconds():+.0f} s, for {seconds:.0f} s"


def sandbox_disk_full(scene: Scene) -> str:
    seconds, file = scene.a_while(), scene.installation.place.sandboxes / "fill"
    deadline = time.monotonic() + seconds
    with file.open("wb") as filling:
        try:
            while time.monotonic() < deadline:
                _fill(filling.fileno())
                scene.installation.pause()
        finally:
            file.unlink()
    return f"for {seconds:.0f} s"


def _fill(file: int) -> None:
    """Reserved and not written: it takes no time, and no room of the host."""
    for size in (1 << 30, 64 << 20, 1 << 20, 4096):
        with suppress(OSError):
            while True:
                os.posix_fallocate(file, os.fstat(file).st_size, size)
