"""An address whose server changes: a TCP relay that looks into a file for the port of each new connection. So a command
in another process moves it, as a vendor moves the name of a managed server."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.real.served import relay


@contextmanager
def moving_address(file: Path) -> Iterator[int]:
    """A port of 127.0.0.1. `file` holds the port that it leads to."""
    with closing(relay(lambda: int(file.read_text()))) as served:
        yield served.port
