"""What was found after a crash, as plain values: filled by the readers of engine, binlog and replica."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from workers.crash.oddities import NOTHING_ODD, Oddities
from workers.crash.transactions import Keys


def nothing() -> Keys:
    return np.array([], dtype=np.int64)


def together(parts: Iterable[Keys]) -> Keys:
    """Every key that is in any of these, ascending. numpy's own unique() hashes, which takes ten times as long."""
    keys = np.sort(np.concatenate([*parts, nothing()]))
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def without(keys: Keys, others: Keys) -> Keys:
    """Those keys that are not among the others; both are ascending."""
    if not len(others):
        return keys
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    left: Keys = keys[others[at] != keys]
    return left


@dataclass(frozen=True)
class Seen:
    """Transactions of the witness in one place.

    `whole`: keys whose rows are all there as they were written, ascending. `parts`: keys of which some rows are there
    and some are not. `twice`: keys that occur more often than they were sent (a binlog may hold a transaction twice).
    `altered`: keys of rows that differ from what the witness wrote: in their table, their part or their digest.
    """

    whole: Keys
    parts: Keys = field(default_factory=nothing)
    twice: Keys = field(default_factory=nothing)
    altered: Keys = field(default_factory=nothing)

    def all(self) -> Keys:
        """Every key that any row names."""
        return together((self.whole, self.parts, self.altered))


@dataclass(frozen=True)
class BinlogSeen:
    """The witness's transactions in the binlog, and the state of the binlog itself.

    `gtids`: GTID text -> key, in the binlog's order. `end`: "clean" (STOP or ROTATE), "open" (ended in mid-life at an
    event's border), "torn" (an event is cut off), "zeros" (ends in zeros), "bad checksum"; `end_at`: file:position of
    the last good event; `unreadable`: why a replica could not read it to the end, "" when it could.

    `order`: keys as transactions follow each other. `scattered`: keys whose rows are all there and are not written as
    the witness writes them. `odd`: what the witness did not cause in its schema; `others`: transactions that leave
    its schema alone; `gaps`: GTIDs that do not follow the one before. `read_to`: of each file, the byte after the last
    good event.
    """

    seen: Seen
    gtids: Mapping[str, int]
    end: str
    end_at: str
    unreadable: str = ""
    reused: tuple[str, ...] = ()  # GTIDs that name two different transactions
    order: Keys = field(default_factory=nothing)
    scattered: Keys = field(default_factory=nothing)
    odd: Oddities = NOTHING_ODD
    others: Oddities = NOTHING_ODD
    gaps: Oddities = NOTHING_ODD
    read_to: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ReplicaSeen:
    """A replica after one of its reconnections. `moment`: "after recovery" or "after the primary wrote on".

    `state`: "caught up", "stopped" (`error` word for word) or "unknown"; `different_rows`: rows that one side has and
    the other has not, None when they could not be compared; `only_source`,
    `only_follower`: the first of them, as (client, n).
    """

    moment: str
    state: str
    error: str = ""
    different_rows: int | None = None
    seen: Seen | None = None
    only_source: tuple[tuple[int, int], ...] = ()
    only_follower: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Evidence:
    """Everything a trial found. None: could not be read; `problems` says why, step by step."""

    engine: Seen | None
    binlog: BinlogSeen | None  # None also where the server keeps no binlog: then `binlog_expected` is False
    binlog_expected: bool = True
    replicas: tuple[ReplicaSeen, ...] = ()
    replica_expected: bool = False
    prepared_left: int | None = None  # XA RECOVER
    tables_ok: bool | None = None  # CHECK TABLE
    gtid_before: str = ""
    gtid_after: str = ""
    reissued: tuple[str, ...] = ()  # GTIDs of acknowledged transactions that are given out again after recovery
    gtids_expected: bool = True  # False: the server gives its transactions none
    gtids_known: bool = True  # False: what GTIDs there were before the crash could not be read
    recovery_lines: tuple[str, ...] = ()  # of the error log
    stays_down: str | None = None  # why the server ended on what the crash had left, "" when it came back
    problems: tuple[str, ...] = field(default_factory=tuple)
    rewritten: Oddities | None = None  # where the binlog differs from the copy that was taken at the crash
    others_write: bool = False  # the server is somebody's: it may commit what is not the witness's
    secret: bytes = b""  # of the digests in the rows
