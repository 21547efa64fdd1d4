"""The evidence after a crash as plain values, from the readers of engine, binlog and replica."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from workers.crash.outage import ClientOutage
from workers.crash.transactions import Keys, belongs, is_written, rows_expected


def nothing() -> Keys:
    return np.array([], dtype=np.int64)


def joined(parts: Iterable[Keys]) -> Keys:
    return np.concatenate([*parts, nothing()])


def together(parts: Iterable[Keys]) -> Keys:
    """Every key of these arrays once, ascending. numpy's unique() hashes and takes ten times as long."""
    keys = np.sort(joined(parts))
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

    `whole`: keys whose rows are all there as written, ascending. `parts`: keys of which only some rows are there.
    `twice`: keys that occur more often than they were sent. `altered`: keys of rows whose table, part or digest differs
    from the witness's row. `filled`: of these, those whose rows are all there.
    """

    whole: Keys
    parts: Keys = field(default_factory=nothing)
    twice: Keys = field(default_factory=nothing)
    altered: Keys = field(default_factory=nothing)
    filled: Keys = field(default_factory=nothing)

    def there(self) -> Keys:
        """Keys that are not missing: an altered row is told as such."""
        return together((self.whole, self.filled))

    def all(self) -> Keys:
        """Every key that any row names."""
        return together((self.whole, self.parts, self.altered))


def seen_in(secret: bytes, keys: Keys, places: Keys, digests: Keys) -> Seen:
    """Of each row: its transaction's key, its place and its digest, in any order.

    A row counts for its transaction when it equals the witness's row. Any other row makes its transaction altered, and
    fills its place: it is not missing, too. A duplicate row counts once. Rows are joined over the whole binlog, because
    an engine without transactions logs each statement by itself.
    """
    right = is_written(secret, keys, places, digests)
    altered = together([keys[~right]])
    found = _counted(keys[right], places[right])
    expected = rows_expected(found.keys)
    parts = found.keys[found.places < expected]
    filled = nothing()
    if len(altered):
        ours = np.isin(keys, altered) & belongs(keys, places)
        known = _counted(keys[ours], places[ours])
        all_there = known.places == rows_expected(known.keys)
        parts, filled = together((without(parts, altered), known.keys[~all_there])), known.keys[all_there]
    return Seen(found.keys[found.places == expected], parts, found.keys[found.rows > expected], altered, filled)


@dataclass(frozen=True)
class _RowCounts:
    """Of each key, ascending: in how many places it has rows, and how many rows."""

    keys: Keys
    places: Keys
    rows: Keys


def _counted(keys: Keys, places: Keys) -> _RowCounts:
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    begins = np.flatnonzero(differs(keys))
    filled = np.add.reduceat((differs(keys) | differs(places)).astype(np.int64), begins)
    return _RowCounts(keys[begins], filled, np.diff(begins, append=keys.size))


def differs(values: Keys) -> npt.NDArray[np.bool_]:
    """Where a run of equal values begins."""
    begins: npt.NDArray[np.bool_] = np.diff(values, prepend=values[:1] - 1) != 0
    return begins


NAMED = 10  # the first ones are kept in words


@dataclass(frozen=True)
class Oddities:
    """Events in a binlog that the witness did not cause. `count`: of all; `first`: the first ones in words, with their
    places."""

    count: int = 0
    first: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.count > 0

    def __add__(self, more: "Oddities") -> "Oddities":
        return Oddities(self.count + more.count, (self.first + more.first)[:NAMED])


NOTHING_ODD = Oddities()


class OddityNotes:
    def __init__(self) -> None:
        self._count = 0
        self._first: list[str] = []

    def add(self, what: str) -> None:
        self._count += 1
        if len(self._first) < NAMED:
            self._first.append(what)

    def all(self) -> Oddities:
        return Oddities(self._count, tuple(self._first))


@dataclass(frozen=True)
class BinlogSeen:
    """The witness's transactions in the binlog, and the state of the binlog itself.

    `gtids`: GTID text -> key, in the binlog's order. `end`: "clean" (STOP or ROTATE), "open" (ends at an event's
    border), "torn" (an event is cut off), "zeros" (ends in zeros), "bad checksum"; `end_at`: file:position of the last
    good event; `unreadable`: why a replica cannot read it to the end, "" when it can.

    `order`: keys in the order of the transactions. `scattered`: keys whose rows are all there, but not as the witness
    writes them. `odd`: events in the witness's schema that it did not cause; `others`: transactions outside its schema;
    `gaps`: GTIDs that do not follow the one before. `read_to`: of each file, the byte after the last good event.
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

    `state`: "caught up", "stopped" (with the server's `error`) or "unknown"; `different_rows`: rows that only one side
    has, None: not compared; `only_source`, `only_follower`: the first of them, as (client, n). `other_gtids`: executed
    GTIDs of both when they differ; "": they are equal, or were not compared. `errant`: GTIDs that the source lacks.
    """

    moment: str
    state: str
    error: str = ""
    different_rows: int | None = None
    seen: Seen | None = None
    only_source: tuple[tuple[int, int], ...] = ()
    only_follower: tuple[tuple[int, int], ...] = ()
    other_gtids: str = ""
    errant: str = ""


@dataclass(frozen=True, kw_only=True)
class Read:
    """What was read after a crash. None: not readable; `problems` says why. `secret`: of the digests in the rows."""

    problems: tuple[str, ...] = ()
    secret: bytes = b""


@dataclass(frozen=True)
class Evidence(Read):
    engine: Seen | None
    binlog: BinlogSeen | None  # None also without a binlog; then `binlog_expected` is False
    binlog_expected: bool = True
    replicas: tuple[ReplicaSeen, ...] = ()
    replica_expected: bool = False
    prepared_left: int | None = None  # XA RECOVER
    tables_ok: bool | None = None  # CHECK TABLE
    gtid_before: str = ""
    gtid_after: str = ""
    reissued: tuple[str, ...] = ()  # GTIDs of acknowledged transactions that were used again after recovery
    gtids_expected: bool = True  # False: the server has no GTIDs
    gtids_known: bool = True  # False: the GTIDs before the crash could not be read
    recovery_lines: tuple[str, ...] = ()  # of the error log
    stays_down: str | None = None  # why the server ended after the crash; "" when it came back
    rewritten: Oddities | None = None  # differences from the copy that was taken at the crash
    others_write: bool = False  # an attached server may have other clients
    files_expected: bool = True  # False: the binlog's files are not on this host
    outage: ClientOutage | None = None  # None: no client reconnected

    @property
    def gtids(self) -> bool | None:
        """For the `needs` of a check."""
        return self.gtids_known or None
