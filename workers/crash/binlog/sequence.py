"""A binlog as a sequence of transactions: their order, their GTIDs, and whether each is written as the witness writes
it. numpy processes all at once."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from workers.crash.binlog import rows
from workers.crash.binlog.groups import ENDS, TABLE_BITS, Groups
from workers.crash.binlog.how import How
from workers.crash.binlog.names import ANONYMOUS, NO_GTID, GtidSource
from workers.crash.evidence import Oddities, OddityNotes, differs, seen_in, together, without
from workers.crash.transactions import Keys, place_of, rows_expected

SOME = 5  # server ids with their numbers
NOT_OURS = -2  # stands for the key of a transaction without rows of the witness
ENDINGS: dict[int, str] = {
    How.XID: "an XID event",
    How.COMMIT: "the statement COMMIT",
    How.STATEMENT: "a statement without a transaction",
    How.ROLLED_BACK: "ROLLBACK",
    How.PREPARED: "XA PREPARE",
    How.XA_COMMIT: "XA COMMIT",
}
STYLES = {NO_GTID: "no GTID event", ANONYMOUS: "an anonymous GTID"}
Numbers = npt.NDArray[np.int64]


class Gtids(Mapping[str, int]):
    """GTID text -> key of the witness's transaction, in the binlog's order; of a GTID that is there twice, the first.
    The texts are made when they are asked for."""

    def __init__(self, sources: Sequence[GtidSource], source: Numbers, number: Numbers, keys: Keys) -> None:
        self._sources, self._columns = sources, (source, number, keys)

    @cached_property
    def _texts(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for source, number, key in zip(*(column.tolist() for column in self._columns), strict=True):
            found.setdefault(f"{self._sources[source].prefix}{number}", key)
        return {gtid: key for gtid, key in found.items() if key != NOT_OURS}

    def __getitem__(self, gtid: str) -> int:
        return self._texts[gtid]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


class Transactions:
    """All transactions of a binlog, whoever's they are. `runs`: how many of them there were before each moment at which
    the numbering of GTIDs may begin anew, a crash."""

    def __init__(self, groups: Groups, runs: Sequence[int], secret: bytes) -> None:
        self._groups, self._runs = groups, runs
        pieces = np.array(groups.pieces, dtype=np.int64)
        self._rows = rows.decoded(bytes(groups.raw), pieces & (1 << TABLE_BITS) - 1, pieces >> TABLE_BITS)
        ends = np.array(groups.ends, dtype=np.int64).reshape(-1, ENDS)
        self._source, self._number, upto, self._how, self._server = ends.T
        group_of_piece = np.repeat(np.arange(len(upto)), np.diff(upto, prepend=0))
        self._group = group_of_piece[self._rows.events]
        self._begins = np.flatnonzero(differs(self._group))  # first row of each transaction that has any
        self._ours = self._group[self._begins]
        self.keys = np.full(len(upto), NOT_OURS, dtype=np.int64)
        self.keys[self._ours] = self._rows.keys[self._begins]
        self.seen = seen_in(secret, self._rows.keys, self._rows.places, self._rows.digests)

    @property
    def order(self) -> Keys:
        return self.keys[self._ours]

    @property
    def gtids(self) -> Gtids:
        named = self._source > ANONYMOUS
        return Gtids(self._groups.sources, self._source[named], self._number[named], self.keys[named])

    def reused(self) -> tuple[str, ...]:
        """GTIDs that name two different transactions."""
        named = np.flatnonzero(self._source > ANONYMOUS)
        order = named[np.lexsort((named, self._number[named], self._source[named]))]
        same = ~differs(self._source[order]) & ~differs(self._number[order])
        keys = self.keys[order]
        bad = same & ((keys != np.roll(keys, 1)) | (keys == NOT_OURS))
        return tuple(dict.fromkeys(self._gtid(at) for at in np.sort(order[bad]).tolist()))

    def scattered(self) -> Keys:
        """Transactions whose rows are all right, and not written as the witness writes them: in another order, in
        several transactions, or together with those of another one."""
        keys, nth = self._rows.keys, self._nth_of_transaction()
        wrong = self._rows.places != place_of(keys, nth)
        wrong |= keys != np.repeat(self.order, self._rows_in())
        apart = self._rows_in() != rows_expected(self.order)
        apart &= self._how[self._ours] != How.COMMIT  # an engine without transactions logs each statement by itself
        told_elsewhere = together((self.seen.parts, self.seen.altered, self.seen.twice))
        return without(together((keys[wrong], self.order[apart])), told_elsewhere)

    def unlike(self, servers: int) -> Oddities:
        """All transactions of a trial begin and end in the same way. They are numbered by so many servers in turn."""
        noted = OddityNotes()
        source, how = self._source[self._ours], self._how[self._ours]
        one_by_one = np.count_nonzero(differs(source)) <= servers
        sources = {at: STYLES.get(at) or f"GTIDs {one.prefix}..." for at, one in enumerate(self._groups.sources)}
        numbered = () if one_by_one else ((source, sources),)
        for values, names in (*numbered, (how, ENDINGS)):
            counts = np.bincount(values)
            for kind in sorted(np.flatnonzero(counts).tolist(), key=lambda kind: counts[kind])[:-1]:
                count = int(counts[kind])
                noted.add(f"{names[kind]} in {count:,} transactions, unlike the others")
        ids = self._server[self._ours]
        if one_by_one and np.count_nonzero(differs(ids)) > servers:  # else it was told
            noted.add(f"server_id {', '.join(map(str, np.unique(ids)[:SOME].tolist()))} by turns")
        return noted.all()

    def gaps(self) -> Oddities:
        """GTIDs that do not follow the one before. Not known when several servers share a line of numbers, as both
        sources of transactions without a GTID do."""
        noted = OddityNotes()
        lines = [source.line for source in self._groups.sources]
        for line in dict.fromkeys(lines[source] for source in np.flatnonzero(np.bincount(self._source[self._ours]))):
            sources = [at for at, one in enumerate(lines) if one == line]
            if len(sources) == 1 and not self._groups.in_group:
                self._note_gaps(np.flatnonzero(self._source == sources[0]), noted)
        return noted.all()

    def _note_gaps(self, line: Numbers, noted: OddityNotes) -> None:
        run = np.searchsorted(np.array(self._runs), line, side="right")
        gap = (np.diff(self._number[line]) != 1) & (np.diff(run) == 0)
        for at in np.flatnonzero(gap).tolist():
            noted.add(f"{self._gtid(line[at + 1])} after {self._gtid(line[at])}")

    def _gtid(self, at: int) -> str:
        return f"{self._groups.sources[self._source[at]].prefix}{self._number[at]}"

    def _rows_in(self) -> Numbers:
        return np.diff(self._begins, append=len(self._group))

    def _nth_of_transaction(self) -> Numbers:
        """Of each row, how many rows of its transaction come before it, in whatever place of the binlog."""
        keys = self._rows.keys
        order = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(differs(keys[order]))
        nth = np.empty(len(keys), dtype=np.int64)
        nth[order] = np.arange(len(keys)) - np.repeat(begins, np.diff(begins, append=len(keys)))
        return nth
