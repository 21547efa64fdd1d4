"""How does the time of an fsync grow with the bytes that it makes durable? The points for `analysis.fsync_model`.

Sizes from 512 bytes to 16 MiB, each a write through the page cache and an fdatasync. All sizes are measured once in
every round, and the rounds repeated: a device that becomes slower meanwhile slows all sizes, not the last ones.
*Append* lets a file grow, as a binlog does (its new size is flushed too); *overwrite* stays in place, as a redo log
does.

Small sizes are flushed several times one after the other, as a busy log and `device_probe` do it: a rate of fsyncs is
a rate of such. One that stands alone finds the processor asleep and the clock's tick gone by, so that ext4 without a
journal writes the file's times as well. And every block begins on a page: N bytes that lie across the border of two
make both of them dirty, and a model of N would be told a wrong one.
"""

import errno
import os
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workers.errors import SandboxError
from workers.host import temporary

SIZES = (512, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20)
LEAST_S, MOST_S = 1.5, 8.0
MOST_ROUNDS = 15
LEAST_SIZES = 4
LEAST_ROUNDS = 5  # an interval needs them
REGION_BYTES = 48 << 20  # appending starts anew at its end
PAGE_BYTES = 4096
BURST_S = 0.01  # a size is flushed one time after the other for that long, once at least
DEARER = 16  # a size whose first flush takes more than this part of the time given ends the ladder of sizes
Way = Literal["append", "overwrite"]


@dataclass(frozen=True)
class SweepPoint:
    """One value for each round, the median of its flushes; `times_ms` of all sizes of a way are of the same rounds."""

    way: Way
    size_bytes: int
    times_ms: tuple[float, ...]


@dataclass(frozen=True)
class FsyncSweep:
    """By way, then size. `left_out`: sizes that the device is too slow for in the time given."""

    times: tuple[SweepPoint, ...]
    took_s: float
    left_out: tuple[int, ...] = ()


def seconds_for(load_s: float) -> float:
    """How long a sweep may take before that many seconds of load: a thirtieth of them."""
    return min(MOST_S, max(LEAST_S, load_s / 30))


def sweep(folder: Path, *, seconds: float = MOST_S, sizes: Sequence[int] = SIZES) -> FsyncSweep:
    """Measure in `folder` for about that long, less on a fast device; the file used is removed.

    SandboxError: the folder cannot be written to, or the disk is full.
    """
    began = time.monotonic()
    try:
        with temporary.file(folder, "sweep") as fd:
            times, left_out = _Ladder(fd, seconds, sizes).climb()
    except OSError as error:
        raise SandboxError(
            f"The device under {folder} could not be measured by size: {error.strerror or error}.",
            "The file used was removed. Make room (48 MiB are enough), or check who may write there.",
        ) from error
    return FsyncSweep(times, time.monotonic() - began, left_out)


class _Ladder:
    """The file that is written, and the sizes that fit the time."""

    def __init__(self, fd: int, seconds: float, sizes: Sequence[int]) -> None:
        self._fd, self._seconds, self._deadline = fd, seconds, time.monotonic() + seconds
        self._sizes = sorted(sizes)
        self._block = os.urandom(self._sizes[-1])  # a device may compress or drop zeros
        self._order = random.Random(20170)  # noqa: S311 - an order, not a secret

    def climb(self) -> tuple[tuple[SweepPoint, ...], tuple[int, ...]]:
        steps = self._affordable(self._fd)
        rounds = self._rounds(self._fd, steps)
        found = tuple(
            SweepPoint(way, size, tuple(one[way, size] for one in rounds))
            for way in ("append", "overwrite")
            for size in steps
        )
        return found, tuple(size for size in self._sizes if size not in steps)

    def _affordable(self, fd: int) -> list[int]:
        """The first climb is not counted: it warms the file system up and finds out what the device can do."""
        dear_ms = 1000 * self._seconds / DEARER
        for place, size in enumerate(self._sizes):
            if max(_both_ways(fd, self._block[:size]).values()) > dear_ms:
                return self._sizes[: max(place, LEAST_SIZES)]
        return self._sizes

    def _rounds(self, fd: int, steps: Sequence[int]) -> list[dict[tuple[Way, int], float]]:
        rounds: list[dict[tuple[Way, int], float]] = []
        while len(rounds) < LEAST_ROUNDS or (len(rounds) < MOST_ROUNDS and self._another(len(rounds))):
            rounds.append(self._round(fd, steps))
        return rounds

    def _another(self, made: int) -> bool:
        """Whether one more is likely to end in time."""
        left = self._deadline - time.monotonic()
        return left > (self._seconds - left) / (made + 1)

    def _round(self, fd: int, steps: Sequence[int]) -> dict[tuple[Way, int], float]:
        """Every size once each way, in random order, so that no size always follows the largest."""
        took: dict[tuple[Way, int], float] = {}
        for size in self._order.sample(steps, len(steps)):
            for way, ms in _both_ways(fd, self._block[:size]).items():
                took[way, size] = ms
        return took


def _both_ways(fd: int, block: bytes) -> dict[Way, float]:
    """Overwritten is what the appends have just made durable."""
    start = _room_for(fd, len(block))
    appended = _burst_ms(fd, block, start, (REGION_BYTES - start) // len(block))
    overwritten = _burst_ms(fd, block, start, len(appended))
    return {"append": statistics.median(appended), "overwrite": statistics.median(overwritten)}


def _room_for(fd: int, n_bytes: int) -> int:
    """The first page behind the file's end."""
    start = -(-os.fstat(fd).st_size // PAGE_BYTES) * PAGE_BYTES
    if start + n_bytes <= REGION_BYTES:
        return start
    os.ftruncate(fd, 0)
    os.fsync(fd)
    return 0


def _burst_ms(fd: int, block: bytes, start: int, most: int) -> list[float]:
    """One block behind the other, each with its flush."""
    times: list[float] = []
    deadline = time.perf_counter() + BURST_S
    while not times or (len(times) < most and time.perf_counter() < deadline):
        times.append(_timed_ms(fd, block, start + len(times) * len(block)))
    return times


def _timed_ms(fd: int, block: bytes, offset: int) -> float:
    began = time.perf_counter()
    _write(fd, block, offset)
    os.fdatasync(fd)
    return (time.perf_counter() - began) * 1000


def _write(fd: int, block: bytes, offset: int) -> None:
    if os.pwrite(fd, block, offset) != len(block):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
