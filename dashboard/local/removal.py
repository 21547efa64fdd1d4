"""Removes what this installation stored on this machine: its home, and its sandboxes with their images."""

import contextlib
import os
import shutil
from pathlib import Path

from django.conf import settings
from django.db import connections

from dashboard.local.claim import claimed
from dashboard.local.errors import LocalError
from workers.sandbox import place
from workers.sandbox.sweep import sweep

OF_HOME = (
    "beat-schedule", "builds", "demo_login.json", "durascope.sqlite3", "import.lock", "logs", "password_keys",
    ".password_keys", "recipes", "redis", "secret_key", ".secret_key", "staticfiles", "up.lock",
)  # fmt: skip
OF_ROOT = Path("/var/lib/durascope")  # dashboard.installation.home.sandbox_root


def folders() -> list[Path]:
    """Those that exist."""
    sandboxes = Path(settings.SANDBOX_ROOT)
    return [folder for folder in (Path(settings.HOME), sandboxes) if folder.is_dir()]


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
    for folder, ours in ((home, OF_HOME), (sandboxes, place.PARTS)):
        names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
        if others := [name for name in names if not name.startswith(ours)]:
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
        for folder in folders():
            shutil.rmtree(folder)
    if sandboxes.parent == OF_ROOT:
        with contextlib.suppress(OSError):  # other installations have their sandboxes beside it
            OF_ROOT.rmdir()
