"""Where the installation under test lies: a folder of its own, gone at the end. Needs no Django."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import migrated
from tests.postgresql import PostgreSQL

HOME_BYTES = 96 << 20  # small: the fault `disk full` fills it
DATABASE = "chaos"


@dataclass(frozen=True)
class Place:
    """`small`: the home is a file system of its own, which may be filled; else why not."""

    base: Path
    postgresql: PostgreSQL | None
    why_not_small: str

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def sandboxes(self) -> Path:
        return self.base / "sb"

    @property
    def temporary(self) -> Path:
        return self.base / "tmp"

    @property
    def target(self) -> Path:
        return self.base / "target"

    def environment(self) -> Mapping[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DURASCOPE_", "DJANGO_"))}
        kept.pop("DATABASE_URL", None)
        own = {"DATABASE_URL": self.postgresql.url(DATABASE)} if self.postgresql else {}
        return (
            kept
            | own
            | {
                "DURASCOPE_HOME": str(self.home),
                "DURASCOPE_SANDBOXES": str(self.sandboxes),
                "TMPDIR": str(self.temporary),
                "PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/local/sbin:/usr/sbin:/sbin",
                "PYTHONUNBUFFERED": "1",
            }
        )


@contextmanager
def made(with_postgresql: bool) -> Iterator[Place]:
    """Below /var/tmp: on a disk nearly everywhere, and open to the sandboxes' user."""
    with ExitStack() as held:
        base = Path(tempfile.mkdtemp(prefix="ds-chaos-", dir="/var/tmp"))
        held.callback(shutil.rmtree, base, ignore_errors=True)
        base.chmod(0o755)
        for name, mode in (("home", 0o700), ("sb", 0o755), ("tmp", 0o700), ("target", 0o755), ("pg", 0o755)):
            (base / name).mkdir(mode=mode)
        why_not_small = _mounted(base / "home", held)
        if not with_postgresql:
            migrated.sqlite(base / "home/durascope.sqlite3")
        yield Place(base, _database(base / "pg", held) if with_postgresql else None, why_not_small)


def _mounted(home: Path, held: ExitStack) -> str:
    if os.getuid() != 0:
        return "only root can give the home a small file system of its own"
    options = f"size={HOME_BYTES},mode=700"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "chaos", home], capture_output=True, text=True)
    if done.returncode:
        return f"no file system could be mounted: {done.stderr.strip()}"
    held.callback(subprocess.run, ["umount", "--lazy", home], check=False)
    return ""


def _database(folder: Path, held: ExitStack) -> PostgreSQL:
    server = PostgreSQL(folder)
    server.create()
    held.callback(server.stop)
    server.start()
    server.make(DATABASE)
    return server
