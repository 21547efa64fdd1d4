"""A build, and how its server is started."""

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import process
from workers.sandbox.builds.engines import ENGINES, PluginEngine
from workers.sandbox.builds.layout import Layout
from workers.sandbox.door import CANNOT_RUN
from workers.sandbox.process import Fence
from workers.sandbox.users import User, unprivileged_user
from workers.servers.facts import FlavourKey, Version

VERSION = re.compile(r"Ver (\d+)\.(\d+)\.(\d+)")
ABSENT_LIBRARY = re.compile(r"while loading shared libraries: (\S+?):")
ANSWER_S = 20


@dataclass(frozen=True)
class Build:
    """Installed binaries of a known version. `plugins`: libraries of storage engines, loaded at each start."""

    key: str
    title: str
    flavour: FlavourKey
    version: Version
    layout: Layout
    plugins: tuple[str, ...] = ()

    @property
    def mysqld(self) -> Path:
        return self.layout.mysqld

    @property
    def basedir(self) -> Path:
        return self.mysqld.parent.parent

    @property
    def engines(self) -> tuple[PluginEngine, ...]:
        """Its storage engines that are plugins."""
        return tuple(ENGINES[plugin] for plugin in self.plugins if plugin in ENGINES)

    @property
    def parts(self) -> tuple[Path, ...]:
        """The folders that its programs read."""
        return self.layout.parts

    @property
    def version_text(self) -> str:
        return ".".join(map(str, self.version))

    def command(self, preload: Path | None = None) -> list[str]:
        return self.layout.command(self._preloaded(preload))

    def environment(self, preload: Path | None = None) -> dict[str, str]:
        """The server's environment. A build's own loader gets `preload` in its command: the environment would also
        affect programs with the C library of this machine."""
        layout, env = self.layout, {"PATH": os.defpath, "LANG": "C"}
        for engine in self.engines:
            env |= engine.environment
        if layout.libraries and not layout.loader:
            env["LD_LIBRARY_PATH"] = layout.library_path
        if not layout.loader and (preloaded := self._preloaded(preload)):
            env["LD_PRELOAD"] = preloaded
        return env

    def _preloaded(self, preload: Path | None) -> str:
        engines = (library for engine in self.engines for library in engine.preloads)
        return ":".join((*engines, *([str(preload)] if preload else [])))

    def refuses(self, preload: Path, user: User) -> str:
        """Why the server does not run with that library; "" when it does."""
        tried = [*self.command(preload), "--no-defaults", "--version"]
        fence = Fence((*self.parts, preload))
        answer = process.ask(tried, user, fence, self.environment(preload), ANSWER_S)
        fits = answer.status == 0 and "cannot be preloaded" not in answer.said  # then it would run without the library
        return "" if fits else f"{self.title} does not run with the fsync trace: {answer.said.strip()[-300:]}"


def ask_version(layout: Layout) -> tuple[FlavourKey, Version]:
    """Flavour and version as the binary prints them, run by the sandboxes' user. It is asked again once it changes."""
    return _asked_version(layout, layout.mysqld.stat().st_mtime_ns if layout.mysqld.exists() else 0)


@cache
def _asked_version(layout: Layout, _changed_ns: int) -> tuple[FlavourKey, Version]:
    asked = [*layout.command(), "--no-defaults", "--version"]
    env = {"PATH": os.defpath, **({"LD_LIBRARY_PATH": layout.library_path} if not layout.loader else {})}
    user = unprivileged_user()
    answer = process.ask(asked, user, Fence(layout.parts), env, ANSWER_S)
    if answer.status is None:
        raise SandboxError(f"{layout.mysqld} did not print its version within {ANSWER_S} s.", "Install it again.")
    found = VERSION.search(answer.said)
    if not found:
        raise _no_version(layout, answer, user)
    major, minor, patch = map(int, found.groups())
    return ("mariadb" if "mariadb" in answer.said.lower() else "mysql"), (major, minor, patch)


def _no_version(layout: Layout, answer: process.Answer, user: User) -> SandboxError:
    if answer.status == CANNOT_RUN:
        return SandboxError(
            f"The user {user.name}, who runs sandboxes, cannot run the build: {answer.said.strip()[-300:]}",
            f"Nothing was started. Let everybody read and enter {layout.mysqld.parent.parent} and the folders above.",
        )
    if absent := ABSENT_LIBRARY.search(answer.said):
        return SandboxError(
            f"{layout.mysqld} needs the library {absent[1]}, which this machine does not have.",
            "Install the package that holds it (on Debian and Ubuntu libaio.so.1 is in libaio1, libnuma.so.1 in "
            "libnuma1, libcrypt.so.1 in libcrypt1).",
        )
    return SandboxError(
        f"{layout.mysqld} did not print its version.", f"Try: {' '.join(layout.command())} --no-defaults --version"
    )
