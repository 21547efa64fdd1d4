"""A Redis and workers that the tests of one file share. They start when a test first asks for them, and again after a
test that ended them.

Tests empty the database when they end. A worker whose row is gone registers anew with its next heartbeat, so a test
waits for that at most, instead of starting processes."""

from pathlib import Path

from django.conf import settings

from dashboard.installation import vault
from dashboard.local import redis
from dashboard.local.processes import Child
from dashboard.records.fleet.models import Worker
from tests.real import parts
from tests.real.parts import until


class Crew:
    def __init__(self, sandbox_root: Path) -> None:
        self._root = sandbox_root
        self.redis: Child | None = None
        self._workers: list[Child] = []

    def of(self, count: int) -> list[Child]:
        """That many workers and no more, registered, with a Redis that answers."""
        self._serve()
        self._workers = [child for child in self._workers if child.status is None]
        while len(self._workers) > count:
            self._workers.pop().stop()
        keys = {"DURASCOPE_PASSWORD_KEYS": " ".join(vault.keys())}
        program = parts.worker_of(self._root, keys)
        self._workers += [Child(program) for _ in range(count - len(self._workers))]
        pids = [child.pid for child in self._workers]
        until(lambda: self._registered(pids))
        return list(self._workers)

    def _serve(self) -> None:
        if self.redis is None or self.redis.status is not None:
            self.redis = Child(redis.program(settings.HOME))
            self.redis.wait_until_ready()

    def _registered(self, pids: list[int]) -> bool:
        """And nobody else is taken for alive."""
        ended = [child.program.log for child in self._workers if child.status is not None]
        assert not ended, f"a worker ended at once: {ended}"
        alive = Worker.objects.alive().values_list("pid", flat=True)
        return sorted(alive.filter(listens=True)) == sorted(pids) == sorted(alive)

    def end(self) -> None:
        everything = [*self._workers, *([self.redis] if self.redis else [])]
        for child in self._workers:
            child.ask_to_stop()
        for child in everything:
            child.stop()
