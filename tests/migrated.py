"""A database with all migrations, made once and copied by each process that runs tests: to migrate costs seconds, to
copy a few milliseconds. It is kept in .pytest_cache until a migration or a requirement changes."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests import postgresql

PROJECT = Path(__file__).resolve().parents[1]
KEPT = PROJECT / ".pytest_cache/migrated"
DECIDES = ("requirements.txt", "dashboard/**/migrations/*.py", "dashboard/**/sql/*.sql")
NAME = "durascope_test"


def sqlite(to: Path) -> None:
    """A file of SQLite, at a path where nothing is."""

    def make(folder: Path) -> Path:
        file = folder / "migrated.sqlite3"
        _migrate(folder, DURASCOPE_SQLITE=str(file))
        return file

    _copy("sqlite", make, to)


def private_postgresql() -> postgresql.PostgreSQL:
    """One that runs, as `postgresql.private`, with the database NAME."""
    made = stopped_postgresql()
    made.start()
    return made


def stopped_postgresql() -> postgresql.PostgreSQL:
    made = postgresql.PostgreSQL(postgresql.folder())
    made.take_over(lambda to: _copy("postgresql", _make_postgresql, to))
    return made


def _make_postgresql(folder: Path) -> Path:
    made = postgresql.private()
    try:
        made.make(NAME)
        _migrate(folder, DATABASE_URL=made.url(NAME))
    finally:
        made.stop()
    made.folder.rename(folder / "postgresql")
    return folder / "postgresql/data"


def _copy(kind: str, make: Callable[[Path], Path], to: Path) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{kind}-{_state()}"
    with (KEPT / f"{kind}.lock").open("w") as lock, tempfile.TemporaryDirectory() as folder:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the first process makes it, the others wait
        if not kept.exists():
            for old in KEPT.glob(f"{kind}-*"):
                shutil.rmtree(old) if old.is_dir() else old.unlink()
            making = KEPT / f"making-{kind}"
            shutil.rmtree(making, ignore_errors=True)
            _same(make(Path(folder)), making)
            making.rename(kept)
        _same(kept, to)


def _same(file: Path, to: Path) -> None:
    subprocess.run(["cp", "--archive", "--reflink=auto", file, to], check=True)


def _state() -> str:
    files = sorted(file for pattern in DECIDES for file in PROJECT.glob(pattern))
    return hashlib.sha256(b"\0".join(os.fsencode(file) + file.read_bytes() for file in files)).hexdigest()[:16]


def _migrate(home: Path, **database: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("D", "COV"))}
    env = {**kept, **database, "DURASCOPE_HOME": str(home)}
    argv = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(argv, cwd=PROJECT, env=env, check=True)
