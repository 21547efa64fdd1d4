"""What is under the cache: an image file, or the base of a recording with one of its states over it."""

import mmap
import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

BLOCK_BYTES = 4096
Block = bytes | memoryview


def blocks_of(offset: int, length: int) -> range:
    """The numbers of the blocks that these bytes touch."""
    return range(offset // BLOCK_BYTES, -(-(offset + length) // BLOCK_BYTES))


def rewritten(offset: int, data: Block, before: Callable[[int], Block]) -> Iterator[tuple[int, Block]]:
    """The blocks of a write, with their new content. `before`: what stood in a block."""
    done = 0
    while done < len(data):
        number, start = divmod(offset + done, BLOCK_BYTES)
        piece = data[done : done + BLOCK_BYTES - start]
        done += len(piece)
        if len(piece) < BLOCK_BYTES:
            old = bytes(before(number))
            piece = old[:start] + piece + old[start + len(piece) :]
        yield number, piece


class Image:
    """A file; only `write` changes it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def read(self, offset: int, length: int) -> bytes:
        return os.pread(self._fd, length, offset)

    def write(self, offset: int, pieces: Sequence[Block]) -> None:
        if os.pwritev(self._fd, pieces, offset) != sum(map(len, pieces)):
            raise OSError("the image took only a part of the blocks")


class StateImage(Image):
    """A file that is never changed. What is written lies in memory over it, until the next state."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self._over: dict[int, Block] = {}

    def become(self, blocks: dict[int, Block]) -> None:
        self._over = blocks

    def read(self, offset: int, length: int) -> bytes:
        numbers = blocks_of(offset, length)
        if self._over.keys().isdisjoint(numbers):
            return super().read(offset, length)
        return b"".join(map(self._block, numbers))[offset % BLOCK_BYTES :][:length]

    def write(self, offset: int, pieces: Sequence[Block]) -> None:
        self._over.update(rewritten(offset, b"".join(pieces), self._block))

    def _block(self, number: int) -> Block:
        return self._over.get(number) or super().read(number * BLOCK_BYTES, BLOCK_BYTES)


def packed(blocks: Mapping[int, Block]) -> Sequence[Block]:
    """Blocks on their way to the disk's process: how many, their numbers, their contents."""
    return [struct.pack(f"<Q{len(blocks)}Q", len(blocks), *blocks), *blocks.values()]


def unpacked(fd: int, size_bytes: int) -> dict[int, Block]:
    """ValueError: these are no blocks of a disk of that size."""
    given = memoryview(mmap.mmap(fd, 0, prot=mmap.PROT_READ))
    (count,) = struct.unpack_from("<Q", given) if len(given) >= 8 else (0,)
    if len(given) < 8 or len(given) != 8 + count * (8 + BLOCK_BYTES):
        raise ValueError("the blocks are not complete")
    numbers = struct.unpack_from(f"<{count}Q", given, 8)
    if max(numbers, default=0) >= max(1, size_bytes // BLOCK_BYTES):
        raise ValueError("a block lies outside of the disk")
    contents = given[8 + 8 * count :]
    return {number: contents[at * BLOCK_BYTES : (at + 1) * BLOCK_BYTES] for at, number in enumerate(numbers)}
