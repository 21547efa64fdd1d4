"""The interface to the kernel: one file, served over /dev/fuse.

Numbers and layouts are those of linux/fuse.h, protocol 7.31 (Linux 5.3 and later). The mount point is a file, not a
folder: the root of this file system is the file itself.
"""

import contextlib
import ctypes
import errno
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, RELEASE, FSYNC, FLUSH = 2, 3, 4, 14, 15, 16, 18, 20, 25
INIT, INTERRUPT, BATCH_FORGET = 26, 36, 42
NO_ANSWER = {FORGET, INTERRUPT, BATCH_FORGET}

REQUEST = struct.Struct("<IIQQIIII")  # length, operation, unique, node, uid, gid, pid, padding
IO = struct.Struct("<QQI")  # file handle, offset, length; READ and WRITE have 40 bytes of arguments
IO_BYTES = 40
REPLY = struct.Struct("<IiQ")  # length, minus the error, unique
INIT_IN = struct.Struct("<IIII")  # major, minor, read-ahead, flags
INIT_OUT = struct.Struct("<IIIIHHIIHHI28x")
ATTRIBUTES = struct.Struct("<QII6Q10I")

MAJOR, MINOR = 7, 31
ASYNC_READ, BIG_WRITES, MAX_PAGES = 1 << 0, 1 << 5, 1 << 22
MOST_BYTES = 1 << 20  # of one write; 256 pages
DIRECT_IO = 1  # of FOPEN_*: else cached pages would survive a cut
FILE_MODE = 0o100600
A_DAY_S = 86400
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
SOURCE = "durascope"  # of the mount


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the kernel. `data`: of a write, valid until the next `receive`."""

    kind: Literal["read", "write", "flush"]
    unique: int
    offset: int = 0
    length: int = 0
    data: memoryview | None = None


def mount(point: Path) -> int:
    """An open /dev/fuse, mounted on a file. It ends when its last copy is closed. OSError: it may not."""
    fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    try:
        _mount(fd, point)
    except BaseException:
        os.close(fd)
        raise
    return fd


class FuseMount:
    """The requests to what is mounted. Unmounting it ends it."""

    def __init__(self, fd: int, size_bytes: int) -> None:
        self.fd, self._size_bytes = fd, size_bytes
        self._buffer = memoryview(bytearray(MOST_BYTES + 65536))

    def receive(self) -> Request | None:
        """The next read, write or flush; None: it was something else and has been answered. ConnectionError: the
        file is no longer mounted."""
        try:
            os.readv(self.fd, [self._buffer])
        except OSError as error:
            if error.errno == errno.ENODEV:
                raise ConnectionError from error
            if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):  # the request was cancelled
                return None
            raise
        _, operation, unique, *_ = REQUEST.unpack_from(self._buffer)
        if operation == FSYNC:
            return Request("flush", unique)
        if operation in (READ, WRITE):
            return self._transfer(operation, unique)
        if operation not in NO_ANSWER:
            self._housekeeping(operation, unique)
        return None

    def answer(self, unique: int, data: bytes = b"", error: OSError | None = None) -> None:
        status = -(error.errno or errno.EIO) if error else 0
        with contextlib.suppress(FileNotFoundError):  # the caller was killed meanwhile
            os.writev(self.fd, [REPLY.pack(REPLY.size + len(data), status, unique), data])

    def written(self, unique: int, length: int) -> None:
        self.answer(unique, struct.pack("<II", length, 0))

    def _transfer(self, operation: int, unique: int) -> Request:
        _, offset, length = IO.unpack_from(self._buffer, REQUEST.size)
        if operation == READ:
            return Request("read", unique, offset, length)
        start = REQUEST.size + IO_BYTES
        return Request("write", unique, offset, length, self._buffer[start : start + length])

    def _housekeeping(self, operation: int, unique: int) -> None:
        if operation == INIT:
            self.answer(unique, self._init())
        elif operation in (GETATTR, SETATTR):
            self.answer(unique, self._attributes())
        elif operation == OPEN:
            self.answer(unique, struct.pack("<QII", 1, DIRECT_IO, 0))
        elif operation in (RELEASE, FLUSH):
            self.answer(unique)
        else:
            self.answer(unique, error=OSError(errno.ENOSYS, "not of this disk"))

    def _init(self) -> bytes:
        *_, read_ahead, flags = INIT_IN.unpack_from(self._buffer, REQUEST.size)
        flags &= ASYNC_READ | BIG_WRITES | MAX_PAGES
        return INIT_OUT.pack(MAJOR, MINOR, read_ahead, flags, 64, 64, MOST_BYTES, 1, MOST_BYTES // 4096, 0, 0)

    def _attributes(self) -> bytes:
        size = self._size_bytes
        return ATTRIBUTES.pack(A_DAY_S, 0, 0, 1, size, size // 512, 0, 0, 0, 0, 0, 0, FILE_MODE, 1, 0, 0, 0, 4096, 0)


def _mount(fd: int, mountpoint: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode={FILE_MODE:o},user_id={os.geteuid()},group_id={os.getegid()}"
    flags = ctypes.c_ulong(MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if libc.mount(SOURCE.encode(), os.fsencode(mountpoint), b"fuse", flags, options.encode()):
        number = ctypes.get_errno()
        raise OSError(number, f"mounting FUSE on {mountpoint}: {os.strerror(number)}")
