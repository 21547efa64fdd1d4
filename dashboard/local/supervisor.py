"""Keeps one program running: starts it again after it ends. The pause grows if it keeps ending early."""

import time
from collections.abc import Callable

from dashboard.local.processes import Child, Program, bound_log

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
STEADY_AFTER_S = 60.0  # a child that ran this long did not fail at its start


class Supervisor:
    def __init__(self, program: Program, say: Callable[[str], None]) -> None:
        self.program = program
        self._say = say
        self._pause_s = FIRST_PAUSE_S
        self._due_at: float | None = None
        self.child = Child(program)

    def check(self) -> None:
        """Called regularly: starts an ended child after its pause, and limits the size of its log."""
        bound_log(self.program.log)
        if self._due_at is not None:
            if time.monotonic() >= self._due_at:
                self._due_at = None
                self.child = Child(self.program)
        elif self.child.status is not None:
            self._announce(self.child.status)

    def stop(self) -> None:
        self._due_at = None
        self.child.stop()

    def _announce(self, status: int) -> None:
        now = time.monotonic()
        if now - self.child.started_at > STEADY_AFTER_S:
            self._pause_s = FIRST_PAUSE_S
        self._due_at = now + self._pause_s
        self._say(
            f"{self.program.name} ended with status {status}; it is started again in {self._pause_s:.0f} s "
            f"(log: {self.program.log})."
        )
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
