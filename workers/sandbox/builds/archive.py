"""Checks and unpacks archives. No file is written outside the target folder."""

import hashlib
import os
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

from workers.errors import SandboxError

PROGRAMS = ("bin", "sbin", "libexec", "scripts")  # archives made by Java lose file modes


def verify(file: Path, sha256: str) -> None:
    """SandboxError when the checksum differs; the file is then deleted."""
    if (found := _checksum(file)) != sha256:
        file.unlink()
        raise SandboxError(
            f"{file.name} has the checksum {found}, not {sha256}: it is damaged, or another file.",
            "It was deleted, and nothing was installed. Try again.",
        )


def intact(file: Path, sha256: str) -> bool:
    return file.is_file() and _checksum(file) == sha256


def _checksum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def unzip(archive: Path, target: Path, place: Callable[[str], str | None]) -> None:
    """Unpack a zip or jar: each file to `place(name)` below `target`, None: left out. SandboxError: it is damaged."""
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in opened.infolist():
                where = None if member.is_dir() else place(member.filename)
                if where is not None:
                    _write(opened, member, _inside(target, where))
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise SandboxError(f"{archive.name} cannot be unpacked: {error}.", "Nothing was installed.") from error


def _write(opened: zipfile.ZipFile, member: zipfile.ZipInfo, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = member.external_attr >> 16
    if stat.S_ISLNK(mode):
        link = opened.read(member).decode()
        _inside(file.parent, link)
        file.symlink_to(link)
        return
    with opened.open(member) as source:
        _copy(source, file, mode)


def _copy(source: IO[bytes], file: Path, mode: int) -> None:
    with file.open("wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
    runs = mode & stat.S_IXUSR or file.parent.name in PROGRAMS
    file.chmod(0o755 if runs else 0o644)


def _inside(target: Path, where: str) -> Path:
    """The place below `target`. SandboxError: it would lie outside."""
    parts = PurePosixPath(where)
    if parts.is_absolute() or ".." in parts.parts:
        raise _outside(where)
    return target / parts


def _outside(where: str) -> SandboxError:
    return SandboxError(f"The archive contains {where!r}, a path outside the target folder.", "Nothing was installed.")


def unpack(archive: Path, target: Path) -> None:
    """Unpack a published tarball or zip. SandboxError: it is neither, or damaged."""
    if zipfile.is_zipfile(archive):
        return unzip(archive, target, lambda name: name)
    try:
        with tarfile.open(archive) as opened:
            _untar(opened, target)
    except tarfile.ReadError as error:
        raise SandboxError(f"{archive} is not a complete tarball or zip file.", "Nothing was installed.") from error
    except (tarfile.TarError, EOFError, KeyError, OSError, RecursionError) as error:
        raise SandboxError(f"{archive} cannot be unpacked: {error}.", "Nothing was installed.") from error
    return None


def _untar(opened: tarfile.TarFile, target: Path) -> None:
    """The filters of tarfile are missing in Debian 12's Python 3.11.2. Links are made last, and none below another one:
    nothing is made through a link. SandboxError: a link leads outside, or a member is a device or a pipe."""
    links = {}
    for member in opened:
        file = _inside(target, member.name)
        if member.isdir():
            file.mkdir(parents=True, exist_ok=True)
        elif member.issym():
            links[file] = member.linkname
        elif (source := opened.extractfile(member)) is not None:  # also of a hard link
            file.parent.mkdir(parents=True, exist_ok=True)
            with source:
                _copy(source, file, member.mode)
        else:
            raise SandboxError(f"The archive contains {member.name!r}, a device or a pipe.", "Nothing was installed.")
    for file in links:
        if not links.keys().isdisjoint(file.parents):
            raise _outside(str(file.relative_to(target)))
    for file, link in links.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(link)
    root = os.path.realpath(target)
    for file, link in links.items():
        if not Path(os.path.realpath(file)).is_relative_to(root):
            raise _outside(link)
