"""Loop devices by system calls: loop(4).

The kernel releases each of them when nobody uses it any more (autoclear): neither its worker, which keeps it open, nor
a mount. So none stays behind a worker that is killed. Its name is the process of its worker, because the kernel cannot
tell the path of a file whose mount is gone.
"""

import contextlib
import errno
import fcntl
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from struct import Struct

from workers.errors import SandboxError, reason
from workers.host.until import until
from workers.sandbox.process import start_time

LOOP_SET_FD, LOOP_CLR_FD, LOOP_CTL_GET_FREE = 0x4C00, 0x4C01, 0x4C82
LOOP_SET_STATUS64, LOOP_GET_STATUS64, LOOP_CONFIGURE = 0x4C04, 0x4C05, 0x4C0A
INFO = Struct("<5Q4I64s64s32s2Q")  # loop_info64
CONFIG = Struct(f"<2I{INFO.size}s64x")  # loop_config: the file, the size of a block (0: as by itself), loop_info64
NAME, FLAGS = 9, 8  # its fields
AUTOCLEAR = 4
NAMED = re.compile(rb"durascope (\d{1,10}) (\d{1,20})")  # a worker: its pid, and when it started
GONE = "/"  # the path of a file that was a mount of its own, after its mount is gone
UNKNOWN_CALL = (errno.EINVAL, errno.ENOTTY)
DETACHED = (errno.ENOENT, errno.ENODEV, errno.ENXIO)
ATTEMPTS = 20  # another process may take the free loop device first
PATIENCE_S = 5.0
POLL_S = 0.005


@dataclass(frozen=True)
class LoopDevice:
    """`fd`: as long as it is open, the device stays."""

    path: Path
    fd: int

    def let_go(self) -> None:
        """It is detached when its last mount is gone."""
        os.close(self.fd)


def attach(file: Path) -> LoopDevice:
    """A loop device on that file."""
    for _ in range(ATTEMPTS):
        try:
            return _attach(file)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise SandboxError(f"No loop device for {file}: {reason(error)}.", "Nothing was mounted.") from error
    raise SandboxError(f"No loop device for {file}: other processes took every free one.", "Try again.")


def detach(device: Path, file: str) -> None:
    """Returns when the loop device has released that file. A program that probes devices may keep it open for a moment.
    The kernel may then give the device to another user at once: it is asked for its file while it is open, which keeps
    it."""
    with contextlib.suppress(OSError), device.open("rb") as loop:  # it may have gone by itself
        if backing_file(device) == file:
            fcntl.ioctl(loop, LOOP_CLR_FD)
    if not until(lambda: backing_file(device) != file, PATIENCE_S, POLL_S):
        raise SandboxError(f"{device} could not be detached.", f"A process keeps it open. To find it: fuser {device}")


def write_cache(device: Path) -> str:
    """`write back` when flushes are passed on."""
    return Path(f"/sys/block/{device.name}/queue/write_cache").read_text().strip()


def below(folder: Path) -> dict[Path, str]:
    """Loop devices whose file lies in the folder, with this file."""
    return {_node(name): file for name, file in attached() if Path(file).is_relative_to(folder)}


def release_orphans() -> None:
    """Detach the devices of dead workers whose file is gone: no folder names them any more. Devices of others are never
    touched. One that is still in use is released when it is not."""
    for name, file in attached():
        if file == GONE:
            with contextlib.suppress(OSError), _node(name).open("rb") as loop:
                if _is_orphan(loop.fileno()):
                    fcntl.ioctl(loop, LOOP_CLR_FD)


def attached() -> list[tuple[str, str]]:
    """Names and files of all loop devices."""
    devices = [Path("/dev") / entry.name for entry in Path("/sys/block").glob("loop*")]
    return [(one.name, file) for one in devices if (file := backing_file(one))]


def backing_file(device: Path) -> str:
    """Empty: it has none. OSError: not readable, which proves nothing."""
    try:
        return Path(f"/sys/block/{device.name}/loop/backing_file").read_text().strip()
    except OSError as error:
        if error.errno in DETACHED:
            return ""
        raise


def _is_orphan(loop: int) -> bool:
    info = INFO.unpack(fcntl.ioctl(loop, LOOP_GET_STATUS64, bytes(INFO.size)))
    named = NAMED.fullmatch(info[NAME].rstrip(b"\0"))
    return named is not None and start_time(int(named[1])) != int(named[2])


def _attach(file: Path) -> LoopDevice:
    with Path("/dev/loop-control").open("rb") as control:
        device = _node(f"loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}")
    loop = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    try:
        with file.open("r+b", buffering=0) as backing:
            _configure(loop, backing.fileno())
    except BaseException:
        os.close(loop)
        raise
    return LoopDevice(device, loop)


def _configure(loop: int, backing: int) -> None:
    """In one call. Before Linux 5.8 it takes two: a worker that is killed between them leaves its device for ever."""
    info = _info(os.getpid())
    try:
        fcntl.ioctl(loop, LOOP_CONFIGURE, CONFIG.pack(backing, 0, info))
    except OSError as error:
        if error.errno not in UNKNOWN_CALL:
            raise
        fcntl.ioctl(loop, LOOP_SET_FD, backing)
        fcntl.ioctl(loop, LOOP_SET_STATUS64, info)


def _info(pid: int) -> bytes:
    fields: list[int | bytes] = [0] * 9 + [b""] * 3 + [0] * 2
    fields[FLAGS], fields[NAME] = AUTOCLEAR, b"durascope %d %d" % (pid, start_time(pid) or 0)
    return INFO.pack(*fields)


def _node(name: str) -> Path:
    """A container has a /dev of its own, in which new loop devices do not appear."""
    node = Path("/dev") / name
    if not node.exists():
        major, minor = map(int, Path(f"/sys/block/{name}/dev").read_text().split(":"))
        os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(major, minor))
    return node
