"""What a trial has made, and how it ends: it is removed in any case, and whatever waits for a server ends when the
server is dead."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

ASK_S = 0.2  # how often somebody who cancels is asked


class Made(ExitStack):
    """`close` removes everything, the newest first. `kill`, from another thread, ends the oldest first: a server that
    waits for its disk cannot be killed before the disk gives way."""

    def __init__(self) -> None:
        super().__init__()
        self._kills: list[Callable[[], None]] = []

    def killed_by(self, kill: Callable[[], None]) -> None:
        self._kills.append(kill)

    def kill(self) -> None:
        for kill in tuple(self._kills):
            kill()

    @contextmanager
    def killed_when(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """While the block runs, `kill` once when `cancelled` says so."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(ASK_S):
                if cancelled():
                    return self.kill()

        watcher = threading.Thread(target=watch, name="cancel", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
