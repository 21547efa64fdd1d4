"""The file of a recording: a header, then one event after another.

The disk's process appends each event at once, so a process that is killed leaves a file that ends early and is
otherwise whole. Reading trusts nothing: a server decided what was written.
"""

import contextlib
import os
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from workers.errors import SandboxError

MAGIC = b"DSdisk\x01\n"
HEADER = struct.Struct("<8sQQ")  # magic, bytes of the disk, time of the begin
EVENT = struct.Struct("<BxxxIQQ")  # kind, bytes, time, offset; the data of a write follow
MOST_DATA_BYTES = 1 << 21  # of one write; the kernel sends 1 MiB at most


class Kind(IntEnum):
    WRITE = 1
    FLUSH_BEGAN = 2  # everything written before it is being made durable
    FLUSH_ENDED = 3  # and is durable; whoever asked is told after this moment
    FLUSH_FAILED = 4  # the host's disk was full: nothing became durable
    FLUSH_IGNORED = 5  # a lying disk acknowledged a flush
    END = 9  # `offset` is its reason


class RecordingEnd(IntEnum):
    """Why a recording ended."""

    BROKEN_OFF = 0  # no end was written: the disk's process died
    STOPPED = 1
    BOUND = 2  # it had reached its largest size
    NO_SPACE = 3  # the host could not store more
    POWER = 4  # the disk lost its power


@dataclass(frozen=True, slots=True)
class DiskEvent:
    """`at_ns`: monotonic clock. `data`: where the file holds the data of a write."""

    kind: Kind
    at_ns: int
    offset: int = 0
    length: int = 0
    data: int = 0


class Recorder:
    """Appends to an open, empty file of at most `most_bytes`. When that is reached, or the host's disk is full, the
    recording ends there; the disk goes on."""

    def __init__(self, fd: int, most_bytes: int, size_bytes: int, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self.end: RecordingEnd | None = None
        self._fd, self._most_bytes, self._clock = fd, most_bytes, clock
        self.n_bytes = HEADER.size
        if os.write(fd, HEADER.pack(MAGIC, size_bytes, clock())) != HEADER.size:
            raise OSError("the recording could not be begun")

    def write(self, offset: int, data: bytes | memoryview) -> None:
        self._append(EVENT.pack(Kind.WRITE, len(data), self._clock(), offset), data)

    def note(self, kind: Kind) -> None:
        self._append(EVENT.pack(kind, 0, self._clock(), 0), b"")

    def stop(self, why: RecordingEnd = RecordingEnd.STOPPED) -> None:
        """Nothing is recorded afterwards. Without space for the end, the file ends with its last event."""
        if self.end is None:
            self.end = why
            with contextlib.suppress(OSError):
                self._store(EVENT.pack(Kind.END, 0, self._clock(), why), b"")
            os.close(self._fd)

    def _append(self, head: bytes, data: bytes | memoryview) -> None:
        if self.end is not None:
            return
        if self.n_bytes + 2 * EVENT.size + len(data) > self._most_bytes:
            return self.stop(RecordingEnd.BOUND)
        try:
            self._store(head, data)
        except OSError:
            self.stop(RecordingEnd.NO_SPACE)

    def _store(self, head: bytes, data: bytes | memoryview) -> None:
        if os.writev(self._fd, (head, data)) != len(head) + len(data):
            os.ftruncate(self._fd, self.n_bytes)  # no part of an event stays
            raise OSError("only a part was stored")
        self.n_bytes += len(head) + len(data)


@dataclass(frozen=True)
class Log:
    """What a recording's file says. `end_ns`: nothing is known of the time after it."""

    size_bytes: int
    began_ns: int
    end_ns: int
    end: RecordingEnd
    events: tuple[DiskEvent, ...]


def read(file: memoryview) -> Log:
    """SandboxError: no recorder wrote this."""
    size_bytes, began_ns = _header(file)
    events = list(_events(file))
    _check(events, size_bytes, began_ns)
    last = events[-1] if events else DiskEvent(Kind.FLUSH_BEGAN, began_ns)
    if last.kind is not Kind.END:
        return Log(size_bytes, began_ns, last.at_ns, RecordingEnd.BROKEN_OFF, tuple(events))
    return Log(size_bytes, began_ns, last.at_ns, RecordingEnd(last.offset), tuple(events[:-1]))


def _header(file: memoryview) -> tuple[int, int]:
    if len(file) < HEADER.size:
        raise _unreadable("it has no header")
    magic, size_bytes, began_ns = HEADER.unpack_from(file)
    if magic != MAGIC:
        raise _unreadable("it begins otherwise than this version's recordings")
    return size_bytes, began_ns


def _events(file: memoryview) -> Iterator[DiskEvent]:
    """Up to an event that is not complete."""
    at = HEADER.size
    while at + EVENT.size <= len(file):
        number, length, at_ns, offset = EVENT.unpack_from(file, at)
        at += EVENT.size
        try:
            event = DiskEvent(Kind(number), at_ns, offset, length, at)
        except ValueError:
            raise _unreadable(f"byte {at - EVENT.size:,} begins no event") from None
        at += length
        if at > len(file):
            return
        yield event


def _check(events: list[DiskEvent], size_bytes: int, began_ns: int) -> None:
    flushing, before = False, began_ns
    for number, event in enumerate(events):
        if why := _wrong(event, before, size_bytes, flushing, last=number == len(events) - 1):
            raise _unreadable(f"event {number:,} {why}")
        before = event.at_ns
        if event.kind in (Kind.FLUSH_BEGAN, Kind.FLUSH_ENDED, Kind.FLUSH_FAILED):
            flushing = event.kind is Kind.FLUSH_BEGAN


def _wrong(event: DiskEvent, before_ns: int, size_bytes: int, flushing: bool, *, last: bool) -> str:
    if event.at_ns < before_ns:
        return "is earlier than the event before it"
    if event.kind is Kind.END:
        return "" if last and event.offset in tuple(RecordingEnd) and not event.length else "is an end in the middle"
    if event.kind is Kind.WRITE:
        within = 0 < event.length <= MOST_DATA_BYTES and event.offset + event.length <= size_bytes
        return "" if within else "writes outside of the disk"
    if event.length:
        return "carries data and is no write"
    if event.kind is Kind.FLUSH_IGNORED:
        return ""
    return "" if flushing is (event.kind is not Kind.FLUSH_BEGAN) else "is a flush that does not follow"


def _unreadable(why: str) -> SandboxError:
    return SandboxError(f"The recording of the disk cannot be read: {why}.", "Record the load again.")
