"""Removes everything that dead workers left, and nothing that a living one uses."""

import contextlib
import os
import select
import signal
import stat
import time
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import owner, place
from workers.sandbox.disk import loops, system
from workers.sandbox.owner import Owner

PLACES = ("live", "images/making")
DEATH_S = 5.0
NO_NOTE_S = 600.0  # a folder without a note for so long is an incomplete one


def sweep(root: Path) -> list[str]:
    """Kill servers and disks, remove mounts, loop devices and folders of dead owners. Returns the names of the removed
    folders. Folders of this process that it no longer uses are removed too.

    A folder without a readable note has no owner. It is removed when it is ours and was not changed for a while.
    Another user's folder stays, and so does everything in a root folder that another user could have prepared. Mounts
    and loop devices are found by their place in the folder, and devices whose file is gone by their names. All
    processes are ended first, because a server may use the disk of another folder.
    """
    if place.another_users(root):
        return []
    places = [folder for place in PLACES for folder in sorted((root / place).glob("*"))]
    left = [(folder, note) for folder in places if _is_left(folder, note := owner.read(folder))]
    for _, note in left:
        if note:
            _kill_server(note)
    removed = [folder.name for folder, _ in left if _removed(folder)]
    if os.geteuid() == 0:
        loops.release_orphans()
    return removed


def _is_left(folder: Path, note: Owner | None) -> bool:
    if note is None or folder.name.startswith(owner.GONE):
        return _is_nobodys(folder)
    return not note.alive or (note.pid == os.getpid() and not owner.is_in_use(folder))


def _is_nobodys(folder: Path) -> bool:
    try:
        known = folder.lstat()
    except OSError:
        return False
    ours = known.st_uid == os.geteuid() and stat.S_ISDIR(known.st_mode)
    return ours and (folder.name.startswith(owner.GONE) or time.time() - known.st_mtime > NO_NOTE_S)


def _removed(folder: Path) -> bool:
    """A folder in which something is still mounted is left for the next sweep."""
    try:
        system.dismantle(folder)
    except SandboxError:
        return False
    return owner.remove(folder)


def _kill_server(note: Owner) -> None:
    """The handle is opened before the check, so that the checked process is the killed one."""
    with contextlib.suppress(ProcessLookupError):
        if not note.server_alive:
            return
        handle = os.pidfd_open(note.server_pid)
        try:
            if note.server_alive:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                select.select([handle], [], [], DEATH_S)
        finally:
            os.close(handle)
