"""The time that a folder's device takes to make a write durable.

A server writes in two ways: it *appends* to a growing file (binlog: each flush also writes the file's new size) or
*overwrites* in place (redo log). Both go through the page cache, and fdatasync follows each write.
"""

import errno
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from workers.errors import SandboxError
from workers.host import temporary

SIZES = (512, 4096, 16384, 65536, 262144, 1048576)
REGION_BYTES = 8 << 20  # both ways begin again at its end; a multiple of every size
Way = Literal["append", "overwrite"]


@dataclass(frozen=True)
class FlushTimes:
    """`n` writes of `size_bytes`, each with its fdatasync, and the distribution of their times."""

    way: Way
    size_bytes: int
    n: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
    mean_ms: float


@dataclass(frozen=True)
class DeviceProbe:
    """All sizes of both ways; ordered by way, then size."""

    flushes: tuple[FlushTimes, ...]


def probe(folder: Path, *, sizes: Sequence[int] = SIZES, seconds_each: float = 0.25) -> DeviceProbe:
    """Measure in `folder` for `seconds_each` per size, shared by the two ways; the file used is removed.

    SandboxError: the folder cannot be written to, or the disk is full.
    """
    seconds = seconds_each / 2
    try:
        with temporary.file(folder, "probe") as fd:
            appends = [_measure(fd, "append", size, seconds) for size in sizes]
            _write(fd, os.urandom(REGION_BYTES), 0)
            os.fsync(fd)
            overwrites = [_measure(fd, "overwrite", size, seconds) for size in sizes]
    except OSError as error:
        raise SandboxError(
            f"The device under {folder} could not be probed: {error.strerror or error}.",
            "The probe's file was removed. Free some space, or check who may write there.",
        ) from error
    return DeviceProbe((*appends, *overwrites))


def _measure(fd: int, way: Way, size: int, seconds: float) -> FlushTimes:
    block = os.urandom(size)  # a device may compress or drop zeros
    times_ms: list[float] = []
    offset, deadline = 0, time.perf_counter() + seconds
    while not times_ms or time.perf_counter() < deadline:
        if way == "append" and offset == 0:
            os.ftruncate(fd, 0)
        times_ms.append(durable_ms(fd, block, offset))
        offset = (offset + size) % REGION_BYTES
    p50, p95, p99 = (float(p) for p in np.percentile(times_ms, (50, 95, 99)))
    return FlushTimes(way, size, len(times_ms), p50, p95, p99, max(times_ms), float(np.mean(times_ms)))


def durable_ms(fd: int, block: bytes, offset: int) -> float:
    """The time of a write and its fdatasync. OSError: the disk is full, or fails."""
    began = time.perf_counter()
    _write(fd, block, offset)
    os.fdatasync(fd)
    return (time.perf_counter() - began) * 1000


def _write(fd: int, block: bytes, offset: int) -> None:
    """A short write means that the disk is full."""
    if os.pwrite(fd, block, offset) != len(block):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
