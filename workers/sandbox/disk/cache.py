"""The blocks of a disk with a volatile write cache: some in memory, the others in the image."""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from workers.sandbox.disk.image import BLOCK_BYTES, Image, blocks_of

SECTOR_BYTES = 512
MOST_BLOCKS = 512  # per pwritev, below IOV_MAX


@dataclass(frozen=True)
class Cut:
    """Bytes in memory at the cut: lost ones, and those that reached the image."""

    lost_bytes: int = 0
    kept_bytes: int = 0


class Cache:
    """Two generations of unflushed blocks over an image.

    `fresh`: written since the last flush began. `leaving`: of the flush in progress; they are in the image only after
    its end. Blocks are immutable, so a block in both needs no copy.
    """

    def __init__(self, image: Image, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        self.fresh: dict[int, bytes] = {}
        self.leaving: dict[int, bytes] = {}
        self.frozen = False
        self.image = image

    @property
    def pending_bytes(self) -> int:
        return (len(self.fresh) + len(self.leaving)) * BLOCK_BYTES

    def write(self, offset: int, data: memoryview) -> None:
        """As `image.rewritten`, which would make each write a microsecond longer."""
        done = 0
        while done < len(data):
            number, start = divmod(offset + done, BLOCK_BYTES)
            piece = bytes(data[done : done + BLOCK_BYTES - start])
            if len(piece) < BLOCK_BYTES:
                old = self._block(number)
                self.fresh[number] = old[:start] + piece + old[start + len(piece) :]
            else:
                self.fresh[number] = piece
            done += len(piece)

    def read(self, offset: int, length: int) -> bytes:
        numbers = blocks_of(offset, length)
        if self.fresh.keys().isdisjoint(numbers) and self.leaving.keys().isdisjoint(numbers):
            return self.image.read(offset, length)
        return b"".join(map(self._block, numbers))[offset % BLOCK_BYTES :][:length]

    def begin_flush(self) -> int:
        """Begin to flush everything written so far; returns its bytes."""
        self.leaving, self.fresh = self.fresh, {}
        return len(self.leaving) * BLOCK_BYTES

    def finish_flush(self) -> None:
        """Write the leaving blocks to the image. OSError (a full host disk): they stay in memory. After a cut the image
        is not changed."""
        try:
            if not self.frozen:
                for numbers in _runs(sorted(self.leaving)):
                    self.image.write(numbers[0] * BLOCK_BYTES, [self.leaving[number] for number in numbers])
                self.leaving = {}
        finally:
            if self.leaving:
                self.fresh, self.leaving = self.leaving | self.fresh, {}

    def cut(self, keep_permille: int = 0, seed: int = 0, granularity: int = SECTOR_BYTES) -> Cut:
        """The power goes: from now on the image does not change, and writes live in memory until `forget`.

        A part of the unflushed pieces of `granularity` bytes gets through, in no order. Which ones depends on the
        seed and on the piece's place alone (a block that is both leaving and written anew has two chances), so that
        the same seed tears the same blocks in the same way.
        """
        kept = 0
        if keep_permille:
            for generation, blocks in enumerate((self.leaving, self.fresh)):
                for number, block in blocks.items():
                    for start in survivors(keep_permille, seed, granularity, generation, number):
                        self.image.write(number * BLOCK_BYTES + start, [block[start : start + granularity]])
                        kept += granularity
        self.frozen = True
        return Cut(self.pending_bytes - kept, kept)

    def forget(self) -> None:
        """Power on again: only the image remains."""
        self.fresh, self.leaving, self.frozen = {}, {}, False

    def _block(self, number: int) -> bytes:
        block = self.fresh.get(number) or self.leaving.get(number)
        return block or self.image.read(number * BLOCK_BYTES, BLOCK_BYTES)


def _runs(numbers: list[int]) -> Iterator[list[int]]:
    """Consecutive numbers together, at most MOST_BLOCKS of them."""
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        together = [number for _, number in run]
        yield from (together[at : at + MOST_BLOCKS] for at in range(0, len(together), MOST_BLOCKS))


def survivors(keep_permille: int, seed: int, granularity: int, generation: int, number: int) -> Iterator[int]:
    """The begins of the surviving pieces of a block: 16 bits of a hash decide on each."""
    most = BLOCK_BYTES // SECTOR_BYTES
    drawn = hashlib.blake2b(f"{seed} {generation} {number}".encode(), digest_size=2 * most).digest()
    for start, dice in zip(range(0, BLOCK_BYTES, granularity), struct.unpack(f"<{most}H", drawn), strict=False):
        if dice * 1000 < keep_permille << 16:
            yield start
