"""A mount namespace of the worker's own (mount_namespaces(7)).

A container that is started on the host copies all mounts of the host. While it has a copy of a simulated disk, that
disk is in use and cannot lose its power. What is mounted in another namespace it neither sees nor copies. These mounts
end with the last process of their namespace. The process of a disk lives outside: as the last one it would wait for
ever for its own answer to the unmount.
"""

import ctypes
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from workers.host import environment
from workers.sandbox import process
from workers.sandbox.disk import loops, system
from workers.sandbox.disk.fuse import SOURCE

CLONE_NEWNS = 0x20000
MS_REC, MS_SLAVE = 1 << 14, 1 << 19

log = logging.getLogger(__name__)


def enter() -> None:
    """This process, and all that it starts, mounts for itself from now on. What the host mounts later is seen here. To
    be called before there are other threads, which would stay outside. Without the right to mount nothing happens."""
    process.keep_one_outside()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) or libc.mount(None, b"/", None, ctypes.c_ulong(MS_REC | MS_SLAVE), None):
        log.info("no mount namespace of its own: %s", os.strerror(ctypes.get_errno()))
        return
    for point in _copied():
        system.let_go(point)


def _copied() -> Iterator[Path]:
    """Mount points of disks that other processes of the host simulate, the last mounted first."""
    mounts = environment.mounts()
    files = {one.point for one in mounts if one.file_system == "fuse" and one.device == SOURCE}
    devices = {f"/dev/{name}" for name, file in loops.attached() if file in files}
    return (Path(one.point) for one in reversed(mounts) if one.point in files or one.device in devices)
