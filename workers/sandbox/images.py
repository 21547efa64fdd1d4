"""Datadirs made once and copied for every sandbox: `<root>/images/<key>/data/`.

The sandboxes' user cannot enter an image, although it owns the files: so a server cannot change the image of later
servers. That user makes the copies, from the image as its working directory. So root never follows a name that a server
has written.
"""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from workers.errors import SandboxError, reason
from workers.sandbox import options, owner, process, untrusted
from workers.sandbox.builds import Build
from workers.sandbox.flavours import FAMILIES
from workers.sandbox.logs import Logs
from workers.sandbox.process import Fence
from workers.sandbox.users import User

KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,120}")
REDO_LOG, REDO_FOLDER = "ib_logfile*", "#innodb_redo"
INSTALL_TIMEOUT_S = 120
COPY_TIMEOUT_S = 3600
DATA = "data"


def folder_of(root: Path) -> Path:
    return root / "images"


def find(root: Path, key: str) -> Path | None:
    """The image of that key; None: there is none, or others could have changed it."""
    if not KEY.fullmatch(key):
        raise SandboxError(f"{key!r} cannot name an image.", "Use lower-case letters, digits, dots and dashes.")
    image = folder_of(root) / key
    return image / DATA if _is_closed(image) and (image / DATA).is_dir() else None


def _is_closed(image: Path) -> bool:
    try:
        found = image.lstat()
    except OSError:
        return False
    return found.st_uid == os.geteuid() and found.st_mode & 0o7077 == 0


def ensure(root: Path, key: str, make: Callable[[Path], None]) -> Path:
    """The image of that key; `make(folder)` fills an empty path with a datadir when there is none yet.

    Makers may race: each works in a folder of its own and the first rename wins.
    """
    if image := find(root, key):
        return image
    workshop = owner.new_folder(folder_of(root) / "making")
    try:
        make(workshop / DATA)
        untrusted.remove(workshop, ["*.sql", "*.cnf", "*.log"])
        workshop.chmod(0o700)
        subprocess.run(["sync", "--file-system", workshop], check=False)  # so that a power loss cannot damage it
        return _publish(root, key, workshop)
    finally:
        owner.remove(workshop)


def _publish(root: Path, key: str, made: Path) -> Path:
    image = folder_of(root) / key
    if image.exists() and not _is_closed(image):  # others could have changed it
        untrusted.remove_tree(image)
    try:
        made.rename(image)
    except OSError:
        if find(root, key) is None:  # else another worker was first
            raise
    else:
        (image / owner.FILE).unlink()  # the note was for the sweep, if this worker had died
    return image / DATA


def copy(source: Path, target: Path, user: User, holes: bool = True, redo_in_full: bool = True) -> None:
    """Copy the datadir of a stopped server into a new folder, as its user.

    Data files share blocks with the image or keep their holes. The redo log is written in full: overwriting a hole or a
    shared block costs one more journal commit per fsync (measured on ext4: 0.15 ms for a hole, 0.10 ms for a written
    block). An image, on which no server runs, needs no `redo_in_full`: each copy of it then reads fewer blocks. Without
    `holes` all files are: a power loss takes a block that was written into a hole, unless the journal was committed,
    and a server whose files have no holes need not wait for that.
    """
    try:
        untrusted.size_bytes(source)  # refuses what no server makes
        user.folder(target)
        how = SHARED if holes else IN_FULL
        _as_user(["cp", *WHOLE, *how, "--no-target-directory", ".", target], source, user)
        if holes and redo_in_full and (redo := _redo_log(source)):
            again = (*IN_FULL, "--remove-destination", "--parents")
            _as_user(["cp", *WHOLE, *again, "--target-directory", target, "--", *redo], source, user)
            _as_user(["sync", "--", *redo], target, user)
    except OSError as error:
        raise SandboxError(f"The datadir could not be copied: {reason(error)}.", "The image is untouched.") from error


WHOLE = ("--archive", "--one-file-system")
SHARED, IN_FULL = ("--reflink=auto", "--sparse=always"), ("--reflink=never", "--sparse=never")


def _as_user(argv: Sequence[str | Path], cwd: Path, user: User) -> None:
    process.run(argv, user, cwd=cwd, limit_s=COPY_TIMEOUT_S)


def _redo_log(datadir: Path) -> list[str]:
    """Paths from the datadir on."""
    files = untrusted.names(datadir, [REDO_LOG])
    if untrusted.names(datadir, [REDO_FOLDER]):
        files += [f"{REDO_FOLDER}/{name}" for name in untrusted.names(datadir / REDO_FOLDER, ["*"])]
    return [f"./{name}" for name in files]


def of(root: Path, build: Build, user: User, key: str = "") -> Path:
    """The image of that key; without a key that of a fresh server. SandboxError: there is none."""
    if not key:
        fresh = f"{build.key}-{build.version_text}-{user.uid}".lower()
        return ensure(root, fresh, lambda to: _initialise(build, user, to))
    if image := find(root, key):
        return image
    raise SandboxError(f"There is no image called {key}.", "Make it with save_image, or start without one.")


def _initialise(build: Build, user: User, datadir: Path) -> None:
    """By version: the server makes its tables itself, gets the SQL for them, or they come with the build."""
    workshop, template = datadir.parent, build.layout.template
    user.folder(datadir)
    if template:
        _as_user(["cp", "--recursive", "--no-dereference", "--no-target-directory", "--", template, "."], datadir, user)
        _as_user(["chmod", "--recursive", "u=rwX,go=", "."], datadir, user)
    sql = b"" if template else FAMILIES[build.flavour].system_tables(build, user)
    _write(workshop / "install.sql", sql or b"")
    how = "--initialize-insecure" if sql is None else "--bootstrap"
    lines = [*options.places(build), *FAMILIES[build.flavour].lines(build.version)]
    cnf = "\n".join(["[mysqld]", f"basedir={build.basedir}", f"datadir={datadir}", *lines])
    _write(workshop / "my.cnf", cnf.encode(), 0o644)
    _run(build, user, [f"--defaults-file={workshop / 'my.cnf'}", how], workshop)


def _write(file: Path, content: bytes, mode: int = 0o600) -> None:
    with os.fdopen(untrusted.new_file(file, mode), "wb") as made:
        made.write(content)


def _run(build: Build, user: User, how: list[str], workshop: Path) -> None:
    fence = Fence((*build.parts, workshop), (workshop / DATA,))
    logs = Logs(workshop)
    with (workshop / "install.sql").open("rb") as sql, os.fdopen(logs.begin(), "ab") as said:
        installer = process.start(
            [*build.command(), *how],
            user,
            fence,
            env=build.environment() | {"TMPDIR": str(workshop / DATA)},
            cwd=Path("/"),
            output=said.fileno(),
            stdin=sql.fileno(),
        )
    try:
        status = installer.wait(INSTALL_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        installer.kill()
        status = installer.wait()
    if status != 0:
        last = logs.text.strip()[-1500:]
        raise SandboxError(f"{build.mysqld} ended with status {status}: {last}", "No sandbox was made.")
