"""What is checked of a backup before anything is changed. All raise BackupRefused."""

from django.db import connection

from dashboard.backup import archive, passphrase
from dashboard.backup.archive import BackupFile, BackupManifest
from dashboard.backup.refused import BackupRefused
from dashboard.installation import newer_database, vault
from dashboard.installation.version import VERSION


def must_fit(manifest: BackupManifest) -> None:
    """The same kind of database, and no migration that this version does not know."""
    if manifest.vendor != connection.vendor:
        raise BackupRefused(
            f"The backup is of {manifest.vendor}, this installation uses {connection.vendor}. Nothing was restored.",
            "Set or remove DATABASE_URL.",
        )
    if newer := newer_database.unknown_migrations(manifest.migrations):
        raise BackupRefused(
            f"Durascope {manifest.version!a} made this backup. It has {ascii(newer[0])[:80]}, which version "
            f"{VERSION} does not know. Nothing was restored.",
            "Install that version.",
        )


def keys(opened: BackupFile, secret: str | None) -> list[str]:
    """The keys in the backup; empty if it has none, or if they are not wanted."""
    if not opened.has_keys or secret is None:
        return []
    found = passphrase.unseal(opened.small(archive.KEYS), secret)
    if found.digest != opened.manifest.digest:
        raise BackupRefused("Somebody changed this backup after it was made. Nothing was restored.", "Take another.")
    vault.box(found.keys)
    if vault.in_environment() and not set(found.keys) <= set(vault.keys()):
        raise BackupRefused(
            f"The keys in the backup are not those in {vault.ENVIRONMENT}. Nothing was restored.",
            f"Start the command without {vault.ENVIRONMENT}: it writes them into HOME/{vault.NAME}.",
        )
    return found.keys
