"""Copies in a child process. They raise what the functions of `copy` raise, and ServerError if it had to be ended."""

from pathlib import Path

from workers.host.apart import ApartLimits
from workers.servers.children import in_child
from workers.servers.dump import copy as here
from workers.servers.dump.copy import LIMITS, LOOK_S, CopiedLog, CopyLimits, LogFile
from workers.servers.target import Target

GRACE_S = 30.0  # logging in, and writing what has come


def newest(target: Target) -> LogFile:
    return in_child(ApartLimits(LOOK_S + GRACE_S), here.newest, target)


def copy(target: Target, folder: Path, first: str = "", limits: CopyLimits = LIMITS) -> CopiedLog:
    return in_child(_limits(limits), here.copy, target, folder.resolve(), first, limits)


def copy_after(target: Target, folder: Path, gtids: str, limits: CopyLimits = LIMITS) -> CopiedLog:
    return in_child(_limits(limits), here.copy_after, target, folder.resolve(), gtids, limits)


def _limits(limits: CopyLimits) -> ApartLimits:
    """An event is in memory once, beside the packet that arrives."""
    return ApartLimits(limits.seconds + GRACE_S, limits.event_bytes + (64 << 20))
