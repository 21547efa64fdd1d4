"""A program must not use a database that a newer version migrated: its tables may hold what this program does not know.

Asked by web server, beat and worker before they start, by a worker before each experiment, and by every other process
at its first connection (dashboard.records.fleet.apps)."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from dashboard.installation.version import VERSION
from workers.errors import DurascopeError


class NewerDatabase(DurascopeError):
    """The database has migrations that this program does not know."""


def check() -> None:
    """Raises NewerDatabase."""
    if unknown := unknown_migrations(applied_migrations()):
        version = f"version {newer}" if (newer := migrated_by()) else "a newer version"
        raise NewerDatabase(
            f"This is Durascope {VERSION}, which is older than the database, which has {unknown[0]}: "
            f"{version} migrated it. Nothing was changed.",
            f"Install {version} on this host, or restore the backup from before the "
            "upgrade (docs/deployment.md: Upgrade).",
        )


def applied_migrations() -> list[str]:
    """ "app.name" of each."""
    return sorted(".".join(key) for key in MigrationRecorder(connection).applied_migrations())


def unknown_migrations(names: Iterable[str]) -> list[str]:
    """Those of our apps that this program does not know. It knows replaced ones."""
    if not (strange := set(names) - _files()):
        return []
    loader = MigrationLoader(None, ignore_no_migrations=True)
    replaced = {".".join(key) for one in loader.disk_migrations.values() for key in one.replaces}
    return sorted(one for one in strange - replaced if one.partition(".")[0] in loader.migrated_apps)


@cache
def _files() -> frozenset[str]:
    """ "app.name" of each migration, by its file: to load them costs each process 35 ms. They are listed once: a
    process does not know what a newer version, unpacked over its files, has brought since."""
    folders = {app.label: str(Path(app.path, "migrations")) for app in apps.get_app_configs()}
    return frozenset(f"{label}.{file.name}" for label, folder in folders.items() for file in iter_modules([folder]))


def migrated_by() -> str:
    """The version that migrated the database last; "" if no version was stored."""
    newest = apps.get_model("fleet", "Upgrade").objects.order_by("-pk").values_list("version", flat=True).first()
    return str(newest or "")
