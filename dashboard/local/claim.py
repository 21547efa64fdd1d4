"""One stack per home. The claim is a file lock: the kernel releases it when its process ends, so it is never stale like
a pid file. The file names the process and its address."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.local.errors import LocalError


@contextmanager
def claimed(home: Path) -> Iterator[Callable[[str], None]]:
    """Claim this home. Yields a function that stores the stack's address. Raises LocalError if a stack runs on it."""
    with (home / "up.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as taken:
            lock.seek(0)
            raise LocalError(
                f"Durascope already runs on {home} ({lock.read().strip() or 'it is just starting'}); "
                "nothing was started, and the one that runs was left alone.",
                "Stop it with Ctrl-C in its terminal, or set DURASCOPE_HOME to another folder for a second one.",
            ) from taken

        def note(address: str) -> None:
            lock.truncate(0)
            lock.write(f"process {os.getpid()}, {address}\n")
            lock.flush()

        lock.truncate(0)
        yield note
        lock.truncate(0)
