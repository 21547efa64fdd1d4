"""A clock for processes that a test starts: it goes as the real one does, from where the test has set it. What they
measure by the monotonic clock, and how long they sleep, is true."""

import mmap
import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from django.db import connections

SOURCE = Path(__file__).with_suffix(".c")
MICROSECOND = timedelta(microseconds=1)


class Clock:
    """`set` it as often as needed: the processes see it at once."""

    def __init__(self, folder: Path, now: datetime) -> None:
        self._library, file = folder / "clock.so", folder / "clock"
        build = ["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(self._library), str(SOURCE)]
        subprocess.run(build, check=True)
        file.write_bytes(bytes(8))
        with file.open("r+b") as opened:
            self._ahead = mmap.mmap(opened.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(self._library), "SHIFTED_CLOCK": str(file)}
        self.set(now)

    def set(self, now: datetime) -> None:
        self._apart = now - datetime.now(UTC)
        self._ahead[:] = struct.pack("q", self._apart // MICROSECOND * 1000)

    @property
    def now(self) -> datetime:
        return datetime.now(UTC) + self._apart


@contextmanager
def clock_at(now: datetime) -> Iterator[Clock]:
    """One that a database of its own sees too: a worker does not start where its clock is not the database's."""
    with tempfile.TemporaryDirectory(prefix="ds-clock-") as folder:
        Path(folder).chmod(0o755)  # for the user that PostgreSQL runs as
        clock = Clock(Path(folder), now)
        _restart_database(clock.environment)
        try:
            yield clock
        finally:
            _restart_database({})


def _restart_database(environment: dict[str, str]) -> None:
    """Only where it is a process: SQLite's clock is that of whoever asks."""
    from tests import settings  # here, for they make a home: the chaos has one of its own

    if server := getattr(settings, "server", None):
        connections.close_all()
        server.stop()
        with patch.dict(os.environ, environment):
            server.start()
