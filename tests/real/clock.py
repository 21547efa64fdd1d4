"""A clock for processes that a test starts: it goes as the real one does, from where the test has set it. What they
measure by the monotonic clock, and how long they sleep, is true."""

import mmap
import struct
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

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
