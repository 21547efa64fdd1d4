"""Why a backup was not made or not restored."""

from workers.errors import DurascopeError


class BackupRefused(DurascopeError):
    """Nothing was changed."""


def not_a_backup(why: str) -> BackupRefused:
    return BackupRefused(f"This file is no whole backup of Durascope: {why}.", "Nothing was restored. Take another.")
