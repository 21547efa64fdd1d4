"""The servers that are installed on this machine."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox.builds.build import Build, ask_version
from workers.sandbox.builds.layout import Layout, discover
from workers.servers.facts import FlavourKey

FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/bin")


@dataclass(frozen=True)
class SystemServer:
    """Its names, and the package that holds it."""

    title: str
    flavour: FlavourKey
    binaries: tuple[str, ...]
    package: str
    purpose: str = "The server that the worker's host has: nothing to download if its package is installed."


SYSTEM: dict[str, SystemServer] = {
    "system-mariadb": SystemServer(
        "MariaDB as installed on the worker's host", "mariadb", ("mariadbd", "mysqld"), "mariadb-server-core"
    ),
    "system-mysql": SystemServer("MySQL as installed on the worker's host", "mysql", ("mysqld",), "mysql-server-core"),
}


def find(key: str) -> Build:
    """SandboxError: it is not installed."""
    kind = SYSTEM[key]
    for mysqld in filter(None, map(_which, kind.binaries)):
        layout = _layout(mysqld)
        flavour, version = ask_version(layout)
        if flavour == kind.flavour:
            return Build(key, kind.title, flavour, version, layout)
    raise SandboxError(
        f"No {kind.title} was found on this machine.",
        f"Install it: apt-get install --no-install-recommends {kind.package}",
    )


def _layout(mysqld: Path) -> Layout:
    """The layout of the folder above, with the binary that was found."""
    found = discover(mysqld.parent.parent) if mysqld.parent.name in ("bin", "sbin") else Layout(mysqld)
    return Layout(mysqld, found.share, found.plugin_dir)


def _which(name: str) -> Path | None:
    folders = os.pathsep.join((os.environ.get("PATH", ""), *FOLDERS))
    found = shutil.which(name, path=folders)
    return Path(found).resolve() if found else None
