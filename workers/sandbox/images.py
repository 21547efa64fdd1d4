"""Datadirs made once and copied for every sandbox: `<root>/images/<key>/`."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import options, owner, process
from workers.sandbox.builds import Build
from workers.sandbox.flavours import FAMILIES
from workers.sandbox.process import User

KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,120}")
REDO_FILES = ("ib_logfile*", "#innodb_redo/*")
INSTALL_TIMEOUT_S = 120


def folder_of(root: Path) -> Path:
    return root / "images"


def find(root: Path, key: str) -> Path | None:
    """The image of that key, None: it has not been made."""
    if not KEY.fullmatch(key):
        raise SandboxError(f"{key!r} cannot name an image.", "Use lower-case letters, digits, dots and dashes.")
    image = folder_of(root) / key
    return image if image.is_dir() else None


def ensure(root: Path, key: str, make: Callable[[Path], None]) -> Path:
    """The image of that key; `make(folder)` fills an empty path with a datadir when there is none yet.

    Makers may race: each works in a folder of its own and the first rename wins.
    """
    if image := find(root, key):
        return image
    workshop = owner.new_folder(folder_of(root) / "making")
    try:
        workshop.chmod(0o755)
        make(workshop / "data")
        subprocess.run(["sync", "--file-system", workshop], check=False)  # an image outlives a power cut whole
        return _publish(workshop / "data", folder_of(root) / key)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _publish(made: Path, image: Path) -> Path:
    try:
        return made.rename(image)
    except OSError:
        if image.is_dir():  # somebody else was first
            return image
        raise


def copy(source: Path, target: Path) -> None:
    """Copy a datadir of a stopped server, owners kept.

    Data files share blocks with the image or keep their holes. The redo log is written out in full: a server
    in service overwrites its log, and an overwrite of a hole or of shared blocks would cost one journal
    commit more per fsync (measured on ext4: 0.15 ms for a hole, 0.10 ms for a written block).
    """
    try:
        _cp(["--reflink=auto", "--sparse=always"], source, target)
        for redo in (path for pattern in REDO_FILES for path in source.glob(pattern)):
            written = target / redo.relative_to(source)
            written.unlink()
            _cp(["--reflink=never", "--sparse=never"], redo, written)
            _flush(written)
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", "") or str(error)
        raise SandboxError(f"The datadir could not be copied: {why.strip()}.", "The image is untouched.") from error


def size_bytes(image: Path) -> int:
    """Upper bound of what a copy occupies."""
    return sum(path.lstat().st_size for path in image.rglob("*") if path.is_file())


def of(root: Path, build: Build, user: User, key: str = "") -> Path:
    """The image kept under that key, or, without one, that of a fresh server. SandboxError: there is none."""
    if not key:
        return initialised(root, build, user)
    if image := find(root, key):
        return image
    raise SandboxError(f"There is no image called {key}.", "Make it with save_image, or start without one.")


def initialised(root: Path, build: Build, user: User) -> Path:
    """The image of a server fresh from its installation."""
    return ensure(
        root, f"{build.key}-{build.version_text}-{user.name}".lower(), lambda to: _initialise(build, user, to)
    )


def _initialise(build: Build, user: User, datadir: Path) -> None:
    """Three ways, by age: the server makes its tables itself, is told the SQL for them, or they come with the build."""
    workshop, template = datadir.parent, build.layout.template
    if template:
        _take(template, datadir, user)
    else:
        datadir.mkdir(mode=0o700)
        user.own(datadir)
    sql = b"" if template else FAMILIES[build.flavour].system_tables(build)
    (workshop / "install.sql").write_bytes(sql or b"")
    how = "--initialize-insecure" if sql is None else "--bootstrap"
    lines = [*options.places(build), *FAMILIES[build.flavour].lines(build.version)]
    (workshop / "my.cnf").write_text("\n".join(["[mysqld]", f"basedir={build.basedir}", f"datadir={datadir}", *lines]))
    _run(build, user, [f"--defaults-file={workshop / 'my.cnf'}", how], workshop)


def _take(template: Path, datadir: Path, user: User) -> None:
    shutil.copytree(template, datadir)
    for path in (datadir, *datadir.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
        user.own(path)


def _run(build: Build, user: User, how: list[str], workshop: Path) -> None:
    argv, printed = [*build.command(), *how], workshop / "install.log"
    with (workshop / "install.sql").open("rb") as sql:
        installer = process.start(
            argv, user, env=build.environment(), cwd=Path("/"), output=printed, stdin=sql.fileno()
        )
    try:
        status = installer.wait(INSTALL_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        installer.kill()
        status = installer.wait()
    if status != 0:
        last = printed.read_text(errors="replace").strip()[-1500:]
        raise SandboxError(f"{build.mysqld} ended with status {status}: {last}", "No sandbox was made.")


def _cp(options: list[str], source: Path, target: Path) -> None:
    subprocess.run(
        ["cp", "--archive", "--no-target-directory", *options, "--", source, target],
        check=True,
        capture_output=True,
        text=True,
    )


def _flush(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
