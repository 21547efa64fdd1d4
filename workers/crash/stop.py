"""Stopping a trial that is in the middle of something: whatever waits for a server ends when the server is dead."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ASK_S = 0.2  # how often somebody who cancels is asked


@contextmanager
def killing(cancelled: Callable[[], bool], kill: Callable[[], None]) -> Iterator[None]:
    """While the block runs, call `kill` once when `cancelled` says so."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(ASK_S):
            if cancelled():
                return kill()

    watcher = threading.Thread(target=watch, name="cancel", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
