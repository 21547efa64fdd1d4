"""The zip file around the parts of an experiment. A file may be hostile: its directory is checked before anything is
unpacked, and no name in it becomes a path."""

import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import IO

from dashboard.portable.refused import NotImported

MOST_PACKED = 256 << 20  # bytes; also the next four
MOST_UNPACKED = 1 << 30
MOST_OF_A_PART = 32 << 20
MOST_PARTS = 50_000
MOST_DIRECTORY = 8 << 20
NAME = re.compile(r"(?:[a-z]+/[0-9]{5}|experiment)\.json")
_END = struct.Struct("<4sHHHHIIH")  # end of central directory record (PKWARE APPNOTE 4.3.16)
_LARGE = b"PK\x06\x07"  # locator of a zip64 directory (4.3.15): ours are never that large
_LOCATOR_BYTES = 20
_MIDNIGHT = (1980, 1, 1, 0, 0, 0)  # so that the same parts are the same file


def packed(parts: Mapping[str, bytes]) -> bytes:
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, allowZip64=False, compresslevel=6) as archive:
        for name, content in parts.items():
            part = zipfile.ZipInfo(name, _MIDNIGHT)
            part.external_attr, part.create_system = 0o644 << 16, 3
            archive.writestr(part, content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


class Archive:
    """An opened file with a harmless directory. Raises NotImported, as `read` does."""

    def __init__(self, file: IO[bytes]) -> None:
        _look_at_the_end(file)
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as broken:
            raise NotImported("The file is damaged: its directory cannot be read") from broken
        self._parts = {part.filename: part for part in self._zip.infolist()}
        if len(self._parts) < len(self._zip.infolist()):
            raise NotImported("The file holds two parts of the same name")
        for part in self._parts.values():
            _look_at(part)
        if sum(part.file_size for part in self._parts.values()) > MOST_UNPACKED:
            raise NotImported(f"Unpacked it would have more than {MOST_UNPACKED >> 20} MiB")

    @property
    def checksums(self) -> dict[str, int]:
        """Name -> CRC-32 of each part. `read` compares it with the content."""
        return {name: part.CRC for name, part in self._parts.items()}

    def read(self, name: str) -> bytes:
        """At most the size in the directory, which is limited."""
        part = self._parts.get(name)
        if part is None:
            raise NotImported(f"The part {name} is missing")
        try:
            with self._zip.open(part) as opened:
                content = opened.read(part.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OSError) as broken:
            raise NotImported(f"The part {name} is damaged") from broken
        if len(content) != part.file_size:
            raise NotImported(f"The part {name} is not as long as the directory says")
        return content


def _look_at_the_end(file: IO[bytes]) -> None:
    """Check the size of the directory first: Python's reader makes an object for each entry."""
    size = file.seek(0, 2)
    if size > MOST_PACKED:
        raise NotImported(f"The file has {size >> 20} MiB; at most {MOST_PACKED >> 20} MiB are read")
    file.seek(max(0, size - _END.size - _LOCATOR_BYTES))
    tail = file.read()
    end, before = tail[-_END.size :], tail[: -_END.size]
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06") or end[-2:] != b"\0\0":
        raise NotImported("This is not a file of Durascope: it is no zip file, or it was cut off")
    _, disk, first_disk, _, entries, directory_bytes, _, _ = _END.unpack(end)
    if before.startswith(_LARGE) or disk or first_disk:
        raise NotImported("This zip file was not written by Durascope")
    if entries > MOST_PARTS or directory_bytes > MOST_DIRECTORY:
        raise NotImported(f"The file has too many parts; at most {MOST_PARTS:,} are read")
    file.seek(0)


def _look_at(part: zipfile.ZipInfo) -> None:
    if not NAME.fullmatch(part.filename) or part.orig_filename != part.filename:
        raise NotImported(f"The file holds a part that no experiment has: {part.filename[:80]!r}")
    if part.flag_bits & 1 or part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImported(f"The part {part.filename} is packed in a way that Durascope does not use")
    if part.file_size > MOST_OF_A_PART:
        raise NotImported(f"The part {part.filename} has more than {MOST_OF_A_PART >> 20} MiB")
