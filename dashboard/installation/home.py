"""The folders of this installation: one home, overridable by DURASCOPE_HOME, private to its owner."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

PROJECT = Path(__file__).resolve().parents[2]
LONGEST_SOCKET_PATH = 100  # bytes; the kernel allows 107, and a client library may append to it


def home() -> Path:
    """Where the database, keys, logs and the private Redis live (created, mode 0700)."""
    path = Path(os.environ.get("DURASCOPE_HOME", PROJECT / ".durascope")).absolute()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def redis_socket() -> Path:
    """Where the private Redis of this home listens: inside the home, or, when that path is too long for a unix
    socket, in a private folder under /tmp whose name every process of this home derives alike."""
    inside = home() / "redis" / "redis.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        return inside
    return Path(f"/tmp/durascope-{os.getuid()}-{_digest()}/redis.sock")  # noqa: S108 - made 0700, owner checked


def redis_url() -> str:
    """DURASCOPE_REDIS, or the private Redis of this home; percent-encoded, for a path may hold a space or a #."""
    return os.environ.get("DURASCOPE_REDIS") or f"unix://{quote(str(redis_socket()))}"


def _digest() -> str:
    return hashlib.sha256(os.fsencode(home())).hexdigest()[:12]


def private_file(path: Path) -> Path:
    """The file, made or emptied, readable by its owner only from the first moment on."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    return path


def database() -> Path:
    """The SQLite file, made readable by its owner only: it holds sessions and sealed passwords."""
    path = Path(os.environ.get("DURASCOPE_SQLITE", home() / "durascope.sqlite3"))
    if path.parent.is_dir():
        path.touch(mode=0o600)  # the mode is for a new file; SQLite gives it to what lies beside it
    return path


def secret(name: str, make: Callable[[], str]) -> str:
    """A secret from the environment (DURASCOPE_<NAME>), else from a 0600 file in the home, made once.

    Two processes that start together agree: the file is linked into place, and the loser reads the winner's.
    """
    given = os.environ.get(f"DURASCOPE_{name.upper()}")
    if given:
        return given
    path = home() / name
    if not path.exists():
        draft = private_file(home() / f".{name}.{os.getpid()}")
        draft.write_text(make())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


def sandbox_root() -> str:
    """Where sandboxes live by default: a short path on disk that the sandboxes' unprivileged user can reach (a home
    under /root cannot be), one for each installation."""
    if os.getuid() == 0:
        return f"/var/lib/durascope/{_digest()}"
    return f"/var/tmp/durascope-{os.getuid()}-{_digest()}"  # noqa: S108 - sandbox/place.py checks whose it is
