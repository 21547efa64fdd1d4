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
DISK_BYTES = 8 << 30  # of a sparse file
FOLDERS = {"home": 0o700, "sb": 0o755, "tmp": 0o700, "target": 0o755, "pg": 0o755, "memory": 0o700}
DATABASE = "chaos"


@dataclass(frozen=True)
class Place:
    """`why_not_small`, `why_no_disk`: why home and sandboxes are no file systems of their own, which may be filled."""

    base: Path
    postgresql: PostgreSQL | None
    why_not_small: str
    why_no_disk: str

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def sandboxes(self) -> Path:
        return self.base / "sb"

    @property
    def disk(self) -> Path:
        """The image of the file system of the sandboxes."""
        return self.base / "sandboxes.ext4"

    @property
    def memory(self) -> Path:
        """A control group as the workers see theirs (tests.bench.chaos.worker)."""
        return self.base / "memory"

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
        for name, mode in FOLDERS.items():
            (base / name).mkdir(mode=mode)
        why_not_small = _mounted(base / "home", held)
        if not with_postgresql:
            migrated.sqlite(base / "home/durascope.sqlite3")
        postgresql = _database(base / "pg", held) if with_postgresql else None
        why_no_disk = why_not_small or _disk(base / "sandboxes.ext4", base / "sb", held)
        yield Place(base, postgresql, why_not_small, why_no_disk)


def _mounted(home: Path, held: ExitStack) -> str:
    if os.getuid() != 0:
        return "only root can give the home a small file system of its own"
    options = f"size={HOME_BYTES},mode=700"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "chaos", home], capture_output=True, text=True)
    if done.returncode:
        return f"no file system could be mounted: {done.stderr.strip()}"
    held.callback(subprocess.run, ["umount", "--lazy", home], check=False)
    return ""


def _disk(image: Path, at: Path, held: ExitStack) -> str:
    """Why none could be made; "": it is mounted."""
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
    for argv in (["mkfs.ext4", "-q", "-m", "0", image], ["mount", "-o", "loop", image, at]):
        try:
            done = subprocess.run(argv, capture_output=True, text=True)
        except FileNotFoundError:
            return f"{argv[0]} is not installed"
        if done.returncode:
            return f"{argv[0]} failed: {done.stderr.strip()}"
    held.callback(subprocess.run, ["umount", "--lazy", at], check=False)
    return ""


def _database(folder: Path, held: ExitStack) -> PostgreSQL:
    server = PostgreSQL(folder)
    server.create()
    held.callback(server.stop)
    server.start()
    server.make(DATABASE)
    return server
