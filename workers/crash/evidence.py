"""What was found after a crash, as plain values: filled by the readers of engine, binlog and replica."""

from dataclasses import dataclass, field

import numpy as np

from workers.crash.transactions import Keys


def nothing() -> Keys:
    return np.array([], dtype=np.int64)


@dataclass(frozen=True)
class Seen:
    """Transactions of the witness in one place.

    `whole`: keys whose rows are all there, ascending. `parts`: keys of which some rows are there and some are not.
    `twice`: keys that occur more often than they were sent (a binlog may hold a transaction twice).
    """

    whole: Keys
    parts: Keys = field(default_factory=nothing)
    twice: Keys = field(default_factory=nothing)


@dataclass(frozen=True)
class BinlogSeen:
    """The witness's transactions in the binlog, and the state of the binlog itself.

    `gtids`: GTID text -> key, in the binlog's order. `end`: "clean" (STOP or ROTATE), "open" (ended in mid-life at an
    event's border), "torn" (an event is cut off), "zeros" (ends in zeros), "bad checksum"; `end_at`: file:position of
    the last good event; `unreadable`: why a replica could not read it to the end, "" when it could.
    """

    seen: Seen
    gtids: dict[str, int]
    end: str
    end_at: str
    unreadable: str = ""
    reused: tuple[str, ...] = ()  # GTIDs that name two different transactions


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
