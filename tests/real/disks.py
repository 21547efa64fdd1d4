"""For tests of volatile disks: skip where the host has none, count what could leak, write around the page cache."""

import contextlib
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workers.sandbox.disk import ability, loops

needs_disk = pytest.mark.skipif(bool(ability.missing()), reason=ability.missing() or "-")
BLOCK_BYTES = 4096
LET_GO = """for point in $(awk '$1 ~ "^/dev/loop" {print $2}' /proc/mounts); do
    [ "$point" = "$1" ] || umount --lazy "$point"
done
"""


def with_own_mounts(script: str, *argv: object) -> tuple[str, ...]:
    """The command that runs a script of bash, with its arguments, in a mount namespace of its own. There, all simulated
    disks but the first argument are let go: their copies would make power losses of other tests unclear."""
    return ("unshare", "--mount", "bash", "-c", LET_GO + script, "bash", *map(str, argv))


@contextmanager
def direct(file: Path) -> Iterator:
    """`write(number, byte)` overwrites a block past the page cache and returns the descriptor."""
    block, fd = mmap.mmap(-1, BLOCK_BYTES), os.open(file, os.O_RDWR | os.O_DIRECT)

    def write(number: int, byte: bytes) -> int:
        block[:] = byte * BLOCK_BYTES
        os.pwrite(fd, block, number * BLOCK_BYTES)
        return fd

    try:
        yield write
    finally:
        os.close(fd)
        block.close()


def flushed_file(file: Path, blocks: int, byte: bytes = b"0") -> Path:
    with file.open("wb") as out:
        out.write(byte * blocks * BLOCK_BYTES)
        out.flush()
        os.fsync(out.fileno())
    return file


def leavings(folder: Path) -> tuple[int, int, list[int]]:
    """Mounts in any mount namespace, loop devices, and disk processes that belong to the folder."""
    return len(mounts(folder)), len(loops.below(folder)), disk_processes(folder)


def mounts(below: Path) -> set[str]:
    """Mount points, as any process sees them."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.update(line.split()[4] for line in (process / "mountinfo").read_text().splitlines())
    return {point for point in found if point.startswith(f"{below}/")}


def disk_processes(folder: Path) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"workers.sandbox.disk" in line and os.fsencode(folder) in line:
            found.append(int(process.name))
    return found
