"""Compares a binlog with its copy from the crash. A recovery may truncate it, and must not change it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from workers.crash.binlog.events import BLOCK_BYTES, IN_USE, MAGIC
from workers.crash.evidence import Oddities, OddityNotes
from workers.sandbox import untrusted

FLAGS_AT = len(MAGIC) + 17  # of the file's description: a server clears the flag "in use" when it closes the file


def rewritten(before: Sequence[Path], now: Sequence[Path], read_to: Mapping[str, int]) -> Oddities:
    """Files that differ from the copy, up to the last good event. Raises OSError.

    A missing file is no difference: other checks find its missing transactions.
    """
    noted = OddityNotes()
    present = {path.name: path for path in now}
    for copy in before:
        path = present.get(copy.name)
        if path and path.exists() and (at := _differs_at(copy, path, read_to.get(path.name, 0))) is not None:
            noted.add(f"{path.name}:{at}")
    return noted.all()


def _differs_at(copy: Path, path: Path, end: int) -> int | None:
    """The first place, None when there is none before `end`, or before the end of the shorter file."""
    with copy.open("rb") as one, untrusted.opened(path) as other:
        for begin in range(0, end, BLOCK_BYTES):
            size = min(BLOCK_BYTES, end - begin)
            left, right = (_without_flag(file.read(size), begin) for file in (one, other))
            size = min(len(left), len(right))
            if left[:size] != right[:size]:
                return begin + next(at for at in range(size) if left[at] != right[at])
    return None


def _without_flag(block: bytes, begin: int) -> bytes:
    if begin or len(block) <= FLAGS_AT:
        return block
    return block[:FLAGS_AT] + bytes([block[FLAGS_AT] & ~IN_USE]) + block[FLAGS_AT + 1 :]
