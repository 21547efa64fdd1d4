"""Temporary files and folders that are removed even after their process was killed.

The process holds a lock on each. The kernel releases the lock when the process dies, and the next worker removes what
is not locked. A measured file keeps its name, because some file systems flush an unnamed file in another way.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "durascope-"
KINDS = ("binlog", "plugins", "tls", "probe", "sweep")
YOUNG_S = 60.0  # a new file may not be locked yet


@contextmanager
def folder(kind: str) -> Iterator[Path]:
    """A folder of our own, removed at the end."""
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{kind}-") as name:
        folder_fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder_fd, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(folder_fd)


@contextmanager
def file(where: Path, kind: str) -> Iterator[int]:
    """The descriptor of a new file in the folder `where`, removed at the end. OSError: none can be made there."""
    fd, name = tempfile.mkstemp(prefix=f".{PREFIX}{kind}-", dir=where)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)
        Path(name).unlink(missing_ok=True)


def places() -> set[Path]:
    """The folders in which such files are made. Folders that are removed as a whole are left out."""
    return {Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path.home()}  # noqa: S108


def sweep(folders: Iterable[Path]) -> list[str]:
    """Remove what dead processes of our user left there. Returns the names."""
    patterns = [f"{dot}{PREFIX}{kind}-*" for kind in KINDS for dot in ("", ".")]
    found = (path for one in folders for pattern in patterns for path in one.glob(pattern))
    return [path.name for path in found if _removed(path)]


def _removed(path: Path) -> bool:
    with suppress(OSError):  # it is gone, locked, or belongs to another user
        known = path.lstat()
        if known.st_uid != os.geteuid() or time.time() - known.st_mtime < YOUNG_S:
            return False
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        finally:
            os.close(fd)
        return True
    return False
