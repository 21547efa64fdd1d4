"""Server binaries that a worker can run."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.errors import SandboxError
from workers.servers.facts import FlavourKey

SYSTEM_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/bin")
VERSION = re.compile(r"Ver (\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True)
class Build:
    """Binaries that were found and asked for their version. `tools` maps a tool's name to its path."""

    key: str
    title: str
    flavour: FlavourKey
    version: tuple[int, int, int]
    mysqld: Path
    tools: Mapping[str, Path] = field(default_factory=dict)

    @property
    def basedir(self) -> Path:
        return self.mysqld.parent.parent

    @property
    def version_text(self) -> str:
        return ".".join(map(str, self.version))


@dataclass(frozen=True)
class BuildKind:
    """Where a build is looked for: names of its server binary and tools, and the package that has them."""

    title: str
    flavour: FlavourKey
    binaries: tuple[str, ...]
    tools: tuple[str, ...]
    package: str


BUILDS: dict[str, BuildKind] = {
    "system-mariadb": BuildKind(
        title="MariaDB of this system",
        flavour="mariadb",
        binaries=("mariadbd", "mysqld"),
        tools=("mariadb-install-db",),
        package="mariadb-server-core",
    ),
    "system-mysql": BuildKind(
        title="MySQL of this system",
        flavour="mysql",
        binaries=("mysqld",),
        tools=(),
        package="mysql-server-core",
    ),
}


def find(key: str) -> Build:
    """The build of that key, its version asked of the binary. SandboxError: unknown or not installed."""
    if key not in BUILDS:
        raise SandboxError(f"There is no build called {key}.", f"Known builds: {', '.join(BUILDS)}.")
    kind = BUILDS[key]
    for mysqld in filter(None, map(_which, kind.binaries)):
        flavour, version = ask_version(mysqld)
        if flavour == kind.flavour:
            return Build(key, kind.title, flavour, version, mysqld, _tools(kind))
    raise _not_installed(kind, f"No {kind.title} was found on this machine.")


def ask_version(mysqld: Path) -> tuple[FlavourKey, tuple[int, int, int]]:
    """Flavour and version as the binary itself prints them."""
    try:
        answer = subprocess.run([mysqld, "--no-defaults", "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"{mysqld} could not be run: {error}.", "Install it again.") from error
    found = VERSION.search(answer.stdout)
    if not found:
        raise SandboxError(f"{mysqld} does not tell its version.", f"Try: {mysqld} --no-defaults --version")
    major, minor, patch = map(int, found.groups())
    return ("mariadb" if "mariadb" in answer.stdout.lower() else "mysql"), (major, minor, patch)


def _tools(kind: BuildKind) -> dict[str, Path]:
    tools = {name: _which(name) for name in kind.tools}
    if absent := [name for name, path in tools.items() if path is None]:
        raise _not_installed(kind, f"{kind.title} is here, but its tool {absent[0]} is not.")
    return {name: path for name, path in tools.items() if path}


def _which(name: str) -> Path | None:
    folders = os.pathsep.join((os.environ.get("PATH", ""), *SYSTEM_FOLDERS))
    found = shutil.which(name, path=folders)
    return Path(found).resolve() if found else None


def _not_installed(kind: BuildKind, message: str) -> SandboxError:
    return SandboxError(message, f"Install it: apt-get install --no-install-recommends {kind.package}")
