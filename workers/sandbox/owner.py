"""The owner of a folder, noted in it, so that a sweep can tell whether it is still used."""

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from workers.errors import SandboxError
from workers.sandbox import untrusted
from workers.sandbox.process import start_time

FILE = "owner.json"
MOST_BYTES = 4096
GONE = ".gone-"  # prefix of a folder that is being removed
_in_use: set[tuple[int, int]] = set()  # device and inode of folders that this process uses


@dataclass(frozen=True)
class Owner:
    """A worker, and its server in the folder (0: none). Start times are in clock ticks since boot."""

    pid: int
    started: int
    boot: str
    server_pid: int = 0
    server_started: int = 0

    @property
    def alive(self) -> bool:
        return self.boot == boot_id() and start_time(self.pid) == self.started

    @property
    def server_alive(self) -> bool:
        return bool(self.server_pid) and self.boot == boot_id() and start_time(self.server_pid) == self.server_started


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def myself(server_pid: int = 0) -> Owner:
    pid = os.getpid()
    return Owner(pid, start_time(pid) or 0, boot_id(), server_pid, start_time(server_pid) or 0 if server_pid else 0)


def write(folder: Path, owner: Owner) -> None:
    """Replace the note atomically."""
    draft = folder / f".{FILE}"
    draft.unlink(missing_ok=True)  # of a worker that was killed in between
    with os.fdopen(untrusted.new_file(draft), "w") as file:
        json.dump(asdict(owner), file)
    draft.replace(folder / FILE)


def read(folder: Path) -> Owner | None:
    """The note in the folder; None: there is none, or it is not valid. A note in another user's folder is ignored,
    because it names a process to be killed."""
    try:
        if folder.lstat().st_uid != os.geteuid():
            return None
        owner = Owner(**json.loads(untrusted.read(folder / FILE, MOST_BYTES)))
    except (OSError, ValueError, TypeError):
        return None
    return owner if all(type(n) is int for n in (owner.pid, owner.started, owner.server_pid)) else None


def new_folder(parent: Path, name: str = "") -> Path:
    """A new folder under `parent`, which appears with its note. OSError: that name is taken by a non-empty folder."""
    enterable(parent)
    draft = parent / f".{secrets.token_hex(4)}"
    try:
        enterable(draft)
        _in_use.add(_identity(draft))  # before the note, else the sweep would take the folder as unused
        write(draft, myself())
        return draft.rename(parent / (name or draft.name[1:]))
    except BaseException:
        remove(draft)
        raise


@contextlib.contextmanager
def live_folder(root: Path, name: str) -> Iterator[Path]:
    """A new folder below the root of the sandboxes. It is removed afterwards, and by the sweep if this process dies."""
    folder = new_folder(root.absolute() / "live", f"{name}-{secrets.token_hex(4)}")
    try:
        yield folder
    finally:
        remove(folder)


def is_in_use(folder: Path) -> bool:
    """Whether this process uses it. An own folder that nothing uses could not be removed before."""
    return _identity(folder) in _in_use


def release(folder: Path) -> None:
    """Nothing uses it any more: if it cannot be removed now, the next sweep removes it."""
    _in_use.discard(_identity(folder))


def _identity(folder: Path) -> tuple[int, int]:
    """Independent of the path. (0, 0): it is gone."""
    try:
        known = folder.lstat()
    except OSError:
        return 0, 0
    return known.st_dev, known.st_ino


def remove(folder: Path) -> bool:
    """Remove a folder of ours. It is renamed first: when its note is gone already, its name still says that it is being
    removed. False: something is left."""
    release(folder)
    gone = folder
    if not folder.name.startswith(GONE):
        gone = folder.with_name(f"{GONE}{secrets.token_hex(4)}")
        try:
            folder.rename(gone)
        except FileNotFoundError:
            return True
        except OSError:  # something is mounted there
            gone = folder
    return untrusted.remove_tree(gone)


def end_and_remove(folder: Path, end: Callable[[], None]) -> None:
    """`end` ends what uses the folder. If it raises, the next sweep removes the folder."""
    try:
        end()
    finally:
        release(folder)
    if not remove(folder):
        raise SandboxError(f"The folder {folder} could not be removed.", "Remove it by hand.")


class Removable:
    """Removed at the end of its `with` block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        raise NotImplementedError


def enterable(folder: Path) -> Path:
    """The folder, made if needed with those above. All users may enter new folders, whatever the umask, and only we may
    change them. Existing folders and links stay as they are."""
    if not os.path.lexists(folder):
        enterable(folder.parent)
        with contextlib.suppress(FileExistsError):  # another process was first
            folder.mkdir()
            made = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            os.fchmod(made, 0o755)
            os.close(made)
    return folder
