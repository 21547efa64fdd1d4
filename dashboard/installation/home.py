"""The folders of this installation. The home folder is private to its owner; DURASCOPE_HOME sets it."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from workers.errors import DurascopeError, reason

PROJECT = Path(__file__).resolve().parents[2]
LONGEST_SOCKET_PATH = 100  # bytes; the kernel allows 107, and a client library may append to it
LOOKS_ONLY = "DURASCOPE_LOOKS_ONLY"  # set by manage.py for a command that writes nothing


def looks_only() -> bool:
    """Whether nothing may be made: no folder, no database, no secret."""
    return LOOKS_ONLY in os.environ


def place() -> Path:
    """Where the home folder is, or will be."""
    return Path(os.environ.get("DURASCOPE_HOME") or PROJECT / ".durascope").absolute()


class NoHome(DurascopeError):
    """The home folder, or a file in it, cannot be made."""


def forget_empty(environ: MutableMapping[str, str]) -> None:
    """An empty variable is no variable: an empty path would be the current folder."""
    for name in [name for name, value in environ.items() if not value]:
        if name.startswith("DURASCOPE_") or name == "DATABASE_URL":
            del environ[name]


def home() -> Path:
    """The folder of the database, keys, logs and the private Redis (created with mode 0700). Raises NoHome."""
    path = place()
    if not looks_only():
        with _made(path):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


@contextmanager
def _made(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as refused:
        raise NoHome(
            f"{path} cannot be made: {reason(refused)}. Nothing was started.",
            "Set DURASCOPE_HOME to a folder that this user can write to.",
        ) from refused


def redis_socket() -> Path:
    """The unix socket of the private Redis: in the home, or, if that path is too long, in a private folder under /tmp
    with a name that every process of this home computes."""
    inside = home() / "redis" / "redis.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    return Path(f"/tmp/durascope-{os.getuid()}-{_digest()}/redis.sock")  # noqa: S108 - made 0700, owner checked


def redis_url() -> str:
    """DURASCOPE_REDIS, or the private Redis of this home; percent-encoded, because a path may contain a space or a
    #."""
    return os.environ.get("DURASCOPE_REDIS") or f"unix://{quote(str(redis_socket()))}"


def _digest() -> str:
    return hashlib.sha256(os.fsencode(home())).hexdigest()[:12]


def private_file(path: Path) -> Path:
    """An empty file that only its owner can read, from its creation on."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    return path


def database() -> Path:
    """The SQLite file, readable by its owner only: it contains sessions and encrypted passwords."""
    path = Path(os.environ.get("DURASCOPE_SQLITE") or home() / "durascope.sqlite3")
    if not looks_only() and path.parent.is_dir() and not path.exists():  # on a read-only disk a touch fails
        with _made(path):
            path.touch(mode=0o600)  # the mode of a new file; SQLite uses it for its other files
    return path


def secret(name: str, make: Callable[[], str]) -> str:
    """A secret from the environment (DURASCOPE_<NAME>), else from a file with mode 0600 in the home, made once.

    If two processes or threads start together, both use the same secret: one links its file, the other reads that file.
    """
    given = os.environ.get(f"DURASCOPE_{name.upper()}")
    if given:
        return given
    path = home() / name
    if not path.exists():
        if looks_only():
            return make()
        with (
            _made(path),
            NamedTemporaryFile("w", prefix=f".{name}.", dir=path.parent) as draft,
            contextlib.suppress(FileExistsError),
        ):
            draft.write(make())
            draft.flush()
            os.link(draft.name, path)
    return path.read_text().strip()


def sandbox_root() -> str:
    """The default folder of sandboxes, one for each installation. Its path is short, on disk, and the sandboxes'
    unprivileged user can reach it; a home under /root cannot be reached."""
    if os.getuid() == 0:
        return f"/var/lib/durascope/{_digest()}"
    return f"/var/tmp/durascope-{os.getuid()}-{_digest()}"  # noqa: S108 - sandbox/place.py checks whose it is
