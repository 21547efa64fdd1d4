"""A proxy before the attached server: it passes everything on, and may be turned towards another server."""

import contextlib
from collections.abc import Iterator

from tests.real import served


class Relay:
    """`port`: where it listens."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._served = served.relay(lambda: self._behind)
        self.port = self._served.port

    def close(self) -> None:
        self._served.close()

    @contextlib.contextmanager
    def towards(self, port: int) -> Iterator[None]:
        """New connections go there."""
        before, self._behind = self._behind, port
        try:
            yield
        finally:
            self._behind = before
