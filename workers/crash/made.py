"""Everything that a trial has made. It is removed in any case; killing the server ends every wait for it."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

log = logging.getLogger(__name__)
ASK_S = 0.2  # between two checks for cancellation


class Made(ExitStack):
    """`close` removes everything, the newest first. `kill`, from another thread, ends the oldest first: a disk must
    give way before its server can be killed."""

    def __init__(self) -> None:
        super().__init__()
        self._kills: list[Callable[[], None]] = []

    def killed_by(self, kill: Callable[[], None]) -> None:
        self._kills.append(kill)

    def kill(self) -> None:
        """A kill that fails does not spare the others."""
        for kill in tuple(self._kills):
            try:
                kill()
            except Exception:
                log.exception("killing what a trial made")

    def tidied(self) -> dict[str, str]:
        """A note about what could not be removed. It does not change the verdict."""
        try:
            self.close()
        except Exception:
            log.exception("tidying up after a trial")
            says = "A disk or a folder of this trial could not be removed at once. The worker tries again."
            return {"left behind": says}
        return {}

    @contextmanager
    def killed_when(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """While the block runs, `kill` whenever `cancelled` is true: a server may have started since the last kill."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(ASK_S):
                if cancelled():
                    self.kill()

        watcher = threading.Thread(target=watch, name="cancel", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
