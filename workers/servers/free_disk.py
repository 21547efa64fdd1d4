"""Free bytes on a server's disks: asked of this host, else of the server itself."""

import os
import socket
from pathlib import Path

from workers.errors import ServerError
from workers.servers import ask, hosts
from workers.servers.facts import Facts
from workers.servers.limited import Connection
from workers.servers.target import Target


def is_here(target: Target, facts: Facts) -> bool:
    """Whether the server runs on this host. A local address may be a tunnel or a container, so the server must also
    report this host's name."""
    near = bool(target.socket) or hosts.is_local(target.host)
    return near and facts.variable("hostname") == socket.gethostname()


def free_bytes(target: Target, connection: Connection, facts: Facts, folder: str) -> int | None:
    """None: neither this host nor the server tells."""
    return _free(connection, folder, is_here(target, facts))


def least_free(target: Target, connection: Connection, facts: Facts) -> int | None:
    """On the fullest of the disks that a load fills; None: not all of them are known."""
    here = is_here(target, facts)  # once: it asks the name service
    found = [_free(connection, folder, here) for folder in folders(facts)]
    known = [one for one in found if one is not None]
    return min(known) if known and len(known) == len(found) else None


def folders(facts: Facts) -> tuple[str, ...]:
    """The folders that a load fills: data, redo log and binary log, each once."""
    data = facts.variable("datadir") or ""
    redo = facts.variable("innodb_log_group_home_dir") or ""
    binlog = facts.variable("log_bin_basename") or ""
    named = [data, str(Path(data, redo)), str(Path(data, binlog).parent) if binlog else data]
    return tuple(dict.fromkeys(os.path.normpath(one) for one in named if one))


def room_below(folder: str, mounts: dict[str, int]) -> int | None:
    """The value of the mount point above `folder`; None without one."""
    above = [path for path in mounts if Path(folder).is_relative_to(path)]
    return mounts[max(above, key=len)] if above else None


def _free(connection: Connection, folder: str, here: bool) -> int | None:
    room = _here(folder) if here else None
    return _by_plugin(connection, folder) if room is None else room


def _here(folder: str) -> int | None:
    try:
        room = os.statvfs(folder)
    except OSError:
        return None
    return room.f_bavail * room.f_frsize


def _by_plugin(connection: Connection, folder: str) -> int | None:
    """By MariaDB's DISKS plugin; None: the plugin is not there, or closed to this account."""
    try:
        found = ask.rows(connection, "SELECT Path, Available FROM information_schema.DISKS")
    except ServerError:
        return None
    mounts = {ask.as_text(row[0]): ask.integer(row[1]) * 1024 for row in found if len(row) > 1}
    return room_below(folder, mounts)
