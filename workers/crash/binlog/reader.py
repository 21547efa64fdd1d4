"""The witness's transactions in a whole binlog, and the state it is in."""

import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from workers.crash.binlog.events import BinlogUnknown, EventLog
from workers.crash.binlog.groups import MOST_CLIENTS, MOST_NUMBERS, NOBODY, Groups
from workers.crash.evidence import BinlogSeen, Seen, nothing
from workers.crash.transactions import CLIENT_SHIFT, Keys, rows_expected
from workers.sandbox import untrusted

MOST_INDEX_BYTES = 16 << 20
DAMAGED = ("torn", "zeros", "bad checksum")
UNLIKE = (struct.error, IndexError, ValueError, zlib.error)


@dataclass(frozen=True)
class FileEnd:
    """How one file ends; `position`: the byte after its last good event."""

    name: str
    end: str
    position: int
    missing: bool = False


def read(files: Sequence[Path], schema: str) -> BinlogSeen:
    """Read files in the order of the index, each up to its first damage.

    `end` and `end_at` tell of the first damaged file, else of the last one. Raises BinlogUnknown when the binlog
    holds what cannot be understood (encryption, compression, statements instead of rows), and OSError.
    """
    if not files:
        raise BinlogUnknown("The index names no binlog file.")
    groups = Groups(schema)
    ends = [_read_file(path, groups) for path in files]
    groups.finish()
    telling = next((end for end in ends if end.end in DAMAGED), ends[-1])
    return BinlogSeen(
        seen=seen(*_columns(groups)),
        gtids={gtid: key for gtid, key in groups.named.items() if key is not None},
        end=telling.end,
        end_at=f"{telling.name}:{telling.position}",
        unreadable=unreadable(ends),
        reused=tuple(groups.reused),
    )


def files_of(datadir: Path, base: str) -> list[Path]:
    """The files that `base`.index names, in its order; they need not exist. BinlogUnknown: the index is damaged, or
    names files outside of its folder: the server writes it, and could have us read any file."""
    text = untrusted.read(datadir / f"{base}.index", MOST_INDEX_BYTES)
    if b"\0" in text:
        raise BinlogUnknown(f"{base}.index holds zeros: which files belong to the binlog is not known.")
    named = [datadir / line.strip() for line in os.fsdecode(text).splitlines() if line.strip()]
    folder = os.path.realpath(datadir)
    if any(os.path.realpath(path.parent) != folder or path.name in ("", "..") for path in named):
        raise BinlogUnknown(f"{base}.index names files in another folder: they are not read.")
    return [datadir / path.name for path in named]


def unreadable(ends: Sequence[FileEnd]) -> str:
    """Where a replica that reads the files in this order has to stop, and why; "" when it can read them all.

    A tail is torn or zero at a crash; the replica meets it when the server has begun another file after it.
    """
    for end, following in zip(ends, (*ends[1:], None), strict=True):
        if end.missing:
            return f"The index names {end.name}, which is not there."
        if end.end == "bad checksum":
            return f"The event at {end.name}:{end.position} has a wrong checksum: a replica stops there."
        if end.end in DAMAGED and following:
            how = "ends in zeros" if end.end == "zeros" else "is torn"
            return f"{end.name} {how} at {end.position}, and {following.name} follows: a replica stops there."
    return ""


def seen(keys: Keys, slots: npt.NDArray[np.int64]) -> Seen:
    """Transactions from their rows: of each row its key and its slot. A row that is there twice fills one slot.

    Rows are put together over the whole binlog: an engine without transactions logs each statement by itself.
    """
    order = np.lexsort((slots, keys))
    keys, slots = keys[order], slots[order]
    begins = np.flatnonzero(_differs(keys))
    present = keys[begins]
    if not present.size:
        return Seen(nothing())
    filled = np.add.reduceat((_differs(keys) | _differs(slots)).astype(np.int64), begins)
    rows = np.diff(begins, append=keys.size)
    expected = rows_expected(present)
    return Seen(present[filled >= expected], present[filled < expected], present[rows > expected])


def _differs(values: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Where a run of equal values begins."""
    return np.diff(values, prepend=values[:1] - 1) != 0


def _columns(groups: Groups) -> tuple[Keys, npt.NDArray[np.int64]]:
    clients, numbers, slots = np.array(groups.rows, dtype=np.int64).reshape(-1, 3).T
    possible = (clients >= 0) & (clients < MOST_CLIENTS) & (numbers > 0) & (numbers < MOST_NUMBERS)
    return np.where(possible, clients << CLIENT_SHIFT | numbers, NOBODY), slots


def _read_file(path: Path, groups: Groups) -> FileEnd:
    groups.begin_file()
    log = EventLog(path)
    try:
        for kind, event in log:
            try:
                groups.add(kind, event)
            except UNLIKE as error:
                if log.checked:
                    raise BinlogUnknown(f"{path.name}: an event of type {kind} is not understood: {error}.") from error
                log.stop_at(event)
                break
    except FileNotFoundError:
        return FileEnd(path.name, "torn", 0, missing=True)
    return FileEnd(path.name, log.end, log.end_position)
