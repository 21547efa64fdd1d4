"""The time of an fsync by the bytes that it makes durable: the points for `analysis.fsync_model`.

Sizes range from 512 bytes to 16 MiB, each a write through the page cache and an fdatasync. Every round measures all
sizes once, so a device that becomes slower slows all sizes. *Append* lets a file grow, as a binlog does (its new size
is flushed too). *Overwrite* stays in place, as a redo log does.

Small sizes are flushed several times in series, as a busy log and `device_probe` do. A single flush would find the
processor asleep, and ext4 without a journal would also write the file's times. Every block begins on a page: N bytes
across a border of pages would make both pages dirty, and the model would get a wrong N.
"""

import os
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError
from workers.host import temporary
from workers.metrics.device_probe import Way, durable_ms

SIZES = (512, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20)
LEAST_S, MOST_S = 1.5, 8.0
MOST_ROUNDS = 15
LEAST_SIZES = 4
LEAST_ROUNDS = 5  # an interval needs them
REGION_BYTES = 48 << 20  # appending begins again at its end
PAGE_BYTES = 4096
BURST_S = 0.01  # a size is flushed in series for that long, once at least
TOO_SLOW = 16  # a size whose first flush takes more than this part of the time is left out, with larger ones


@dataclass(frozen=True)
class SweepPoint:
    """`times_ms`: one value a round, the median of its flushes. All sizes have the same rounds."""

    way: Way
    size_bytes: int
    times_ms: tuple[float, ...]


@dataclass(frozen=True)
class FsyncSweep:
    """`times`: by way, then size. `left_out`: sizes for which the device is too slow in the given time."""

    times: tuple[SweepPoint, ...]
    took_s: float
    left_out: tuple[int, ...] = ()


def seconds_for(load_s: float) -> float:
    """The time for a sweep before a load of `load_s`: a thirtieth of it."""
    return min(MOST_S, max(LEAST_S, load_s / 30))


def sweep(folder: Path, *, seconds: float = MOST_S, sizes: Sequence[int] = SIZES) -> FsyncSweep:
    """Measure in `folder` for about `seconds`, less on a fast device. The file is removed.

    SandboxError: the folder cannot be written to, or the disk is full.
    """
    began = time.monotonic()
    try:
        with temporary.file(folder, "sweep") as fd:
            times, left_out = _Rounds(fd, seconds, sizes).measure()
    except OSError as error:
        raise SandboxError(
            f"The device under {folder} could not be measured by size: {error.strerror or error}.",
            "The file was removed. Free 48 MiB, or check who may write there.",
        ) from error
    return FsyncSweep(times, time.monotonic() - began, left_out)


class _Rounds:
    """Measures the sizes that fit the time, round by round."""

    def __init__(self, fd: int, seconds: float, sizes: Sequence[int]) -> None:
        self._fd, self._seconds, self._deadline = fd, seconds, time.monotonic() + seconds
        self._sizes = sorted(sizes)
        self._block = os.urandom(self._sizes[-1])  # a device may compress or drop zeros
        self._order = random.Random(20170)  # noqa: S311 - an order, not a secret

    def measure(self) -> tuple[tuple[SweepPoint, ...], tuple[int, ...]]:
        steps = self._affordable()
        rounds = self._rounds(steps)
        found = tuple(
            SweepPoint(way, size, tuple(one[way, size] for one in rounds))
            for way in ("append", "overwrite")
            for size in steps
        )
        return found, tuple(size for size in self._sizes if size not in steps)

    def _affordable(self) -> list[int]:
        """The first flushes are not counted: they warm the file system up and find sizes that are too slow."""
        most_ms = 1000 * self._seconds / TOO_SLOW
        for place, size in enumerate(self._sizes):
            if max(_both_ways(self._fd, self._block[:size]).values()) > most_ms:
                return self._sizes[: max(place, LEAST_SIZES)]
        return self._sizes

    def _rounds(self, steps: Sequence[int]) -> list[dict[tuple[Way, int], float]]:
        rounds: list[dict[tuple[Way, int], float]] = []
        while len(rounds) < LEAST_ROUNDS or (len(rounds) < MOST_ROUNDS and self._another(len(rounds))):
            rounds.append(self._round(steps))
        return rounds

    def _another(self, made: int) -> bool:
        """Whether one more round is likely to end in time."""
        left = self._deadline - time.monotonic()
        return left > (self._seconds - left) / (made + 1)

    def _round(self, steps: Sequence[int]) -> dict[tuple[Way, int], float]:
        """Every size once in each way, in random order, so that no size always follows the largest."""
        sizes = self._order.sample(steps, len(steps))
        return {(way, size): ms for size in sizes for way, ms in _both_ways(self._fd, self._block[:size]).items()}


def _both_ways(fd: int, block: bytes) -> dict[Way, float]:
    """The overwrites hit the blocks that were just appended."""
    start = _room_for(fd, len(block))
    appended = _burst_ms(fd, block, start, (REGION_BYTES - start) // len(block))
    overwritten = _burst_ms(fd, block, start, len(appended))
    return {"append": statistics.median(appended), "overwrite": statistics.median(overwritten)}


def _room_for(fd: int, n_bytes: int) -> int:
    """The first page after the file's end."""
    start = -(-os.fstat(fd).st_size // PAGE_BYTES) * PAGE_BYTES
    if start + n_bytes <= REGION_BYTES:
        return start
    os.ftruncate(fd, 0)
    os.fsync(fd)
    return 0


def _burst_ms(fd: int, block: bytes, start: int, most: int) -> list[float]:
    """Blocks in series, each with its flush."""
    times: list[float] = []
    deadline = time.perf_counter() + BURST_S
    while not times or (len(times) < most and time.perf_counter() < deadline):
        times.append(durable_ms(fd, block, start + len(times) * len(block)))
    return times
