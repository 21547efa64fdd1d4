"""A server with all its dependencies, including the C library, from one suite of Debian, unpacked into a folder.

apt uses its own state folder with an empty list of installed packages, so it resolves all dependencies. Nothing is
installed. The address of the archive comes from this machine's apt sources, with another suite. Only Debian's key makes
packages trusted.
"""

import os
import pwd
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workers.errors import SandboxError
from workers.sandbox.builds.archive import intact, verify
from workers.sandbox.builds.progress import Tell, growth, run, size_bytes

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
APT_FOLDER = Path("/etc/apt")
Suite = Literal["bullseye", "bookworm", "trixie", "forky", "sid", "oldstable", "stable", "testing", "unstable"]
SUITES: tuple[Suite, ...] = get_args(Suite)
STOPPED = "The download stopped. Downloaded files are kept: try again"
MAIN_INDEX = re.compile(r"'(\S+/debian)/dists/([a-z]+)/main/binary-")
URI = re.compile(r"'[^']+' (\S+) (\d+) SHA256:([0-9a-f]{64})")


@dataclass(frozen=True)
class DebianSuite:
    """`packages` with all dependencies, and `without_dependencies`: packages that would need a whole system."""

    suite: Suite
    packages: tuple[str, ...]
    without_dependencies: tuple[str, ...] = ()
    own_libc = True

    def __str__(self) -> str:
        return f"Debian {self.suite}: {', '.join((*self.packages, *self.without_dependencies))}"

    def missing(self) -> str:
        """What this machine lacks to install from here; "" when nothing."""
        if absent := [name for name in ("apt-get", "apt-config", "dpkg-deb") if not shutil.which(name)]:
            return f"This build needs {absent[0]}, which is not installed here. Install the packages apt and dpkg."
        if not KEYRING.exists():
            return "Debian's signing key is not installed here. Install it: apt-get install debian-archive-keyring"
        return ""

    def put(self, downloads: Path, root: Path, tell: Tell, mirror: str = "") -> None:
        """Download missing packages, verify, unpack into `root`."""
        apt = Apt(downloads, self.suite, mirror or archive())
        tell(f"Reading Debian's index of {self.suite}.")
        apt.update(tell)
        needed = apt.needed(self)
        apt.download(self, needed, tell)
        tell(f"Unpacking {len(needed)} packages.")
        for package in needed:
            run(["dpkg-deb", "--extract", apt.archives / package.file, root], "A package could not be unpacked")


@dataclass(frozen=True)
class Package:
    file: str
    size_bytes: int
    sha256: str


class Apt:
    """apt-get with all state below one folder. It reads only this machine's network settings (Acquire)."""

    def __init__(self, folder: Path, suite: str, mirror: str) -> None:
        self.archives = folder / "archives"
        self._config, self._empty = folder / "apt.conf", folder / "empty"
        self._with_source = folder / "sources/source.sources"
        self._source_index = sources(mirror, suite).replace("Types: deb\n", "Types: deb-src\n")
        for part in ("lists/partial", "archives/partial", "sources", "empty/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "sources/debian.sources").write_text(sources(mirror, suite))
        self._config.write_text(config(folder, pwd.getpwuid(os.geteuid()).pw_name, _network()))

    def update(self, tell: Tell) -> None:
        self._run(["update"], "Debian's index could not be read", tell)

    def needed(self, source: DebianSuite) -> list[Package]:
        """All packages, also downloaded ones: apt names only missing files, so it looks from an empty folder."""
        ask = ["--option", f"Dir::Cache::archives={self._empty}", "--print-uris"]
        closure = self._run(
            [*ask, "install", "--yes", *source.packages], "apt could not resolve the packages", cwd=self._empty
        )
        alone = source.without_dependencies
        more = self._run([*ask, "download", *alone], "A package was not found", cwd=self._empty) if alone else ""
        return parse(closure + more)

    def download(self, source: DebianSuite, needed: list[Package], tell: Tell) -> None:
        asked = [["install", "--yes", "--download-only", *source.packages]]
        if source.without_dependencies:
            asked.append(["download", *source.without_dependencies])
        self._fetch(asked, needed, "packages", tell)

    def source(self, name: str, tell: Tell) -> list[Package]:
        """The files of a source package, downloaded and verified."""
        self._with_source.write_text(self._source_index)
        self.update(tell)
        ask = ["source", "--download-only", name]
        needed = parse(self._run([*ask, "--print-uris"], "The source package was not found", cwd=self._empty))
        self._fetch([ask], needed, "files", tell)
        return needed

    def _fetch(self, asked: list[list[str]], needed: list[Package], what: str, tell: Tell) -> None:
        """apt does not check a file of the right size, so damaged files are removed first."""
        absent = [one for one in needed if not intact(self.archives / one.file, one.sha256)]
        for package in absent:
            (self.archives / package.file).unlink(missing_ok=True)
        tell(f"{len(needed)} {what}, {sum(package.size_bytes for package in needed) >> 20} MiB.")
        total_bytes = size_bytes(self.archives) + sum(package.size_bytes for package in absent)  # older files are in it
        for argv in asked:
            self._run(argv, STOPPED, tell, total_bytes=total_bytes)
        for package in needed:
            verify(self.archives / package.file, package.sha256)

    def _run(
        self, argv: list[str], failed: str, tell: Tell | None = None, *, total_bytes: int = 0, cwd: Path | None = None
    ) -> str:
        env = {**os.environ, "APT_CONFIG": str(self._config), "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
        progress = growth(self.archives, total_bytes) if total_bytes else None
        return run(["apt-get", *argv], failed, tell=tell, progress=progress, env=env, cwd=cwd or self.archives)


def config(folder: Path, user: str, network: str) -> str:
    """apt's configuration. It is read first, so it can disable all others."""
    own = {
        "Dir::Etc::main": "/dev/null",
        "Dir::Etc::parts": folder / "empty",
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": folder / "sources",
        "Dir::Etc::preferences": "/dev/null",
        "Dir::Etc::preferencesparts": folder / "empty",
        "Dir::State": folder,
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::State::extended_states": folder / "extended_states",
        "Dir::Cache": folder,
        "Dir::Cache::archives": folder / "archives",
        "Dir::Log": folder,
        "APT::Sandbox::User": user,  # else root's apt downloads as _apt, which may not enter here
        "APT::Install-Recommends": "false",
        "APT::Install-Suggests": "false",
        "APT::Get::List-Cleanup": "false",
        "Acquire::Languages": "none",
        "Acquire::ForceHash": "SHA256",
        "Acquire::Retries": "3",
        "Debug::NoLocking": "true",
    }
    return network + "".join(f'{name} "{value}";\n' for name, value in own.items())


def sources(mirror: str, suite: str) -> str:
    return f"Types: deb\nURIs: {mirror}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n"


def parse(printed: str) -> list[Package]:
    """The output of `--print-uris`; each package once."""
    found = {match[1]: Package(match[1], int(match[2]), match[3]) for match in URI.finditer(printed)}
    if not found:
        raise SandboxError("apt found no packages.", "Check its sources: the archive may lack this suite.")
    return list(found.values())


def archive(folder: Path = APT_FOLDER) -> str:
    """The address of Debian's archive in the apt sources of this machine. SandboxError: they do not name one."""
    asked = ["apt-get", "update", "--print-uris", "--option", f"Dir::Etc={folder}"]
    for uri, suite in MAIN_INDEX.findall(run(asked, "The apt sources of this machine could not be read")):
        if suite in SUITES:
            return str(uri)
    raise SandboxError(
        "The apt sources of this machine name no Debian archive, and the build comes from one.",
        "Nothing was installed. Name a mirror: manage.py build install NAME --mirror URI",
    )


def _network() -> str:
    """This machine's network options of apt, such as proxies and certificates."""
    dumped = run(["apt-config", "dump"], "apt's configuration could not be read")
    return "".join(f"{line}\n" for line in dumped.splitlines() if line.startswith("Acquire::"))
