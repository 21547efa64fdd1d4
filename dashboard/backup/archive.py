"""The file of a backup: a zip with a manifest, the database, the sealed keys and the recipes. Entries are read by their
known names and never unpacked by a name of the file, so no path and no link in it is followed."""

import hashlib
import json
import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, NamedTuple

from dashboard.backup.refused import BackupRefused, not_a_backup

FORMAT = 1
MANIFEST, DATABASE, KEYS = "manifest.json", "database", "keys"
RECIPE = re.compile(r"recipes/[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.toml")
MOST_SMALL_BYTES = 1 << 20  # of every entry but the database
MOST_ENTRIES = 1000
SPARE_BYTES = 64 << 20  # left free on the disk
PART_BYTES = 1 << 20
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError)


class BackupEntry(NamedTuple):
    size: int
    sha256: str


@dataclass(frozen=True)
class BackupManifest:
    version: str  # of the Durascope that made it
    made_at: str
    vendor: str  # sqlite or postgresql
    migrations: tuple[str, ...]  # "app.name" of each that the database has
    entries: dict[str, BackupEntry]

    @property
    def digest(self) -> str:
        """Of everything but the sealed keys, which hold it."""
        told = [self.version, self.made_at, self.vendor, self.migrations, sorted(self.entries.items())]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    def as_json(self) -> str:
        return json.dumps({**vars(self), "format": FORMAT}, indent=1)


def entry_of(file: Path) -> BackupEntry:
    with file.open("rb") as opened:
        return BackupEntry(file.stat().st_size, hashlib.file_digest(opened, "sha256").hexdigest())


def write(file: Path, manifest: BackupManifest, sealed: bytes, sources: dict[str, Path]) -> None:
    """Whole or not at all; an existing file is never replaced."""
    try:
        with NamedTemporaryFile(prefix=".backup-", dir=file.absolute().parent) as part:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
                made.writestr(MANIFEST, manifest.as_json())
                if sealed:
                    made.writestr(KEYS, sealed)
                for name, source in sources.items():
                    made.write(source, name)
            part.flush()
            os.fsync(part.fileno())
            os.link(part.name, file)
    except FileExistsError:
        raise BackupRefused(f"{file} is there already. Nothing was written.", "Choose another name.") from None


class BackupFile:
    """An open backup whose list of entries was checked."""

    def __init__(self, opened: zipfile.ZipFile) -> None:
        self._zip = opened
        names = opened.namelist()
        wrong = [name for name in names if name not in (MANIFEST, DATABASE, KEYS) and not RECIPE.fullmatch(name)]
        if wrong or len(set(names)) != len(names) or len(names) > MOST_ENTRIES:
            raise not_a_backup(f"it holds {ascii(wrong[0])[:80]}" if wrong else "its list of entries is wrong")
        self.has_keys = KEYS in names
        self.manifest = _manifest(self.small(MANIFEST))
        if set(self.manifest.entries) != set(names) - {MANIFEST, KEYS} or DATABASE not in names:
            raise not_a_backup("an entry is missing")

    def small(self, name: str) -> bytes:
        with self._opened(name) as entry:
            found = entry.read(MOST_SMALL_BYTES + 1)
        if len(found) > MOST_SMALL_BYTES:
            raise not_a_backup(f"{name} is too large")
        return found

    def recipes(self) -> dict[str, bytes]:
        """Name of the file, and its checked content."""
        found = {name: self.small(name) for name in self.manifest.entries if name != DATABASE}
        for name, content in found.items():
            if hashlib.sha256(content).hexdigest() != self.manifest.entries[name].sha256:
                raise not_a_backup(f"{name} was changed")
        return {name.removeprefix("recipes/"): content for name, content in found.items()}

    def copy_database(self, to: Path) -> None:
        """Never more than the manifest says, and that must fit on the disk."""
        expected = self.manifest.entries[DATABASE]
        if expected.size + SPARE_BYTES > shutil.disk_usage(to.parent).free:
            raise BackupRefused(
                f"The database of the backup needs {expected.size >> 20} MiB on the disk of {to.parent}, and there is "
                "less room. Nothing was restored.",
                "Make room.",
            )
        digest, left = hashlib.sha256(), expected.size
        with self._opened(DATABASE) as entry, to.open("wb") as copy:
            while part := entry.read(PART_BYTES):
                left -= len(part)
                if left < 0:
                    break
                digest.update(part)
                copy.write(part)
            copy.flush()
            os.fsync(copy.fileno())
        if left or digest.hexdigest() != expected.sha256:
            raise not_a_backup("its database was changed or cut off")

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._zip.open(name) as entry:
                yield entry
        except (KeyError, *BROKEN) as broken:
            raise not_a_backup(f"{name} cannot be read") from broken


@contextmanager
def opened(file: Path) -> Iterator[BackupFile]:
    """Raises BackupRefused."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise BackupRefused(f"{file} is no file.", "Name the file of a backup.")
        found = zipfile.ZipFile(file)
    except OSError as error:
        raise BackupRefused(f"{file} cannot be read ({error.strerror}).", "Check its name and its rights.") from error
    except (ValueError, *BROKEN) as broken:
        raise not_a_backup("it is cut off, or of another kind") from broken
    with found:
        yield BackupFile(found)


def _manifest(text: bytes) -> BackupManifest:
    try:
        told = json.loads(text)
        if told["format"] != FORMAT:
            raise BackupRefused(
                f"Durascope {str(told['version'])[:40]!r} made this backup, in a newer format.", "Install that version."
            )
        return BackupManifest(
            version=str(told["version"])[:40],
            made_at=str(told["made_at"])[:40],
            vendor=str(told["vendor"])[:20],
            migrations=tuple(str(one) for one in told["migrations"]),
            entries={str(name): BackupEntry(int(one[0]), str(one[1])) for name, one in told["entries"].items()},
        )
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as wrong:
        raise not_a_backup("its manifest cannot be read") from wrong
