"""The parts of the installation, started again when they end, as a service manager does."""

import os
import signal
import time
from collections.abc import Mapping

from dashboard.local.processes import Child, Program

AGAIN_AFTER_S = 1.0


class Parts:
    """Main thread only: a child dies with the thread that started it."""

    def __init__(self, programs: Mapping[str, Program]) -> None:
        self._programs = dict(programs)
        self._children: dict[str, Child] = {}
        self._ended_at: dict[str, float] = {}

    def start(self) -> None:
        for name, program in self._programs.items():
            self._children[name] = Child(program)
        for child in self._children.values():
            child.wait_until_ready()

    def check(self) -> None:
        for name, child in list(self._children.items()):
            if child.status is None:
                continue
            if time.monotonic() - self._ended_at.setdefault(name, time.monotonic()) >= AGAIN_AFTER_S:
                self.again(name)

    def named(self, kind: str) -> list[str]:
        """`worker`: worker 1, worker 2."""
        return [name for name in self._programs if name.partition(" ")[0] == kind]

    def pids(self) -> dict[str, int]:
        """Of those that run."""
        return {name: child.pid for name, child in self._children.items() if child.status is None}

    def not_ready(self) -> list[str]:
        up = self.pids()
        return [name for name, one in self._programs.items() if name not in up or not one.ready(up[name])]

    def signal(self, name: str, number: signal.Signals) -> int | None:
        """The process id; None when it does not run."""
        if pid := self.pids().get(name):
            os.kill(pid, number)
        return pid

    def again(self, name: str) -> None:
        self._ended_at.pop(name, None)
        self._children[name] = Child(self._programs[name])

    def stop(self, without: tuple[str, ...] = ()) -> None:
        """`check` starts them again."""
        ending = [child for name, child in self._children.items() if name not in without]
        for child in ending:
            child.ask_to_stop()
        for child in ending:
            child.stop()
