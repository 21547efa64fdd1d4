"""The folder of installed builds: `<key>/build.json` describes a build, `<key>/root` holds its files.

A build appears complete, by one rename. Its downloads stay in `.downloads/<key>`.
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from workers.errors import SandboxError
from workers.sandbox import owner, untrusted
from workers.sandbox.builds.build import Build, ask_version
from workers.sandbox.builds.layout import discover
from workers.sandbox.builds.progress import Tell
from workers.servers.facts import FlavourKey, Version

KEY = re.compile(r"[a-z0-9][a-z0-9.-]{0,59}")
MANIFEST = "build.json"
HEADROOM_BYTES = 256 << 20


@dataclass(frozen=True)
class Manifest:
    """An installed build. `basedir`: the user's folder of a build that is not copied; its files may change, so the
    binary is asked for its version each time."""

    title: str
    flavour: FlavourKey
    version: Version
    source: str
    licence: str
    own_libc: bool = False
    plugins: tuple[str, ...] = ()
    basedir: str = ""
    size_mib: int = 0

    @property
    def purpose(self) -> str:
        """As of a catalogue entry."""
        return f"From {self.source}."


def folder() -> Path:
    """The store, which the sandboxes' user can read. DURASCOPE_BUILDS names another folder."""
    if named := os.environ.get("DURASCOPE_BUILDS"):
        return Path(named).absolute()
    if os.geteuid() == 0:
        return Path("/var/lib/durascope/builds")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "durascope/builds"


def downloads(key: str) -> Path:
    return folder() / ".downloads" / key


def installed() -> list[str]:
    """The keys of all installed builds."""
    return sorted(file.parent.name for file in folder().glob(f"*/{MANIFEST}") if KEY.fullmatch(file.parent.name))


def read(key: str) -> Manifest | None:
    """None: it is not installed. SandboxError: its manifest is damaged."""
    file = folder() / key / MANIFEST
    try:
        said = json.loads(file.read_text())
        lists = {"version": tuple(said["version"]), "plugins": tuple(said["plugins"])}
        return Manifest(**(said | lists))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SandboxError(
            f"{file} cannot be read: {error}.", f"manage.py build remove {key}, then install."
        ) from error


def find(key: str) -> Build | None:
    """None: it is not installed. SandboxError: it is damaged, or its files are gone."""
    manifest = read(key) if KEY.fullmatch(key) else None
    if manifest is None:
        return None
    root = Path(manifest.basedir) if manifest.basedir else folder() / key / "root"
    layout = discover(root, own_libc=manifest.own_libc)
    flavour, version = ask_version(layout) if manifest.basedir else (manifest.flavour, manifest.version)
    return Build(key, manifest.title, flavour, version, layout, manifest.plugins)


def require_free(key: str) -> None:
    """SandboxError: the name is not valid, or taken."""
    if not KEY.fullmatch(key):
        raise SandboxError(
            f"{key!r} cannot name a build.", "Use lower-case letters, digits, dots and dashes, up to 60."
        )
    if (folder() / key).exists():
        raise SandboxError(f"{key} is installed already.", f"To install it again, first: manage.py build remove {key}")


def require_there(key: str, *, or_downloads: bool = False) -> None:
    """SandboxError: there is no such build."""
    places = (folder() / key, *([downloads(key)] if or_downloads else []))
    if not KEY.fullmatch(key) or not any(place.is_dir() for place in places):
        raise SandboxError(f"No build called {key!r} is installed.", f"Installed: {', '.join(installed()) or 'none'}.")


def require_space(mib: int) -> None:
    free = shutil.disk_usage(_made(folder())).free
    if free < (mib << 20) + HEADROOM_BYTES:
        raise SandboxError(
            f"The disk is full: {mib + (HEADROOM_BYTES >> 20)} MiB are needed in {folder()}, {free >> 20} are free.",
            "Nothing was downloaded. Free some space, or name a folder on another disk: DURASCOPE_BUILDS=/path",
        )


def publish(key: str, fill: Callable[[Path], Manifest | None]) -> None:
    """`fill(root)` puts the files into an empty folder, makes them `readable` and describes them; then the build
    appears. What it does not describe is no server, and `installed` does not name it."""
    require_free(key)
    workshop = folder() / f".making-{key}"
    untrusted.remove_tree(workshop)  # of an install that was killed; we hold the lock
    _made(workshop / "root")
    try:
        if manifest := fill(workshop / "root"):
            (workshop / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1))
            (workshop / MANIFEST).chmod(0o644)
        subprocess.run(["sync", "--file-system", workshop], check=False)  # so that a power loss cannot damage it
        workshop.rename(folder() / key)
    finally:
        untrusted.remove_tree(workshop)


def remove(key: str, *, with_downloads: bool = False) -> None:
    """Files in a user's --basedir stay."""
    if (folder() / key).is_dir():
        leaving = folder() / f".leaving-{key}"
        untrusted.remove_tree(leaving)
        (folder() / key).rename(leaving)
        untrusted.remove_tree(leaving)
    if with_downloads:
        shutil.rmtree(downloads(key), ignore_errors=True)


@contextmanager
def locked(key: str, tell: Tell) -> Iterator[None]:
    """One process at a time for a build. The lock ends with its process."""
    with (_made(folder()) / f".{key}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"Another process is installing or removing {key}: waiting.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _made(path: Path) -> Path:
    """The folder, made with all above it, so that the sandboxes' user may enter."""
    try:
        owner.enterable(path)
    except OSError as error:
        raise SandboxError(
            f"The folder {path} cannot be made: {error.strerror}.", "Name another one: DURASCOPE_BUILDS=/path"
        ) from error
    return path


def readable(root: Path) -> None:
    """All users may read and run it, without setuid programs: packages hold programs such as su."""
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode & 0o777 | (0o755 if path.is_dir() or mode & 0o100 else 0o644))
