"""One installation of Durascope: its parts, an attached server, a sandbox, and the database behind it all."""

import shutil
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from django.core.management import call_command
from django.db import InterfaceError, OperationalError, close_old_connections

from dashboard.installation import vault
from dashboard.local import ports, programs, redis
from dashboard.local.processes import Program
from dashboard.records.servers.models import Server
from tests.bench.chaos import found
from tests.bench.chaos.parts import Parts
from tests.bench.chaos.place import Place
from tests.bench.chaos.relay import Relay
from tests.bench.chaos.target import TargetServer
from tests.real.clock import Clock
from workers.servers import keys

Answer = TypeVar("Answer")
LOOK_EVERY_S = 0.2
DATABASE_LIMIT_S = 60
HOST = "127.0.0.1"


class Installation:
    """`longest_s`: how long a fault that lasts may last."""

    def __init__(self, place: Place, workers: int, longest_s: float) -> None:
        self.place, self.longest_s = place, longest_s
        self._held = ExitStack()
        try:
            self._make(workers)
        except BaseException:
            self._held.close()
            raise

    def _make(self, workers: int) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        vault.keys()  # made once, before two programs want them
        self.target = TargetServer(self.place.target)
        self._held.callback(self.target.remove)
        listening = self._held.enter_context(ports.listener(HOST, None))
        self.port, home = ports.port_of(listening), self.place.home
        self.clock = None if self.why_no_clock else Clock(self.place.base, datetime.now(UTC))
        known = {f"worker {n + 1}": self._worker() for n in range(workers)}
        known |= {"beat": programs.beat(home), "web": programs.web(home, HOST, listening)}
        self.parts = Parts({"redis": redis.program(home), **known})
        self._held.callback(self.parts.stop)
        self.parts.start()
        self.relay = Relay(self.target.address.port)
        self._held.callback(self.relay.close)
        self.attached = self._registered("target", self.target.address.port)
        self.proxied = self._registered("target behind a proxy", self.relay.port)
        shown = keys.seen(replace(self.target.address, tls="required"))
        self.pinned = self._registered(
            "target with a confirmed certificate",
            self.target.address.port,
            tls="required",
            certificate_pin=shown.certificate,
        )
        self.sandbox = Server.objects.create(name="sandbox", kind="sandbox", build="system-mariadb")

    @property
    def why_no_clock(self) -> str:
        return "" if shutil.which("gcc") else "gcc is not installed, which makes the library of a clock that jumps"

    def _worker(self) -> Program:
        """With a limit of memory and a clock that the bench sets."""
        argv = [sys.executable, "-m", "tests.bench.chaos.worker", str(self.place.memory)]
        return replace(programs.worker(self.place.home), argv=argv, env=self.clock.environment if self.clock else {})

    def _registered(self, name: str, port: int, **known: str) -> Server:
        address = self.target.address
        made = Server(name=name, kind="attached", host=address.host, port=port, user=address.user, **known)
        made.set_password(address.password)
        made.save()
        return made

    def close(self) -> None:
        self._held.close()

    def pause(self, seconds: float = LOOK_EVERY_S) -> None:
        """Wait, and start again meanwhile what has ended."""
        deadline = time.monotonic() + seconds
        while True:
            self.parts.check()
            left = deadline - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(LOOK_EVERY_S, left))

    def until(self, true: Callable[[], bool], limit_s: float) -> bool:
        """Whether it became true within the limit."""
        deadline = time.monotonic() + limit_s
        while not true():
            if time.monotonic() > deadline:
                return False
            self.pause()
        return True

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """Of the database, which may be away or locked for a while."""
        deadline = time.monotonic() + DATABASE_LIMIT_S
        while True:
            try:
                return question()
            except (OperationalError, InterfaceError):
                if time.monotonic() > deadline:
                    raise
                close_old_connections()
                self.pause()

    def processes(self, words: str = "") -> dict[int, str]:
        """Those that parts have started, and that the parts themselves are not."""
        outside = [self.place.target, self.place.base / "pg"]
        known = set(self.parts.pids().values())
        return {pid: line for pid, line in found.processes(self.place.base, known, outside).items() if words in line}

    def logs(self) -> list[Path]:
        return sorted((self.place.home / "logs").glob("*.log"))
