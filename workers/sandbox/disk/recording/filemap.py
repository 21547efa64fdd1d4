"""Which file each block of a recorded disk belongs to, by the file system's own map.

The map is read from the file system as it was when the recording began and when it ended. A file that was made and
removed in between is not in it, nor are the journal and the file system's own tables.
"""

import fcntl
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from workers.sandbox import untrusted
from workers.sandbox.disk.image import BLOCK_BYTES
from workers.sandbox.disk.recording.states import CrashPoint, States
from workers.sandbox.disk.replay import ReplayDisk

FIEMAP = 0xC020660B  # ioctl of linux/fiemap.h
HEAD, EXTENT = struct.Struct("<QQIIII"), struct.Struct("<QQQ16xI12x")
EXTENTS = 256  # asked for at once
LAST, NOT_ON_DISK = 0x1, 0x2 | 0x4 | 0x200 | 0x400  # unknown or delayed; inside other data
MOST_EXTENTS = 1_000_000
FILE_SYSTEM = "file system"
ROLES = {
    "ib_logfile*": "redo",
    "*#innodb_redo/*": "redo",
    "*.rocksdb/*.log": "redo",
    "tokudb.log*": "redo",
    "binlog.[0-9]*": "binlog",
    "*relay-bin.[0-9]*": "relay log",
    "*.dblwr": "doublewrite",
    "undo*": "undo",
    "*.ibu": "undo",
    "ibdata*": "data",
    "*.ibd": "data",
}
DOUBLEWRITE = range(64 * 16384, 192 * 16384)  # of ibdata1, before MySQL 8.0.20: pages of the second and third MiB


@dataclass(frozen=True, order=True)
class Extent:
    """Blocks in a row that hold a piece of a file."""

    first: int
    blocks: int
    offset: int  # in the file
    path: str


@dataclass(frozen=True)
class BlockPlace:
    """`path`: from the top of the disk; `offset`: in bytes."""

    path: str
    offset: int

    @property
    def role(self) -> str:
        name = PurePosixPath(self.path).name
        if name == "ibdata1" and self.offset in DOUBLEWRITE:
            return "doublewrite"
        fits = (role for pattern, role in ROLES.items() if fnmatchcase(self.path if "/" in pattern else name, pattern))
        return next(fits, "other file")


class FileMap:
    """`maps`: the extents of each look at the file system, the most trusted first."""

    def __init__(self, *maps: list[Extent]) -> None:
        self._maps = [sorted(extents) for extents in maps]

    @classmethod
    def of(cls, states: States, disk: ReplayDisk) -> "FileMap":
        """The disk is left in another state. BrokenFileSystem: its file system cannot be mounted at the end."""
        maps = []
        for moment in (len(states.recording.events), 0):
            disk.become(states.blocks(CrashPoint(moment, "written")))
            maps.append(list(extents_below(disk.mnt)))
        return cls(*maps)

    def place(self, block: int) -> BlockPlace | None:
        """None: it belongs to no file."""
        for extents in self._maps:
            at = bisect_right(extents, block, key=lambda extent: extent.first) - 1
            if at >= 0 and block < extents[at].first + extents[at].blocks:
                found = extents[at]
                return BlockPlace(found.path, found.offset + (block - found.first) * BLOCK_BYTES)
        return None

    def role(self, block: int) -> str:
        """What the block is for: redo, binlog, relay log, doublewrite, undo, data, other file, file system."""
        place = self.place(block)
        return place.role if place else FILE_SYSTEM


def extents_below(folder: Path) -> Iterator[Extent]:
    """Of all files in a mounted file system. OSError: it is damaged."""
    for path, file in untrusted.files(folder):
        yield from _extents(path, file)


def _extents(path: str, file: BinaryIO) -> Iterator[Extent]:
    start, flags, seen = 0, 0, 0
    while not flags & LAST and seen < MOST_EXTENTS:
        asked = bytearray(HEAD.pack(start, 2**64 - 1 - start, 0, 0, EXTENTS, 0) + bytes(EXTENTS * EXTENT.size))
        fcntl.ioctl(file, FIEMAP, asked)
        found = HEAD.unpack_from(asked)[3]
        if not found:
            return
        for number in range(found):
            offset, physical, length, flags = EXTENT.unpack_from(asked, HEAD.size + number * EXTENT.size)
            start = offset + length
            if not flags & NOT_ON_DISK:
                yield Extent(physical // BLOCK_BYTES, length // BLOCK_BYTES, offset, path)
        seen += found
