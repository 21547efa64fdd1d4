"""Removes what this installation stored on this machine: its home, its database, its sandboxes with their images."""

import contextlib
import os
import re
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

from django.conf import settings
from django.db import connections

from dashboard.local.claim import claimed
from dashboard.local.errors import LocalError
from workers.sandbox import place
from workers.sandbox.sweep import sweep

OF_HOME = (
    "beat-schedule", "beat-schedule[-.]*", "builds", "demo_login.json", "durascope.sqlite3", "durascope.sqlite3-*",
    "durascope.sqlite3.before-*", "import.lock", "logs", "password_keys", "recipes", "redis", "secret_key",
    "staticfiles", "up.lock", ".backup-*", ".password_keys.*", ".room-*", ".secret_key.*",
)  # fmt: skip
BESIDE_DATABASE = r"(\.before-\d{8}T\d{6})?(-wal|-shm|-journal)?"
OF_ROOT = Path("/var/lib/durascope")  # dashboard.installation.home.sandbox_root


def folders() -> list[Path]:
    """Those that exist."""
    sandboxes = Path(settings.SANDBOX_ROOT)
    return [folder for folder in (Path(settings.HOME), sandboxes) if folder.is_dir()]


def databases() -> list[Path]:
    """Database files where DURASCOPE_SQLITE put them, with those that SQLite and `restore` make beside them."""
    if not (given := os.environ.get("DURASCOPE_SQLITE")):
        return []
    file = Path(given).absolute()
    ours = re.compile(re.escape(file.name) + BESIDE_DATABASE)
    return sorted(one for one in file.parent.glob("*") if ours.fullmatch(one.name))


def check() -> None:
    """Raises LocalError if services use the folders, if another user could change them, or if they hold other things
    than Durascope's."""
    if "DATABASE_URL" in os.environ:
        raise LocalError(
            "This is an installation for a team, with services and a PostgreSQL database; nothing was removed.",
            "To remove what deploy/install.sh made: /opt/durascope/deploy/install.sh --uninstall --purge",
        )
    home, sandboxes = Path(settings.HOME), Path(settings.SANDBOX_ROOT)
    if sandboxes.is_dir() and (why := place.another_users(sandboxes)):
        raise LocalError(f"{sandboxes} cannot be removed safely: {why}. Nothing was removed.", "Remove it by hand.")
    known = databases()
    for folder, ours in ((home, OF_HOME), (sandboxes, place.PARTS)):
        names = sorted(entry.name for entry in folder.glob("*") if entry not in known)
        if others := [name for name in names if not any(fnmatchcase(name, pattern) for pattern in ours)]:
            raise LocalError(
                f"{folder} holds other things than Durascope's: {', '.join(others)}. Nothing was removed.",
                "Move them away, or remove by hand what belongs to Durascope.",
            )


def remove() -> None:
    """Raises LocalError, and removes nothing, while Durascope runs on this home."""
    check()
    sandboxes = Path(settings.SANDBOX_ROOT)
    with claimed(Path(settings.HOME)):
        sweep(sandboxes)
        if any((sandboxes / "live").glob("*")):
            raise LocalError(
                f"A worker still uses {sandboxes / 'live'}, or a simulated disk is mounted there; nothing was removed.",
                "Stop the worker, then do this again.",
            )
        connections.close_all()
        for file in databases():
            file.unlink()
        for folder in folders():
            shutil.rmtree(folder)
    if sandboxes.parent == OF_ROOT:
        with contextlib.suppress(OSError):  # other installations have their sandboxes beside it
            OF_ROOT.rmdir()
