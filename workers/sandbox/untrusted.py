"""Files in folders that the sandboxes' user can change.

That user may replace a file by a link to a file of root, a FIFO that blocks its reader, or a file of a terabyte. So no
path of that user is followed. The folder itself must be in a folder of ours. A file is opened from the folder's
descriptor, never through a link, and must be a regular file. Reading is bounded.
"""

import contextlib
import errno
import fnmatch
import os
import stat
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from workers.errors import SandboxError

LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
MOST_DEPTH = 16  # a datadir has 3 levels
MOST_FILES = 200_000
PIECE_BYTES = 1 << 20
UNTOUCHED = "Nothing was copied. No server makes such a folder: look into it, and remove the sandbox."


def new_file(path: Path, mode: int = 0o600, how: int = NEW) -> int:
    """A descriptor of a new file. OSError: it exists."""
    fd = os.open(path, how, mode)
    os.fchmod(fd, mode)  # whatever the umask
    return fd


def new_log(path: Path) -> int:
    """As `new_file`, for a program that only appends."""
    return new_file(path, how=NEW | os.O_APPEND)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file, to be read. OSError: it is missing, or no regular file of this folder."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fd = os.open(path.name, LOOK, dir_fd=folder)
        with os.fdopen(fd, "rb", buffering=0) as file:
            _must_be_plain(path, os.fstat(fd), os.fstat(folder))
            yield file
    finally:
        os.close(folder)


def _must_be_plain(path: Path, file: os.stat_result, folder: os.stat_result) -> None:
    """Another user's file under a second name is refused: some kernels let anybody make such a link."""
    if not stat.S_ISREG(file.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    if file.st_nlink > 1 and file.st_uid != folder.st_uid:
        raise OSError(errno.EPERM, "it is another user's file under a second name", str(path))


def read(path: Path, most_bytes: int) -> bytes:
    """The whole file. OSError also when it is larger than `most_bytes`."""
    with opened(path) as file:
        found = _read(file, most_bytes + 1)
    if len(found) > most_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {most_bytes:,} bytes", str(path))
    return found


def tail(path: Path, most_bytes: int) -> bytes:
    """The end of the file."""
    with opened(path) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - most_bytes))
        return _read(file, most_bytes)


def copy(path: Path, target: Path, most_bytes: int) -> int:
    """Copy into a new file; returns the number of bytes. OSError also when it is larger than `most_bytes`."""
    done = 0
    with opened(path) as file, os.fdopen(new_file(target), "wb", buffering=0) as made:
        while piece := file.read(PIECE_BYTES):
            done += len(piece)
            if done > most_bytes:
                raise OSError(errno.EFBIG, f"it is larger than {most_bytes:,} bytes", str(path))
            made.write(piece)
    return done


def _read(file: BinaryIO, most_bytes: int) -> bytes:
    pieces, left = [], most_bytes
    while left > 0 and (piece := file.read(min(left, PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def size_bytes(folder: Path) -> int:
    """Of all files below, without following links: upper bound of the size of a copy. SandboxError: it holds other
    things than files and folders, or too many."""
    total = 0
    try:
        for number, (path, found) in enumerate(_below(folder), 1):
            if number > MOST_FILES:
                raise SandboxError(f"{folder} holds more than {MOST_FILES:,} files.", UNTOUCHED)
            if stat.S_ISREG(found.st_mode):
                total += found.st_size
            elif not stat.S_ISDIR(found.st_mode):
                raise SandboxError(f"{folder / path} is neither a file nor a folder.", UNTOUCHED)
    except OSError as error:
        raise SandboxError(f"{folder} could not be examined: {error.strerror}.", UNTOUCHED) from error
    return total


def files(folder: Path) -> Iterator[tuple[str, BinaryIO]]:
    """Each file below, by its relative path, open for reading until the next. OSError: the folder is damaged."""
    for path, found in _below(folder):
        if stat.S_ISREG(found.st_mode):
            with contextlib.ExitStack() as opened_folders:
                above = opened_folders.enter_context(_folder(folder))
                *parts, name = path.split("/")
                for part in parts:
                    above = opened_folders.enter_context(_folder(Path(part), above))
                with os.fdopen(os.open(name, LOOK, dir_fd=above), "rb", buffering=0) as file:
                    yield path, file


def names(folder: Path, patterns: Sequence[str]) -> list[str]:
    """Names in the folder that match a pattern. OSError: it cannot be listed."""
    with _folder(folder) as fd:
        return sorted(_fitting(fd, patterns))


def remove(folder: Path, patterns: Sequence[str]) -> None:
    """Remove files in the folder by name; links are removed, not followed."""
    with _folder(folder) as fd:
        for name in _fitting(fd, patterns):
            os.unlink(name, dir_fd=fd)


def _fitting(fd: int, patterns: Sequence[str]) -> list[str]:
    with os.scandir(fd) as entries:
        return [one.name for one in entries if any(fnmatch.fnmatchcase(one.name, pattern) for pattern in patterns)]


def remove_tree(folder: Path) -> bool:
    """Remove the folder and all below, at any depth. Links and mounts are not followed. False: something is left. The
    folder above must be ours."""
    subprocess.run(
        ["rm", "--recursive", "--force", "--one-file-system", "--", folder],
        env={"PATH": os.defpath},
        capture_output=True,
    )
    return not os.path.lexists(folder)


def _below(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below: relative path and status."""
    with _folder(folder) as top:
        waiting: list[tuple[str, ...]] = [()]
        while waiting:
            parts = waiting.pop()
            if len(parts) >= MOST_DEPTH:
                raise OSError(errno.ELOOP, f"it is deeper than {MOST_DEPTH} levels")
            for name, found in _inside(top, parts):
                if stat.S_ISDIR(found.st_mode):
                    waiting.append((*parts, name))
                yield "/".join((*parts, name)), found


def _inside(top: int, parts: Sequence[str]) -> Iterator[tuple[str, os.stat_result]]:
    """The content of one folder below `top`, without files that a running server removes meanwhile."""
    with contextlib.ExitStack() as opened_folders, contextlib.suppress(FileNotFoundError):
        for part in parts:
            top = opened_folders.enter_context(_folder(Path(part), top))
        for entry in opened_folders.enter_context(os.scandir(top)):
            with contextlib.suppress(FileNotFoundError):
                yield entry.name, os.stat(entry.name, dir_fd=top, follow_symlinks=False)


@contextlib.contextmanager
def _folder(path: Path, above: int | None = None) -> Iterator[int]:
    fd = os.open(path, FOLDER, dir_fd=above)
    try:
        yield fd
    finally:
        os.close(fd)
