"""Can this host simulate a power loss? It is tried on a small disk."""

import contextlib
import functools
import mmap
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.host.ability import CAP_SYS_ADMIN, first_problem, holds, why_not_opened
from workers.sandbox.disk.tools import SYSTEM_PATH
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.sweep import sweep

ROOT = Path("/run/durascope-disk")  # only root can write in /run, and the check is for root only
SIZE_BYTES = 64 << 20
FLUSH_US = 20_000
BLOCK_BYTES = 4096
CONTAINER = "In a container: docker run --cap-add SYS_ADMIN --device /dev/fuse --device /dev/loop-control"


@functools.cache
def missing() -> str:
    """Why this host cannot simulate a power loss, and what to do; "" when it can. Takes a second, once per process."""
    return first_problem(CHECKS)


def _privilege() -> str:
    says = f"The worker may not mount (no CAP_SYS_ADMIN). Run it as root. {CONTAINER} ..."
    return "" if holds(CAP_SYS_ADMIN) else says


def _namespace() -> str:
    """The kernel allows loop devices and ext4 in the initial user namespace only."""
    if Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]:
        return ""
    return "The worker runs in a user namespace (a rootless container): it cannot mount a loop device. Run it outside."


def _device(node: str, says: str, fix: str) -> str:
    hint = f"{CONTAINER} --device-cgroup-rule 'b 7:* rwm' ..."
    why = why_not_opened(node)
    return f"{says}, or the worker may not open it ({why}). Try: {fix}. {hint}" if why else ""


def _tools() -> str:
    lacking = [tool for tool in ("mkfs.ext4", "e2fsck") if not shutil.which(tool, path=SYSTEM_PATH)]
    return f"Not installed: {', '.join(lacking)}. Install it: apt-get install e2fsprogs" if lacking else ""


def _a_real_cut() -> str:
    """A flushed block must survive a cut, an unflushed one must not, and the flush must take its time."""
    sweep(ROOT)
    try:
        with VolatileDisk.create(ROOT / "live" / str(os.getpid()), SIZE_BYTES) as disk:
            return _verdict(*cut_one(disk))
    except (SandboxError, OSError) as error:
        return f"A test of a volatile disk failed: {reason(error)}"
    finally:
        with contextlib.suppress(OSError):  # another worker may use it
            (ROOT / "live").rmdir()
            ROOT.rmdir()


def cut_one(disk: VolatileDisk) -> tuple[bytes, float]:
    """(the two blocks after a cut, seconds that the flush took)."""
    file, block = disk.mnt / "file", mmap.mmap(-1, BLOCK_BYTES)
    with file.open("wb") as prepared:
        prepared.write(b"0" * 2 * BLOCK_BYTES)
        prepared.flush()
        os.fsync(prepared.fileno())
    fd = os.open(file, os.O_RDWR | os.O_DIRECT)
    try:
        disk.storage(FLUSH_US)
        block[:] = b"S" * BLOCK_BYTES
        os.pwrite(fd, block, 0)
        began = time.monotonic()
        os.fdatasync(fd)
        seconds = time.monotonic() - began
        block[:] = b"U" * BLOCK_BYTES
        os.pwrite(fd, block, BLOCK_BYTES)
    finally:
        os.close(fd)
        block.close()
    disk.cut()
    disk.power_on()
    return file.read_bytes(), seconds


def _verdict(found: bytes, flush_s: float) -> str:
    if found != b"S" * BLOCK_BYTES + b"0" * BLOCK_BYTES:
        return "A simulated power loss did not lose exactly the unflushed data: no verdict would be reliable."
    if flush_s < FLUSH_US / 1e6:
        return (
            f"Flushes do not reach the volatile disk: one took {1000 * flush_s:.1f} ms instead of {FLUSH_US // 1000}."
        )
    return ""


CHECKS: tuple[Callable[[], str], ...] = (
    _privilege,
    _namespace,
    functools.partial(_device, "/dev/fuse", "The kernel has no FUSE", "modprobe fuse"),
    functools.partial(_device, "/dev/loop-control", "The kernel has no loop devices", "modprobe loop"),
    _tools,
    _a_real_cut,
)
