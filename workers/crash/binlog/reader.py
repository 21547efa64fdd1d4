"""The witness's transactions in a binlog, and the state of the binlog."""

import os
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workers.crash.binlog.bounds import WIDE, ReadBounds
from workers.crash.binlog.events import BLOCK_BYTES, IN_USE, KIND_AT, MAGIC, BinlogUnknown, EventLog
from workers.crash.binlog.groups import Groups
from workers.crash.binlog.sequence import Transactions
from workers.crash.evidence import NOTHING_ODD, BinlogSeen, Oddities, OddityNotes
from workers.sandbox import untrusted

MOST_INDEX_BYTES = 16 << 20
DAMAGED = ("torn", "zeros", "bad checksum")
UNLIKE = (struct.error, IndexError, ValueError, zlib.error)
FLAGS_AT = len(MAGIC) + 17  # of the file's description: a server clears the flag "in use" when it closes the file


@dataclass(frozen=True)
class FileEnd:
    """How one file ends. `position`: the byte after its last good event; `transactions`: how many there are up to here,
    those of earlier files included."""

    name: str
    end: str
    position: int
    transactions: int
    odd: Oddities = NOTHING_ODD
    missing: bool = False
    refused: str = ""  # the server's own words, where it did not send the file to its end


def read(
    files: Sequence[Path],
    schema: str,
    secret: bytes,
    refused: Mapping[str, str] = {},
    own_tables: Iterable[str] = (),
    servers: int = 1,
    bounds: ReadBounds = WIDE,
) -> BinlogSeen:
    """Read files in the order of the index, each up to its first damage. `secret`: of the rows' digests. `refused`: of
    files that a server sent, by name, why it did not send them to their end. `own_tables`: of an own transaction.
    `servers`: how many wrote transactions, one after the other; after a failover 2.

    `end` and `end_at` tell of the first damaged file, else of the last one. Raises BinlogUnknown when the binlog
    holds what cannot be understood (encryption, compression, statements instead of rows) or passes the bounds, and
    OSError.
    """
    if not files:
        raise BinlogUnknown("The index names no binlog file.")
    groups = Groups(schema, own_tables, bounds)
    ends = [replace(_read_file(path, groups, bounds.event_bytes), refused=refused.get(path.name, "")) for path in files]
    telling = next((end for end in ends if end.end in DAMAGED or end.refused), ends[-1])
    found = Transactions(groups, [end.transactions for end in ends if end.end != "clean"], secret)
    return BinlogSeen(
        seen=found.seen,
        gtids=found.gtids,
        end=telling.end,
        end_at=f"{telling.name}:{telling.position}",
        unreadable=unreadable(ends),
        reused=found.reused(),
        order=found.order,
        scattered=found.scattered(),
        gaps=found.gaps(),
        odd=sum((end.odd for end in ends), groups.odd.all()) + found.unlike(servers),
        others=groups.others.all(),
        read_to={end.name: end.position for end in ends},
    )


def transactions(files: Sequence[Path]) -> int:
    """How many transactions the files hold up to their first damage, whoever's. Raises as `read`."""
    groups = Groups("")
    for path in files:
        _read_file(path, groups, WIDE.event_bytes)
    return groups.count


def files_of(index: Path, home: Path | None = None) -> list[Path]:
    """The files that the index names, in its order; they need not exist. Relative names begin at `home`, by default in
    the folder of the index. BinlogUnknown: the index is damaged, or names files in another folder, which a hostile
    server could do."""
    text, folder = untrusted.read(index, MOST_INDEX_BYTES), index.parent
    if b"\0" in text:
        raise BinlogUnknown(f"{index.name} holds zeros: which files belong to the binary log is not known.")
    named = [(home or folder) / line.strip() for line in os.fsdecode(text).splitlines() if line.strip()]
    if any(os.path.realpath(path.parent) != os.path.realpath(folder) or path.name == ".." for path in named):
        raise BinlogUnknown(f"{index.name} names files in another folder: they are not read.")
    return [folder / path.name for path in named]


def unreadable(ends: Sequence[FileEnd]) -> str:
    """Where a replica must stop when it reads the files in this order, and why; "" when it can read them all.

    A tail is torn or zero at a crash; the replica meets it when the server has begun another file after it.
    """
    for end, following in zip(ends, (*ends[1:], None), strict=True):
        if end.refused:
            return (
                f"A replica stops at byte {end.position:,} of {end.name}: the server does not send on ({end.refused})."
            )
        if end.missing:
            return f"The index names {end.name}, which is not there."
        if end.end == "bad checksum":
            return f"A replica stops at byte {end.position:,} of {end.name}: the event there has a wrong checksum."
        if end.end in DAMAGED and following:
            how = "from there on it holds zeros only" if end.end == "zeros" else "the file is torn there"
            where = f"byte {end.position:,} of {end.name}"
            return f"A replica stops at {where}: {how}, and {following.name} follows."
    return ""


def _read_file(path: Path, groups: Groups, most_event_bytes: int) -> FileEnd:
    log = EventLog(path, most_event_bytes)
    groups.begin_file(path.name)
    try:
        for batch in log.batches():
            try:
                groups.take(batch)
            except UNLIKE as error:
                if log.checked:
                    kind = groups.event[KIND_AT]
                    raise BinlogUnknown(f"{path.name}: an event of type {kind} is not understood: {error}.") from error
                log.stop_at(groups.event, batch)
                break
    except FileNotFoundError:
        return FileEnd(path.name, "torn", 0, groups.count, missing=True)
    groups.finish(in_order=log.end == "clean")
    return FileEnd(path.name, log.end, log.end_position, groups.count, log.odd.all())


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
