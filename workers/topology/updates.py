"""Clients that read a row, add one to its version and write it back. Version numbers tell which updates were lost.

A version that two acknowledged transactions wrote was read twice: the first of both updates is lost. A version that is
higher than the one on the new primary was lost with the failover. A read that began after a higher version had been
acknowledged, by any client, is stale.
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workers.errors import DurascopeError
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target
from workers.topology.setup_and_result import UpdatesSeen
from workers.topology.topology import Updates

VERSIONS = "durascope_versions"
TABLE = f"`{VERSIONS}`.versions"
MAKE = (
    f"CREATE SCHEMA {VERSIONS}",
    f"CREATE TABLE {TABLE} (id INT NOT NULL PRIMARY KEY, version BIGINT NOT NULL) ENGINE=InnoDB",
)
READ = f"SELECT version FROM {TABLE} WHERE id = %s"  # noqa: S608 - no foreign text
WRITE = f"UPDATE {TABLE} SET version = %s WHERE id = %s"  # noqa: S608 - no foreign text
ALL = f"SELECT id, version FROM {TABLE}"  # noqa: S608 - no foreign text
PRESENT = "SELECT 1 FROM information_schema.tables WHERE table_schema = %s"
ROWS, EACH_ROW = 2, 3  # rows, and clients of each
ANSWER_S = 2.0


@dataclass(frozen=True)
class UpdateWay:
    """How a client reads before it writes. `session`: at the beginning of its connection."""

    read: str
    session: tuple[str, ...] = ()


SNAPSHOT = "SET SESSION innodb_snapshot_isolation = ON"
WAYS: dict[Updates, UpdateWay] = {
    "locking": UpdateWay(f"{READ} FOR UPDATE"),
    "plain": UpdateWay(READ),
    "snapshot": UpdateWay(READ, (SNAPSHOT,)),
    "causal": UpdateWay(READ, (SNAPSHOT, "SET SESSION wsrep_sync_wait = 15")),
}


@dataclass
class VersionLedger:
    """What the clients know. `written`: (row, version) -> acknowledged transactions that wrote it."""

    written: Counter[tuple[int, int]] = field(default_factory=Counter)
    newest: Counter[int] = field(default_factory=Counter)  # of each row: the highest acknowledged version
    reads: int = 0
    stale: int = 0
    refused: int = 0

    def seen(self, kept: Mapping[int, int] | None) -> UpdatesSeen:
        """`kept`: the version of each row on the new primary; None: not readable."""
        overwritten = sum(count - 1 for count in self.written.values())
        missing = None if kept is None else sum(n for (row, at), n in self.written.items() if at > kept.get(row, 0))
        return UpdatesSeen(self.written.total(), self.refused, overwritten, missing, self.reads, self.stale)


class VersionClients:
    """`begin`, `end`, `ledger`; `close` in any case. A client ends with its connection. Clients of one row are on
    several servers, if there are several."""

    def __init__(self, targets: Sequence[Target], how: Updates) -> None:
        """Make the table by the first server, and log in by turns on all. Raises ServerError."""
        self.ledger = VersionLedger()
        self._way, self._over, self._lock = WAYS[how], threading.Event(), threading.Lock()
        with connect(targets[0]) as connection:
            for statement in MAKE:
                ask.rows(connection, statement)
            for row in range(ROWS):
                ask.rows(connection, f"INSERT INTO {TABLE} VALUES (%s, 0)", [row])  # noqa: S608 - no foreign text
        self._threads = [
            threading.Thread(target=self._work, args=(targets[n % len(targets)], row), name="updates", daemon=True)
            for n, row in enumerate(row for row in range(ROWS) for _ in range(EACH_ROW))
        ]

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Send nothing more. `close` waits for the last answers."""
        self._over.set()

    def close(self) -> None:
        """May be called twice."""
        self.end()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _work(self, target: Target, row: int) -> None:
        try:
            with connect(target, answer_s=ANSWER_S) as connection:
                for statement in self._way.session:
                    ask.rows(connection, statement)
                while not self._over.is_set() and self._updated(connection, row):
                    pass
        except (DurascopeError, OSError):  # the server is gone: what was acknowledged counts
            return

    def _updated(self, connection: Connection, row: int) -> bool:
        """One transaction. False: its connection is gone. Conflicts are refused, as they should be."""
        newest = self.ledger.newest[row]  # before BEGIN, which waits if reads are causal
        try:
            ask.rows(connection, "BEGIN")
            version = ask.integer(ask.value(connection, self._way.read, [row]))
            self._read(version < newest)
            ask.rows(connection, WRITE, [version + 1, row])
            ask.rows(connection, "COMMIT")
        except DurascopeError:
            with self._lock:
                self.ledger.refused += 1
            ask.rows(connection, "ROLLBACK")  # raises where the server is gone
            return True
        with self._lock:
            self.ledger.written[row, version + 1] += 1
            self.ledger.newest[row] = max(self.ledger.newest[row], version + 1)
        return True

    def _read(self, stale: bool) -> None:
        """Also of a transaction that is refused later: its client has read it."""
        with self._lock:
            self.ledger.reads += 1
            self.ledger.stale += stale


def kept_versions(target: Target, first: str = "") -> dict[int, int] | None:
    """Of each row, none where the table did not arrive; None: not readable."""
    try:
        with connect(target) as connection:
            if first:
                ask.rows(connection, first)
            if not ask.rows(connection, PRESENT, [VERSIONS]):
                return {}
            return {ask.integer(row): ask.integer(version) for row, version in ask.rows(connection, ALL)}
    except DurascopeError:
        return None
