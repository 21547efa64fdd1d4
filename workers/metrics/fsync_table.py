"""The table that fsynctrace.c counts into: compile the library, make the table, read it while it is written."""

import hashlib
import os
import secrets
import shutil
import struct
import subprocess
import weakref
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError, ServerError

SOURCE = Path(__file__).with_name("fsynctrace.c")
CALLS = ("fsync", "fdatasync", "sync_file_range", "msync")
HEADER_BYTES, SLOTS, PATH_BYTES, BUCKETS = 64, 1024, 256, 32  # as in fsynctrace.c
FIELDS = 4 + BUCKETS  # calls, errors, total_ns, max_ns, histogram
SLOT = struct.Struct(f"<2Q{len(CALLS) * FIELDS}Q{PATH_BYTES}s")
SIZE_BYTES = HEADER_BYTES + SLOTS * SLOT.size
MAX_OFFSETS = tuple(8 * (2 + call * FIELDS + 3) for call in range(len(CALLS)))


@dataclass(frozen=True)
class Count:
    """Calls on one file since the server started. `buckets[i]`: calls in (2^(i-1), 2^i] microseconds."""

    calls: int
    errors: int
    total_ns: int
    max_ns: int
    buckets: tuple[int, ...]

    def minus(self, before: "Count | None") -> "Count":
        if before is None:
            return self
        return Count(
            self.calls - before.calls,
            self.errors - before.errors,
            self.total_ns - before.total_ns,
            self.max_ns,
            tuple(now - then for now, then in zip(self.buckets, before.buckets, strict=True)),
        )


# (path, call) -> count; the path "" holds all calls after the table was full.
Counts = dict[tuple[str, str], Count]


def missing() -> str:
    """Why the library cannot be compiled here; "" when it can."""
    absent = "There is no C compiler on this host. Install one: apt-get install gcc libc6-dev"
    return "" if shutil.which("cc") else absent


def library(cache: Path, libc: tuple[Path, ...] = ()) -> Path:
    """The compiled preload library in the folder `cache`, named by the hash of its inputs; compiled on first use.

    `libc`: the files of the server's own C library, if it has one. A library that is linked with a newer C library
    needs symbols that an older one lacks.
    """
    made_of = hashlib.sha256(b"\0".join([SOURCE.read_bytes(), *(file.read_bytes() for file in libc)]))
    built = cache / f"fsynctrace-{made_of.hexdigest()[:16]}.so"
    if built.exists():
        return built
    cache.mkdir(mode=0o755, parents=True, exist_ok=True)
    draft = cache / f".{secrets.token_hex(4)}.so"
    beside = ["-nostdlib", *map(str, libc)] if libc else ["-ldl"]
    argv = ["cc", "-O2", "-shared", "-fPIC", "-o", str(draft), str(SOURCE), *beside]
    try:
        compiled = subprocess.run(argv, capture_output=True, text=True)
        if compiled.returncode:
            raise SandboxError(
                f"The fsync trace did not compile: {compiled.stderr.strip()[-800:]}",
                "Install gcc and libc6-dev, or make the sandbox without the trace.",
            )
        draft.chmod(0o755)
        return draft.replace(built)
    finally:
        draft.unlink(missing_ok=True)


def empty() -> bytes:
    """A fresh table. Its random id tells readers whether the server has started again."""
    return secrets.token_bytes(HEADER_BYTES) + bytes(SIZE_BYTES - HEADER_BYTES)


class FsyncTable:
    """A table that the server is writing. Open it at the begin of a window and keep it: a restart makes another one.

    It is read and not mapped: when the server truncates its file, a mapping would kill the worker."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._fd = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._fd)
        self._id = os.pread(self._fd, HEADER_BYTES, 0)
        self._table = b""

    @property
    def current(self) -> bool:
        """False when the server was started again with a new table, or its folder is gone."""
        try:
            fd = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return os.pread(fd, HEADER_BYTES, 0) == self._id
        finally:
            os.close(fd)

    def counts(self) -> Counts:
        """ServerError: the server truncated the table."""
        self._table = os.pread(self._fd, SIZE_BYTES, 0)
        if len(self._table) < SIZE_BYTES:
            raise ServerError("The server truncated the table of its fsync trace: the counts are not known.")
        return dict(entry for at in self._used() for entry in self._entries(at))

    def reset_maxima(self) -> None:
        """Unlike sums, a maximum cannot be computed from two readings: it begins again at 0."""
        self.counts()
        for at in self._used():
            for offset in MAX_OFFSETS:
                os.pwrite(self._fd, bytes(8), at + offset)

    def _used(self) -> list[int]:
        starts = range(HEADER_BYTES, SIZE_BYTES, SLOT.size)
        return [at for at in starts if self._table[at : at + 8] != bytes(8)]

    def _entries(self, at: int) -> list[tuple[tuple[str, str], Count]]:
        _, named, *numbers, raw = SLOT.unpack_from(self._table, at)
        overflow = at == SIZE_BYTES - SLOT.size
        if not named and not overflow:  # the server is just making the entry
            return []
        path = "" if overflow else os.fsdecode(raw.split(b"\0")[0]).removesuffix(" (deleted)")
        rows = (numbers[i : i + FIELDS] for i in range(0, len(numbers), FIELDS))
        return [((path, call), _count(row)) for call, row in zip(CALLS, rows, strict=True) if row[0]]


def _count(row: list[int]) -> Count:
    calls, errors, total_ns, max_ns, *buckets = row
    return Count(calls, errors, total_ns, max_ns, tuple(buckets))
