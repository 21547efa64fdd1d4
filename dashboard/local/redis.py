"""A private Redis: a unix socket in a private folder, no TCP port, nothing on disk.

Tasks and live seconds may be lost, so it saves nothing: its fsyncs would disturb the measured disk. Debian's package
`redis-tools` has the server's binary as redis-check-rdb, which is the server under another name. The package
`redis-server` would also start a service.
"""

import os
import shutil
import stat
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from dashboard.installation.home import redis_socket
from dashboard.local.errors import LocalError
from dashboard.local.processes import Program


def program(home: Path) -> Program:
    """How to run the private Redis of this home. Raises LocalError if it cannot run here."""
    socket = redis_socket()
    private_folder(socket.parent)
    folder = private_folder(home / "redis")
    options = {
        "--port": "0",
        "--unixsocket": str(socket),
        "--unixsocketperm": "700",
        "--dir": str(folder),
        "--save": "",
        "--appendonly": "no",
        "--daemonize": "no",
    }
    return Program(
        name="redis",
        argv=[str(binary(folder)), *(word for option in options.items() for word in option)],
        cwd=folder,
        log=home / "logs" / "redis.log",
        ready=lambda pid: answers(socket, pid),
    )


def binary(folder: Path) -> Path:
    """redis-server, or a private link of that name to the same program in Debian's redis-tools."""
    found = installed()
    if found.name == "redis-server":
        return found
    link = folder / "redis-server"
    link.unlink(missing_ok=True)
    link.symlink_to(found)
    return link


def installed() -> Path:
    """redis-server, or the same program in Debian's redis-tools. Raises LocalError."""
    found = shutil.which("redis-server") or shutil.which("redis-check-rdb")
    if not found:
        raise LocalError("Redis is not installed; nothing was started.", "Install the package redis-tools.")
    return Path(found)


def answers(socket: Path, pid: int) -> bool:
    once = Retry(NoBackoff(), 0)
    try:
        told = redis.Redis(unix_socket_path=str(socket), socket_timeout=1, retry=once).info("server")
        return int(told["process_id"]) == pid
    except redis.RedisError:
        return False


def private_folder(path: Path) -> Path:
    """The folder with mode 0700, created if missing. Raises LocalError if another user owns it: everybody can write to
    /tmp."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise LocalError(
            f"{path} is not a folder of this user; nothing was started.",
            "Move it away, or set DURASCOPE_HOME to another folder.",
        )
    path.chmod(0o700)
    return path
