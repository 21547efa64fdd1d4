"""One recording as it lies in its folder: `base`, a copy of the disk's image when it began, and `events`."""

import mmap
import os
import weakref
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from workers.errors import SandboxError, reason
from workers.sandbox import untrusted
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording import events
from workers.sandbox.disk.recording.events import DiskEvent, Log

BASE, EVENTS = "base", "events"


@dataclass(frozen=True)
class Recording:
    """`base`: the image file at the begin, which nobody changes.

    It is read and not mapped: on a full tmpfs a mapped hole would end the process."""

    log: Log
    base: Path
    _base_fd: int
    _file: memoryview

    @classmethod
    def load(cls, folder: Path) -> Self:
        """SandboxError: it is incomplete, or no recording."""
        try:
            file, base_fd = _mapped(folder / EVENTS), _descriptor(folder / BASE)
        except (OSError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise SandboxError(f"There is no recording in {folder}: {why}.", "Record the load again.") from error
        try:
            log = events.read(file)
            if os.fstat(base_fd).st_size != log.size_bytes:
                raise SandboxError(f"The base in {folder} is of another disk than the events.", "Record again.")
            recording = cls(log, folder / BASE, base_fd, file)
        except BaseException:
            os.close(base_fd)
            raise
        weakref.finalize(file, os.close, base_fd)  # changed copies of the recording share both
        return recording

    @property
    def events(self) -> tuple[DiskEvent, ...]:
        return self.log.events

    def content(self, event: DiskEvent) -> memoryview:
        """The data of a write."""
        return self._file[event.data : event.data + event.length]

    def base_block(self, number: int) -> bytes:
        return os.pread(self._base_fd, BLOCK_BYTES, number * BLOCK_BYTES)

    def moment(self, at_ns: int) -> int:
        """The number of events that had happened by that time."""
        return bisect_right(self.events, at_ns, key=lambda event: event.at_ns)


def _mapped(path: Path) -> memoryview:
    with untrusted.opened(path) as file:
        return memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))


def _descriptor(path: Path) -> int:
    with untrusted.opened(path) as file:
        return os.dup(file.fileno())
