"""Is this folder fit for a sandbox?"""

import os
import shutil
import subprocess
from pathlib import Path

from workers.environment import storage
from workers.errors import SandboxError
from workers.sandbox.process import User

HEADROOM_BYTES = 256 << 20  # for binlog, undo and temporary files of a short run
SOCKET_PATH_LIMIT = 107  # sun_path of unix(7), less its closing zero
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108


def prepare(root: Path, user: User) -> None:
    """Make the root folder if there is none, and refuse it where a sandbox would not work or would mislead."""
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SandboxError(f"The folder {root} cannot be made: {error.strerror}.", "Name another folder.") from error
    _refuse_shared_memory(root)
    _refuse_untraversable(root, user)
    require_space(root, 0)


def notes(root: Path) -> tuple[str, ...]:
    """What a reader of figures measured here should know."""
    if storage(root)["file_system"] in ("tmpfs", "ramfs"):
        return (f"The data lie in memory ({root} is on a tmpfs): an fsync costs next to nothing there.",)
    return ()


def require_space(root: Path, image_bytes: int) -> None:
    """SandboxError when a copy of that size and some room to work do not fit."""
    needed, free = image_bytes + HEADROOM_BYTES, shutil.disk_usage(root).free
    if free < needed:
        raise SandboxError(
            f"The disk is full: a sandbox in {root} needs {needed >> 20} MiB, {free >> 20} MiB are free.",
            "Nothing was copied. Make room or name a folder on another disk.",
        )


def _refuse_shared_memory(root: Path) -> None:
    """The server compares devices in the same way: on /dev/shm it maps its redo log and never calls fsync."""
    if SHARED_MEMORY.is_dir() and root.stat().st_dev == SHARED_MEMORY.stat().st_dev:
        raise SandboxError(
            f"{root} lies on the shared-memory file system {SHARED_MEMORY}, where MariaDB maps its redo log into "
            "memory and makes no fsync calls at all: nothing measured there would be true.",
            "Name a folder on the disk whose cost is of interest. A tmpfs mounted elsewhere works too.",
        )


def _refuse_untraversable(root: Path, user: User) -> None:
    root = root.resolve()
    if not user.switch or _can_enter(root, user):
        return
    closed = next(folder for folder in (*reversed(root.parents), root) if not _can_enter(folder, user))
    raise SandboxError(
        f"The user {user.name}, who runs sandboxes, may not enter {closed}.",
        f"Nothing was made. Name another folder, or: chmod o+x {closed}",
    )


def _can_enter(folder: Path, user: User) -> bool:
    """Ask the kernel, as that user: permission bits alone do not tell about access lists."""
    asked = subprocess.run(["test", "-x", folder], user=user.uid, group=user.gid, extra_groups=[], cwd="/")
    return asked.returncode == 0


def require_short(socket: Path) -> None:
    if len(os.fsencode(socket)) > SOCKET_PATH_LIMIT:
        raise SandboxError(
            f"The path of the sandbox's socket would be longer than {SOCKET_PATH_LIMIT} bytes: {socket}.",
            "Nothing was started. Name a folder with a shorter path.",
        )
