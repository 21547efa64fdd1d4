"""How long does this folder's device take to make a write durable?

Two ways of writing, as a server has them: *append* to a growing file (binlog: each flush also writes the file's
new size) and *overwrite* in place (redo log). Both through the page cache, each write followed by fdatasync.
"""

import errno
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from workers.errors import SandboxError
from workers.host import temporary

SIZES = (512, 4096, 16384, 65536, 262144, 1048576)
REGION_BYTES = 8 << 20  # overwriting goes round in it, appending starts anew at its end; a multiple of every size
Way = Literal["append", "overwrite"]


@dataclass(frozen=True)
class FlushTimes:
    """`n` writes of `size_bytes`, each with its fdatasync: the distribution of the time taken."""

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
    """One look at a device; ordered by way, then size."""

    flushes: tuple[FlushTimes, ...]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


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
            "The probe's file was removed. Make room, or check who may write there.",
        ) from error
    return DeviceProbe((*appends, *overwrites))


def _measure(fd: int, way: Way, size: int, seconds: float) -> FlushTimes:
    block = os.urandom(size)  # a device may compress or drop zeros
    times: list[float] = []
    offset, deadline = 0, time.perf_counter() + seconds
    while not times or time.perf_counter() < deadline:
        if way == "append" and offset == 0:
            os.ftruncate(fd, 0)
        times.append(_flush(fd, block, offset))
        offset = (offset + size) % REGION_BYTES
    return _summary(way, size, np.array(times) * 1e3)


def _flush(fd: int, block: bytes, offset: int) -> float:
    began = time.perf_counter()
    _write(fd, block, offset)
    os.fdatasync(fd)
    return time.perf_counter() - began


def _write(fd: int, block: bytes, offset: int) -> None:
    """A short write is how a disk says that it is full just now."""
    if os.pwrite(fd, block, offset) != len(block):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _summary(way: Way, size: int, ms: np.ndarray) -> FlushTimes:
    p50, p95, p99 = (float(p) for p in np.percentile(ms, (50, 95, 99)))
    return FlushTimes(way, size, len(ms), p50, p95, p99, float(ms.max()), float(ms.mean()))
