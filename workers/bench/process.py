"""One child process, which cannot outlive the worker. It is read line by line and stopped within a second."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from workers.errors import Cancelled, LoadError
from workers.host.child import ENDS_WITH_US

POLL_S = 0.2  # between two checks for cancellation
TERM_S = 1.0  # from SIGTERM to SIGKILL


@contextmanager
def started(argv: Sequence[str], env: Mapping[str, str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The running process, with output and errors in one pipe. It is ended when the block is left.

    It has its own session, so that Ctrl-C at a terminal reaches the worker first. The parent-death signal depends on
    the calling thread, which stays in the block while the process runs.
    """
    child = subprocess.Popen(
        [*ENDS_WITH_US, *argv],
        env=dict(env),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        _end(child)
        if child.stdout:
            child.stdout.close()


def lines(child: subprocess.Popen[bytes], limit: "TimeLimit", cancelled: Callable[[], bool]) -> Iterator[str]:
    """Its output, one line at a time, until it ends. Raises Cancelled, or LoadError beyond the time limit."""
    pending = b""
    for chunk in _chunks(child, limit, cancelled):
        *whole, pending = (pending + chunk).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in whole)
    if pending:
        yield pending.decode("utf-8", "replace")


class TimeLimit:
    """The end of waiting. `shorten` it after a fatal error."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def shorten(self, seconds: float) -> None:
        self._end = min(self._end, time.monotonic() + seconds)

    def check(self) -> None:
        if time.monotonic() > self._end:
            raise LoadError(
                f"sysbench did not end within {self._seconds:.0f} s and was stopped.",
                "See whether the server hangs (SHOW PROCESSLIST, its error log, a full disk), then measure again.",
            )


def _chunks(child: subprocess.Popen[bytes], limit: TimeLimit, cancelled: Callable[[], bool]) -> Iterator[bytes]:
    output = child.stdout.fileno() if child.stdout else -1
    readable = select.poll()
    readable.register(output, select.POLLIN)
    asked = float("-inf")
    while True:
        if time.monotonic() - asked >= POLL_S:
            asked = time.monotonic()
            limit.check()
            if cancelled():
                raise Cancelled("The load was stopped because a user cancelled.")
        if readable.poll(POLL_S * 1000):
            chunk = os.read(output, 65536)
            if not chunk:
                return
            yield chunk


def _end(child: subprocess.Popen[bytes]) -> None:
    """SIGTERM, then SIGKILL after a second. Nothing when it has ended."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if child.poll() is None:
            child.send_signal(number)
            try:
                child.wait(TERM_S)
            except subprocess.TimeoutExpired:
                continue
    child.wait()
