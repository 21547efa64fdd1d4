"""The file of a backup: a zip with a manifest, the database, the sealed keys and the recipes. Entries are read by their
known names and never unpacked by a name of the file, so no path and no link in it is followed."""

import hashlib
import json
import os
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from dashboard.backup.refused import BackupRefused, not_a_backup
from dashboard.installation.owner import as_caller

FORMAT = 1
MANIFEST, DATABASE, KEYS = "manifest.json", "database", "keys"
RECIPE = re.compile(r"recipes/[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.toml")
MOST_SMALL_BYTES = 1 << 20  # of every entry but the database
MOST_ENTRIES = 1000
SPARE_BYTES = 64 << 20  # left free on the disk
PART_BYTES = 1 << 20
ENCRYPTED = 1  # a bit of an entry
MOST_BYTES = 1 << 62
PLAIN = re.compile(r"[ -~]{0,300}")
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
        with _draft_beside(file) as (part, name_of_part):
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
                made.writestr(MANIFEST, manifest.as_json())
                if sealed:
                    made.writestr(KEYS, sealed)
                for name, source in sources.items():
                    made.write(source, name)
            part.flush()
            os.fsync(part.fileno())
            with as_caller():
                os.link(name_of_part, file)
    except FileExistsError:
        raise is_there(file) from None


@contextmanager
def _draft_beside(file: Path) -> Iterator[tuple[IO[bytes], str]]:
    """With its name. The folder may be root's alone."""
    with as_caller():
        descriptor, name = tempfile.mkstemp(prefix=".backup-", dir=file.absolute().parent)
    try:
        with os.fdopen(descriptor, "w+b") as draft:
            yield draft, name
    finally:
        with as_caller():
            Path(name).unlink()


def is_there(file: Path) -> BackupRefused:
    return BackupRefused(f"{file} is there already. Nothing was written.", "Choose another name.")


class BackupFile:
    """An open backup whose list of entries was checked."""

    def __init__(self, opened: zipfile.ZipFile) -> None:
        self._zip = opened
        names = opened.namelist()
        wrong = [name for name in names if name not in (MANIFEST, DATABASE, KEYS) and not RECIPE.fullmatch(name)]
        known = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if any(one.compress_type not in known or one.flag_bits & ENCRYPTED for one in opened.infolist()):
            raise not_a_backup("it is packed in another way")
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
        with as_caller():
            if not stat.S_ISREG(file.stat().st_mode):
                raise BackupRefused(f"{file} is no file.", "Name the file of a backup.")
            content = file.open("rb")
    except OSError as error:
        raise BackupRefused(f"{file} cannot be read ({error.strerror}).", "Check its name and its rights.") from error
    with content, _unpacked(content) as found:
        yield BackupFile(found)


def _unpacked(content: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(content)
    except (ValueError, OSError, struct.error, *BROKEN) as broken:
        raise not_a_backup("it is cut off, or of another kind") from broken


def _manifest(text: bytes) -> BackupManifest:
    try:
        told = json.loads(text)
        if told["format"] != FORMAT:
            raise BackupRefused(
                f"Durascope {str(told['version'])[:40]!a} made this backup, in a newer format.", "Install that version."
            )
        return BackupManifest(
            version=_plain(told["version"]),
            made_at=_plain(told["made_at"]),
            vendor=_plain(told["vendor"]),
            migrations=tuple(map(_plain, told["migrations"])),
            entries={name: BackupEntry(_size(one[0]), _plain(one[1])) for name, one in told["entries"].items()},
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as wrong:
        raise not_a_backup("its manifest cannot be read") from wrong


def _plain(told: object) -> str:
    """Raises ValueError: it is shown and stored."""
    if not isinstance(told, str) or not PLAIN.fullmatch(told):
        raise ValueError
    return told


def _size(told: object) -> int:
    if type(told) is not int or not 0 <= told <= MOST_BYTES:
        raise ValueError
    return told
