"""One recording as it lies in its folder: `base`, a copy of the disk's image when it began, and `events`."""

import mmap
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from workers.errors import SandboxError, reason
from workers.sandbox import untrusted
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording import events
from workers.sandbox.disk.recording.events import Event, Log

BASE, EVENTS = "base", "events"


@dataclass(frozen=True)
class Recording:
    """`base`: the image file at the begin, which nobody changes. Its bytes and those of the events are mapped."""

    log: Log
    base: Path
    _base: memoryview
    _file: memoryview

    @classmethod
    def load(cls, folder: Path) -> Self:
        """SandboxError: it is incomplete, or no recording."""
        try:
            file, base = _mapped(folder / EVENTS), _mapped(folder / BASE)
        except (OSError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise SandboxError(f"There is no recording in {folder}: {why}.", "Record the load again.") from error
        log = events.read(file)
        if len(base) != log.size_bytes:
            raise SandboxError(f"The base in {folder} is of another disk than the events.", "Record the load again.")
        return cls(log, folder / BASE, base, file)

    @property
    def events(self) -> tuple[Event, ...]:
        return self.log.events

    def content(self, event: Event) -> memoryview:
        """The data of a write."""
        return self._file[event.data : event.data + event.length]

    def base_block(self, number: int) -> memoryview:
        return self._base[number * BLOCK_BYTES : (number + 1) * BLOCK_BYTES]

    def moment(self, at_ns: int) -> int:
        """The number of events that had happened by that time."""
        return bisect_right(self.events, at_ns, key=lambda event: event.at_ns)


def _mapped(path: Path) -> memoryview:
    with untrusted.opened(path) as file:
        return memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
