"""Makes a backup, and restores one. A restore changes nothing before everything in the file was checked."""

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.backup import archive, passphrase, postgresql, sqlite
from dashboard.backup.archive import BackupFile, BackupManifest
from dashboard.backup.refused import BackupRefused
from dashboard.installation import newer_database, usable, vault
from dashboard.installation.owner import as_caller, is_another
from dashboard.installation.version import VERSION
from dashboard.records.audit.models import record
from dashboard.records.experiments import lifecycle
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import installation
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import rotation


class Engine(Protocol):
    """One kind of database: the modules sqlite and postgresql."""

    def dump(self, to: Path) -> None: ...

    def migrations(self, dumped: Path) -> set[str]: ...

    def is_empty(self) -> bool: ...

    def restored(self, draft: Path) -> AbstractContextManager[str]: ...


def backup(file: Path, secret: str | None) -> list[str]:
    """Sentences for the user. `secret`: the passphrase; None leaves the keys out. Raises BackupRefused."""
    with as_caller():
        if os.path.lexists(file):
            raise archive.is_there(file)
    with folder_in(Path(settings.HOME) if is_another() else file.absolute().parent) as folder:
        dumped, keys, migrations = folder / archive.DATABASE, vault.keys(), newer_database.applied_migrations()
        engine().dump(dumped)
        must_be_complete(migrations, engine().migrations(dumped))
        keys = list(dict.fromkeys([*vault.keys(), *keys]))  # `rotatekeys` may have run meanwhile
        sources = {archive.DATABASE: dumped, **_recipes()}
        manifest = BackupManifest(
            version=VERSION,
            made_at=timezone.now().isoformat(timespec="seconds"),
            vendor=connection.vendor,
            migrations=tuple(migrations),
            entries={name: archive.entry_of(source) for name, source in sources.items()},
        )
        sealed = passphrase.seal(keys, manifest.digest, secret) if secret is not None else b""
        archive.write(file, manifest, sealed, sources)
    record(None, "made backup", file.name, keys=bool(sealed))
    without = "The keys of stored passwords are not in it. Keep a copy of them apart: without them passwords are lost."
    within = "The keys of stored passwords are in it, encrypted by the passphrase. Keep the passphrase elsewhere."
    with as_caller():
        kib = file.stat().st_size >> 10
    return [f"{file}: {kib} KiB.", within if sealed else without]


def restore(file: Path, opened: BackupFile, secret: str | None, *, overwrite: bool) -> list[str]:
    """Sentences for the user. Raises BackupRefused; then everything is as before."""
    manifest, kind = opened.manifest, engine()
    must_fit(manifest)
    keys = kept_keys(opened, secret)
    recipes = opened.recipes()
    if not overwrite and not kind.is_empty():
        raise BackupRefused("This installation has data. Nothing was restored.", "To replace them, add --overwrite.")
    try:
        with folder_in(_beside()) as folder:
            draft = folder / archive.DATABASE
            opened.copy_database(draft)
            with _stored(keys), kind.restored(draft) as old:
                told = [f"Restored the backup of {manifest.made_at} (version {manifest.version}). {old}"]
                told.append(_settle(file, manifest))
                lost = ", ".join(rotation.locked())
    except DatabaseError as wrong:
        raise BackupRefused(
            f"The database in the backup cannot be used ({str(wrong).strip()}).", "The old one is as it was."
        ) from wrong
    if lost:
        told.append(f"No key opens the passwords of: {lost}. Put the keys back, or enter these passwords again.")
    return [*told, *_put(recipes)]


@contextmanager
def _stored(keys: list[str]) -> Iterator[None]:
    """All keys open both databases in the block, and whatever is sealed meanwhile is sealed by an old key: an error
    leaves only those. Afterwards new secrets get the first key of the backup."""
    if not keys or vault.in_environment():
        yield
        return
    old = vault.keys()
    vault.store(list(dict.fromkeys([*old, *keys])))
    try:
        yield
        vault.store(list(dict.fromkeys([*keys, *old])))
    except BaseException:
        vault.store(old)
        raise


def _settle(file: Path, manifest: BackupManifest) -> str:
    """The restored database becomes one of now: present tables, nothing runs, nobody is logged in, and it is held."""
    newer_database.check()
    must_be_complete(manifest.migrations, newer_database.applied_migrations())
    call_command("migrate", verbosity=0, interactive=False)
    running = list(Experiment.everything.filter(state=Experiment.State.RUNNING))
    for one in running:
        lifecycle.finish(
            one, Experiment.State.INTERRUPTED, "The database was restored from a backup.", lifecycle.RESUME
        )
    Worker.objects.filter(ended_at=None).update(ended_at=Now())
    Session.objects.all().delete()  # a session that was ended since would be valid again
    record(None, "restored backup", file.name, made_at=manifest.made_at, version=manifest.version)
    installation.hold("restored from a backup")
    return f"Interrupted experiments: {len(running)}. Everybody must log in again."


def must_be_complete(migrations: Iterable[str], copied: Collection[str]) -> None:
    """An empty copy is never a backup, whatever its list of migrations says."""
    if (lacking := sorted(set(migrations).difference(copied))) or not copied:
        what = ascii(lacking[0])[:80] if lacking else "all tables"
        raise BackupRefused(f"The copy of the database lacks {what}. Nothing was changed.", "Take another backup.")


def _recipes() -> dict[str, Path]:
    found = {f"recipes/{path.name}": path for path in sorted(Path(settings.RECIPES).glob("*.toml"))}
    return {name: path for name, path in found.items() if archive.RECIPE.fullmatch(name)}


def _put(recipes: dict[str, bytes]) -> Iterator[str]:
    """A recipe that is here already stays."""
    folder = Path(settings.RECIPES)
    for name, content in recipes.items():
        file = folder / name
        if not file.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.write_bytes(content)
        elif file.read_bytes() != content:
            yield f"The recipe {name} differs from that in the backup. It was left as it is."


def engine() -> Engine:
    return postgresql if connection.vendor == "postgresql" else sqlite


def _beside() -> Path:
    """A restored SQLite file can take the place of the database only from the same disk."""
    return Path(str(connection.settings_dict["NAME"])).parent if connection.vendor == "sqlite" else settings.HOME


@contextmanager
def folder_in(parent: Path) -> Iterator[Path]:
    try:
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=parent) as made:
            yield Path(made)
    except OSError as error:
        full = error.errno in usable.FULL
        raise BackupRefused(
            f"{error.filename or parent} cannot be written ({error.strerror or error}). Nothing was changed.",
            "Make room." if full else "Check the folder and its rights.",
        ) from error


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


def kept_keys(opened: BackupFile, secret: str | None) -> list[str]:
    """The keys in the backup; empty if it has none, or if they are not wanted."""
    if not opened.has_keys or secret is None:
        return []
    keys = passphrase.unseal(opened.small(archive.KEYS), opened.manifest.digest, secret)
    vault.box(keys)
    if vault.in_environment() and not set(keys) <= set(vault.keys()):
        raise BackupRefused(
            f"The keys in the backup are not those in {vault.ENVIRONMENT}. Nothing was restored.",
            f"Start the command without {vault.ENVIRONMENT}: it writes them into HOME/{vault.NAME}.",
        )
    return keys
