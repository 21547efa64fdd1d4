"""Is this folder fit for a sandbox?"""

import grp
import os
import pwd
import shutil
import stat
import subprocess
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import owner
from workers.sandbox.users import User

HEADROOM_BYTES = 256 << 20  # for binlog, undo and temporary files of a short run
SOCKET_PATH_LIMIT = 107  # sun_path of unix(7), less its closing zero
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
PARTS = ("live", "images", "images/making", "tools")


def prepare(root: Path, user: User) -> None:
    """Make the root folder if needed. It is refused when a sandbox could not work there, its figures would mislead, or
    another user could replace a program or an image."""
    try:
        owner.enterable(root)
    except OSError as error:
        raise SandboxError(f"The folder {root} cannot be made: {error.strerror}.", "Name another folder.") from error
    require_ours(root)
    _refuse_shared_memory(root)
    _refuse_untraversable(root, user)
    require_space(root, 0)


def require_ours(root: Path) -> None:
    """SandboxError when another user may change files there: servers load a library from there."""
    if why := another_users(root):
        raise SandboxError(
            f"{root} is not safe for sandboxes: {why}.",
            "Nothing was used from there. Remove it or name another folder: DURASCOPE_SANDBOXES=/path",
        )


def another_users(root: Path) -> str:
    """Why another user could change files in the root folder or its parts; "": nobody can.

    The folder and its parts must be ours, writable only for us. Each folder above must be ours or root's; others may
    write there only with the sticky bit, which protects our files. No part may be a link."""
    for above in reversed(root.absolute().parents):
        if why := _changed_by_others(above, (0, os.geteuid()), sticky=True):
            return why
    for part in (root, *(root / name for name in PARTS)):
        if os.path.lexists(part) and (why := _changed_by_others(part, (os.geteuid(),), sticky=False)):
            return why
    return ""


def _changed_by_others(folder: Path, owners: tuple[int, ...], *, sticky: bool) -> str:
    try:
        found = folder.lstat()
    except OSError as error:
        return f"{folder} cannot be examined ({error.strerror})"
    if stat.S_ISLNK(found.st_mode):
        return f"{folder} is a link to {folder.resolve()}; name the folder that it leads to"
    if not stat.S_ISDIR(found.st_mode):
        return f"{folder} is not a folder"
    if found.st_uid not in owners:
        return f"{folder} belongs to the user with number {found.st_uid}"
    writable = found.st_mode & (stat.S_IWOTH | stat.S_IWGRP)
    if writable == stat.S_IWGRP and _only_ours(found.st_gid):
        return ""
    if writable and not (sticky and found.st_mode & stat.S_ISVTX):
        return f"others may write in {folder} (mode {stat.S_IMODE(found.st_mode):o})"
    return ""


def _only_ours(group_id: int) -> bool:
    """Whether the group is root's, or was made for our user alone: then it has the user's name and no other member."""
    if group_id == 0:
        return True
    try:
        us, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group_id)
    except KeyError:
        return False
    members = {*group.gr_mem, *(one.pw_name for one in pwd.getpwall() if one.pw_gid == group_id)}
    return group.gr_name == us and members <= {us}


def require_space(root: Path, image_bytes: int) -> None:
    """SandboxError when a copy of that size and HEADROOM_BYTES do not fit."""
    needed, free = image_bytes + HEADROOM_BYTES, shutil.disk_usage(root).free
    if free < needed:
        raise SandboxError(
            f"The disk is full: a sandbox in {root} needs {needed >> 20} MiB, {free >> 20} MiB are free.",
            "Nothing was copied. Free some space, or name a folder on another disk.",
        )


def _refuse_shared_memory(root: Path) -> None:
    """On /dev/shm MariaDB maps its redo log and never calls fsync. It compares devices in the same way."""
    if SHARED_MEMORY.is_dir() and root.stat().st_dev == SHARED_MEMORY.stat().st_dev:
        raise SandboxError(
            f"{root} lies on the shared-memory file system {SHARED_MEMORY}, where MariaDB maps its redo log into "
            "memory and never calls fsync: figures from there would be wrong.",
            "Name a folder on the disk that you want to measure. A tmpfs mounted elsewhere works too.",
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
    """Ask the kernel as that user, because permission bits do not show access lists. (With `user=` Python would copy
    the page tables of the whole process: 23 ms of a large one.)"""
    return subprocess.run([*user.setpriv, "test", "-x", folder], cwd="/").returncode == 0


def require_short(socket: Path) -> None:
    if len(os.fsencode(socket)) > SOCKET_PATH_LIMIT:
        raise SandboxError(
            f"The path of the sandbox's socket would be longer than {SOCKET_PATH_LIMIT} bytes: {socket}.",
            "Nothing was started. Name a folder with a shorter path.",
        )
