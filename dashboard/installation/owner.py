"""`backup` and `restore`, started by root for the installation of another user, work as this user: files keep their
owner, and a link in the home leads root nowhere. Only the files that root names are opened as root.

Root keeps the real user id, so it can become root again (setuid(7))."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.installation.home import place

ROOT = 0


def become_owner() -> None:
    """The owner of the home folder, if root started this. Comes before anything is made there."""
    if os.geteuid() != ROOT or not place().is_dir():
        return
    owner = place().stat()
    if owner.st_uid != ROOT:
        os.setgroups([owner.st_gid])
        os.setegid(owner.st_gid)
        os.seteuid(owner.st_uid)


def is_another() -> bool:
    """Whether this works as a user who did not start it."""
    return os.getuid() != os.geteuid()


@contextmanager
def as_caller() -> Iterator[None]:
    """As the user who started this."""
    owner, group = os.geteuid(), os.getegid()
    os.seteuid(os.getuid())
    os.setegid(os.getgid())
    try:
        yield
    finally:
        os.setegid(group)
        os.seteuid(owner)
