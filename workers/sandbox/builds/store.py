"""The folder that holds installed builds: `<key>/build.json` says what it is, `<key>/root` holds the files.

A build appears by one rename, whole or not at all. What was downloaded for it stays in `.downloads/<key>`.
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
from workers.sandbox.builds.build import Build, Version, ask_version
from workers.sandbox.builds.layout import discover
from workers.sandbox.builds.progress import Tell
from workers.servers.facts import FlavourKey

KEY = re.compile(r"[a-z0-9][a-z0-9.-]{0,59}")
MANIFEST = "build.json"
HEADROOM_BYTES = 256 << 20


@dataclass(frozen=True)
class Manifest:
    """What an installed build is. `basedir`: where the files are when they are not ours; they may change under us,
    so the binary is asked for its version each time."""

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
        """As the catalogue's entries have one."""
        return f"From {self.source}."


def folder() -> Path:
    """Beside the sandboxes: where the user that runs them may read. DURASCOPE_BUILDS names another."""
    if named := os.environ.get("DURASCOPE_BUILDS"):
        return Path(named).absolute()
    if os.geteuid() == 0:
        return Path("/var/lib/durascope/builds")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "durascope/builds"


def downloads(key: str) -> Path:
    return folder() / ".downloads" / key


def installed() -> list[str]:
    """Of all installed builds."""
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
    layout = discover(root_of(key, manifest), own_libc=manifest.own_libc)
    flavour, version = ask_version(layout) if manifest.basedir else (manifest.flavour, manifest.version)
    return Build(key, manifest.title, flavour, version, layout, manifest.plugins)


def root_of(key: str, manifest: Manifest) -> Path:
    return Path(manifest.basedir) if manifest.basedir else folder() / key / "root"


def require_free(key: str) -> None:
    """SandboxError on a name that cannot be one, or is taken."""
    if not KEY.fullmatch(key):
        raise SandboxError(
            f"{key!r} cannot name a build.", "Use lower-case letters, digits, dots and dashes, up to 60."
        )
    if (folder() / key).exists():
        raise SandboxError(f"{key} is installed already.", f"To make it anew: manage.py build remove {key}")


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
            "Nothing was downloaded. Make room, or name a folder on another disk: DURASCOPE_BUILDS=/path",
        )


def publish(key: str, fill: Callable[[Path], Manifest]) -> None:
    """`fill(root)` puts the files into an empty folder, makes them `readable` and says what they are; then the build is
    there, whole."""
    require_free(key)
    workshop = folder() / f".making-{key}"
    untrusted.remove_tree(workshop)  # of an install that was killed: we hold the lock
    _made(workshop / "root")
    try:
        manifest = fill(workshop / "root")
        (workshop / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1))
        (workshop / MANIFEST).chmod(0o644)
        subprocess.run(["sync", "--file-system", workshop], check=False)  # a build outlives a power cut whole
        workshop.rename(folder() / key)
    finally:
        untrusted.remove_tree(workshop)


def remove(key: str, *, with_downloads: bool = False) -> None:
    """Files that a user's --basedir named are left alone."""
    if (folder() / key).is_dir():
        leaving = folder() / f".leaving-{key}"
        untrusted.remove_tree(leaving)
        (folder() / key).rename(leaving)
        untrusted.remove_tree(leaving)
    if with_downloads:
        shutil.rmtree(downloads(key), ignore_errors=True)


@contextmanager
def locked(key: str, tell: Tell) -> Iterator[None]:
    """One at a time for one build. The lock ends with the process that holds it."""
    with (_made(folder()) / f".{key}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"Somebody else is working on {key}: waiting for them to end.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _made(path: Path) -> Path:
    """The folder, made with all above it so that the sandboxes' user may enter, whatever the umask."""
    try:
        owner.enterable(path)
    except OSError as error:
        raise SandboxError(
            f"The folder {path} cannot be made: {error.strerror}.", "Name another one: DURASCOPE_BUILDS=/path"
        ) from error
    return path


def readable(root: Path) -> None:
    """Everybody may read and run it, and nothing of it becomes another user: packages hold programs such as su."""
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode & 0o777 | (0o755 if path.is_dir() or mode & 0o100 else 0o644))
