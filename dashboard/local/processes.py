"""Child processes: started, watched, started again, stopped by their own pid, and killed when their parent dies.

Children run in their own session, so Ctrl-C reaches only the parent, which stops them in order. The parent-death signal
follows the *thread* that started the child: start children from the main thread only.
"""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from dashboard.local.errors import LocalError

LARGEST_LOG_BYTES = 5_000_000
COPIED_AT_ONCE = 1 << 20
TAIL_LINES = 12
POLL_S = 0.05
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
LOCALE = {"LC_ALL": "C.UTF-8"}  # each Debian has it. Redis 8 does not start in a locale that was not generated
STEADY_AFTER_S = 60.0  # a child that ran this long did not fail at its start
# The second half: if the parent died before the signal was set, the child has another parent and ends.
TIED = ("setpriv", "--pdeathsig", "KILL", "--", "sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"')


@dataclass(frozen=True)
class Program:
    """How to run a child, and its time limits for start and stop."""

    name: str
    argv: Sequence[str]
    cwd: Path
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[int], bool] = lambda pid: True  # is given the child's process id
    ready_limit_s: float = 180  # enough for a slow and busy machine
    stop_limit_s: float = 5
    inherits: Sequence[int] = ()  # descriptors of ours that stay open in the child


class Child:
    """A running child of this process. `stop` may be called at any time, also twice."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.started_at = time.monotonic()
        self._is_asked = False
        with open_log(program.log) as log:
            self._process = subprocess.Popen(
                [*TIED, str(os.getpid()), *program.argv],
                cwd=program.cwd,
                env={**os.environ, **LOCALE, **program.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=self.program.inherits,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def status(self) -> int | None:
        """The exit status (negative: the signal that ended it), or None while it runs."""
        return self._process.poll()

    def wait_until_ready(self) -> None:
        """Raises LocalError with the log's last lines when the child ends or is not ready in time."""
        deadline = self.started_at + self.program.ready_limit_s
        while not self.program.ready(self.pid):
            if self.status is not None:
                raise self._failure(f"{self.program.name} ended at once with status {self.status}.")
            if time.monotonic() > deadline:
                raise self._failure(f"{self.program.name} was not ready after {self.program.ready_limit_s:.0f} s.")
            time.sleep(POLL_S)

    def ask_to_stop(self) -> None:
        """Once: a second signal would stop a worker before it restored its servers."""
        if self.status is None and not self._is_asked:
            self._is_asked = True
            self._process.terminate()

    def stop(self, limit_s: float | None = None) -> None:
        """SIGTERM, then SIGKILL after the limit. Its own children die with it."""
        self.ask_to_stop()
        try:
            self._process.wait(self.program.stop_limit_s if limit_s is None else limit_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _failure(self, what: str) -> LocalError:
        log = self.program.log
        return LocalError(f"{what} The log is {log}; its last lines:\n{tail(log)}")


class Supervisor:
    """Keeps one program running: starts it again after it ends. The pause grows if it keeps ending early."""

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


def open_log(path: Path) -> BinaryIO:
    """The log, open for appending. The content of a large log is moved to NAME.1 first."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    bound_log(path)
    return path.open("ab")


def bound_log(path: Path) -> None:
    """Keep the log of a running child below LARGEST_LOG_BYTES: copy it to NAME.1 and empty it in place, because the
    child holds it open. The child appends, so it continues at the new end. Lines between the last copy and the emptying
    would be lost, so copying repeats until no line came."""
    if not path.exists() or path.stat().st_size <= LARGEST_LOG_BYTES:
        return
    with path.open("r+b") as log, path.with_name(path.name + ".1").open("wb") as kept:
        while content := log.read(COPIED_AT_ONCE):
            kept.write(content)
        log.truncate(0)


def tail(path: Path, lines: int = TAIL_LINES) -> str:
    text = path.read_text(errors="replace") if path.exists() else ""
    return "\n".join(f"  {line}" for line in text.splitlines()[-lines:]) or "  (nothing)"
