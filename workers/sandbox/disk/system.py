"""Mounts by system calls: mount(2), umount2(2).

No call may block a worker for ever: an unmount waits for its device, which may be dead.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import subprocess
import threading
import time
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.host import environment
from workers.sandbox.disk import loops

BLKFLSBUF = 0x1261
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_NOATIME = 2, 4, 8, 1024
MOUNTED = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME
MNT_DETACH = 2
PATIENCE_S = 5.0
POLL_S = 0.005


def mount_ext4(device: Path, point: Path, *, flushes: bool = True) -> None:
    """Mount, with the journal replayed. Inode tables are not written in the background, which would be load. Without
    `flushes` an fsync writes to the device and does not flush it."""
    how = b"noinit_itable" if flushes else b"noinit_itable,nobarrier"
    if _libc().mount(os.fsencode(device), os.fsencode(point), b"ext4", ctypes.c_ulong(MOUNTED), how):
        why = os.strerror(ctypes.get_errno())
        raise SandboxError(f"{device} could not be mounted on {point}: {why}.", "The kernel's log may say more.")


def write_out(point: Path) -> None:
    """Everything that the file system was given goes to the device. SandboxError: the device did not take it. A process
    of its own waits for a device that hangs: the worker could not be ended, and so the simulated disk neither."""
    done = subprocess.run(["sync", "--file-system", point], capture_output=True, text=True)
    if done.returncode:
        raise SandboxError(
            f"The file system of {point} could not be written out: {done.stderr.strip()}",
            "Look at the kernel's log (dmesg): the device may be broken or full.",
        )


def unmount(point: Path, patience_s: float = PATIENCE_S) -> None:
    """SandboxError: a process still uses it after that time, or the device does not answer."""
    deadline = time.monotonic() + patience_s
    while status := _umount2(point, 0, max(POLL_S, deadline - time.monotonic())):
        if status != errno.EBUSY or time.monotonic() > deadline:
            raise SandboxError(f"{point} could not be unmounted: {os.strerror(status)}.", "It is still mounted.")
        time.sleep(POLL_S)


def drop_cached(device: Path) -> None:
    """Drop the kernel's cache of an unmounted device. SandboxError: its file system is still mounted in another mount
    namespace. The next mount would show what that one holds in memory, and a power loss would lose nothing."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            loop = os.open(device, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)  # busy: a file system uses it
            break
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise SandboxError(
                    f"The file system of {device} could not be released: {reason(error)}.",
                    "A process in another mount namespace (a container) holds a copy of the mount. To find it: "
                    f"grep -l {device} /proc/[0-9]*/mountinfo. Repeat the trial when that process has ended.",
                ) from error
            time.sleep(POLL_S)
    try:
        fcntl.ioctl(loop, BLKFLSBUF, 0)
    finally:
        os.close(loop)


def mounts_below(folder: Path) -> list[tuple[Path, str]]:
    """(mount point, file system) of everything mounted in the folder, the last mounted first."""
    mounts = [(Path(mount.point), mount.file_system) for mount in reversed(environment.mounts())]
    return [mount for mount in mounts if mount[0].is_relative_to(folder)]


def dismantle(folder: Path) -> None:
    """Remove every mount and loop device in the folder, in any state. The processes that use them must be dead. A
    failure does not stop the others, but the file of a loop device that is still attached stays mounted: without it
    nobody could tell whose device it is. SandboxError: something is left."""
    folder = folder.resolve()
    _unmount_all(folder, fuse=False)
    for device, file in loops.below(folder).items():
        with contextlib.suppress(SandboxError):  # it is looked for again below
            loops.detach(device, file)
    attached = [str(device) for device in loops.below(folder)]
    if not attached:
        _unmount_all(folder, fuse=True)
    left = [str(point) for point, _ in mounts_below(folder)]
    if left or attached:
        raise SandboxError(
            f"These could not be removed: {', '.join((*left, *attached))}.",
            "The worker tries again. To find the process that uses them: fuser -m",
        )


def _unmount_all(folder: Path, *, fuse: bool) -> None:
    for point, kind in mounts_below(folder):
        if kind.startswith("fuse") == fuse:
            _unmount_somehow(point)


def _unmount_somehow(point: Path) -> None:
    try:
        unmount(point)
    except SandboxError:
        let_go(point)


def let_go(point: Path) -> None:
    """Unmount it now, and release it when nobody uses it any more."""
    _umount2(point, MNT_DETACH, PATIENCE_S)


def _umount2(point: Path, flags: int, patience_s: float) -> int:
    """The error number; 0: done. A blocked call stays in its thread, which ends when the device dies."""
    status = [errno.ETIMEDOUT]

    def call() -> None:
        failed = _libc().umount2(os.fsencode(point), flags)
        status[0] = ctypes.get_errno() if failed else 0

    thread = threading.Thread(target=call, daemon=True, name="umount")
    thread.start()
    thread.join(patience_s)
    return status[0]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
