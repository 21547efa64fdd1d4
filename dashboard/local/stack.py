"""Durascope on one machine: Redis, worker, beat and web server as children of this process, in this order."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from django.core.management import call_command
from django.db import OperationalError

from dashboard.installation import usable, vault
from dashboard.installation.home import redis_url
from dashboard.local import ports, programs, redis
from dashboard.local.claim import claimed
from dashboard.local.errors import LocalError
from dashboard.local.processes import Program, Supervisor

CHECK_EVERY_S = 0.5
SBIN = "/usr/local/sbin:/usr/sbin:/sbin"  # mariadbd is there, but the PATH of most users lacks these folders

Say = Callable[[str], None]
_ending = threading.Event()  # a signal asked this process to end


class Stack:
    """The running parts. Main thread only: see processes.py."""

    def __init__(self, home: Path, address: str, say: Say) -> None:
        self.address = address
        self._env = {
            "DURASCOPE_HOME": str(home),
            "DURASCOPE_REDIS": redis_url(),
            "PATH": f"{os.environ.get('PATH', os.defpath)}:{SBIN}",
            "PYTHONUNBUFFERED": "1",
        }
        self._say = say
        self._supervisors: list[Supervisor] = []

    def start(self, *together: Program) -> None:
        """Start these at the same time and wait until all are ready."""
        started = [Supervisor(replace(program, env=self._env), self._say) for program in together]
        self._supervisors += started
        for supervisor in started:
            supervisor.child.wait_until_ready()

    def check(self) -> None:
        for supervisor in self._supervisors:
            supervisor.check()

    def watch(self) -> None:
        while not _ending.is_set():
            self.check()
            time.sleep(CHECK_EVERY_S)
        raise KeyboardInterrupt

    def stop(self) -> None:
        """The last started stops first. If stopping is interrupted, the remaining parts are killed."""
        try:
            for supervisor in reversed(self._supervisors):
                supervisor.stop()
        finally:
            for supervisor in self._supervisors:
                supervisor.child.stop(limit_s=0)


@contextmanager
def running(home: Path, host: str, port: int | None, say: Say) -> Iterator[Stack]:
    """The whole stack, ready to use. It is stopped at the end of the block.

    Raises Unusable, and LocalError if a part cannot start. SIGTERM and SIGHUP count as Ctrl-C.
    """
    interrupt_on_end()
    usable.check_installation()
    with claimed(home) as note, ports.listener(host, port) as listening:
        stack = Stack(home, ports.address(host, ports.port_of(listening)), say)
        note(stack.address)
        try:
            _migrate()
            call_command("collectstatic", verbosity=0, interactive=False)
            vault.keys()  # made once, before two programs read them
            if "DURASCOPE_REDIS" not in os.environ:
                stack.start(redis.program(home))
            stack.start(programs.worker(home), programs.beat(home), programs.web(home, host, listening))
            yield stack
        finally:
            try:
                say("Stopping web server, beat, worker and Redis.")
            finally:  # also if the terminal or pipe is closed
                stack.stop()


def _migrate() -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as silent:
        raise LocalError(
            f"The database cannot be used: {str(silent).strip()} Nothing was started.",
            "With DATABASE_URL: is PostgreSQL running, and does it let this user in? Else: is the home's disk full?",
        ) from silent


def interrupt_on_end() -> None:
    """SIGTERM and a closed terminal end the stack like Ctrl-C. With nohup, a closed terminal is ignored."""
    _ending.clear()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Python drops an exception that is raised in a destructor, so `Stack.watch` asks whether there was a signal."""
    _ending.set()
    raise KeyboardInterrupt
