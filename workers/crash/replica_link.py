"""One server that follows another by GTID. workers.crash.dialects holds the differences between flavours.

A follower's own status does not prove that it caught up: a start that will fail with 1236 looks healthy for a moment.
The source must also report that it has sent its whole binlog to this follower.
"""

import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from workers.crash import dialects
from workers.crash.dialects import Dialect
from workers.errors import DurascopeError, SandboxError, ServerError
from workers.host.until import until
from workers.sandbox.logs import lacked_resource
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.gtid import count, in_words, minus, parse
from workers.servers.limited import Connection

ACCOUNT = "durascope_repl"  # MySQL 5.6 allows 16 characters
DUMPS = "SELECT id, state FROM information_schema.processlist WHERE user = %s AND command LIKE 'Binlog Dump%%'"
ALL_SENT = "has sent all binlog"
NO_ERROR = "0"  # of Last_IO_Errno and Last_SQL_Errno
Status = Mapping[str, str]  # SHOW SLAVE STATUS by the names of its columns
POLL_S = 0.02
# MySQL's applier waits 60 s for the rest of a transaction of which a part was received, before it stops.
STOPS_S = 90.0
COMMITS_S = 60  # longest wait for commits that are under way
ALL_COMMITTED = (f"SET SESSION lock_wait_timeout = {COMMITS_S}", "FLUSH TABLES WITH READ LOCK", "UNLOCK TABLES")


@dataclass(frozen=True)
class Followed:
    """`error`: the follower's message with its number; for "unknown" the reason."""

    state: Literal["caught up", "stopped", "unknown"]
    error: str = ""


@dataclass(frozen=True)
class Link:
    """`follower` replicates from `source`. Both are connected to each time, because either may have restarted. `port`:
    of a wire between them; 0: none."""

    source: Sandbox
    follower: Sandbox
    password: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    port: int = 0

    @property
    def dialect(self) -> Dialect:
        return dialects.of(self.follower.build)

    def begin(self) -> None:
        """Let a fresh follower that is not started yet begin at the present position of its source. Raises
        ServerError."""
        with connect(self.source.target) as source, connect(self.follower.target) as follower:
            ask.rows(follower, self.dialect.begin, [self.written(source)])

    def start(self) -> None:
        """Point the follower at the source and start it from its own position. Raises ServerError.

        The account is made again, because a crash may have lost it. It is never in the source's binlog.
        """
        with connect(self.follower.target, answer_s=STOPS_S) as follower, connect(self.source.target) as source:
            ask.rows(follower, f"STOP {self.dialect.word}")
            for dump, _ in ask.rows(source, DUMPS, [ACCOUNT]):
                with suppress(ServerError):  # it has just ended
                    ask.rows(source, f"KILL {ask.integer(dump)}")
            _run(source, self.dialect.account_sql, account=ACCOUNT, password=self.password)
            _run(
                follower,
                self.dialect.point_sql,
                account=ACCOUNT,
                password=self.password,
                port=self.port or self.source.target.port,
                position=self.position(source),
            )

    def follow(self, limit_s: float) -> Followed:
        """Wait until the follower has everything, has stopped with an error, or the time is up. Raises ServerError."""
        deadline = time.monotonic() + limit_s
        with connect(self.follower.target) as follower, connect(self.source.target) as source:
            while True:
                status = self.status(follower)
                if error := self._stopped(status):
                    lacked = lacked_resource(error, self.follower.folder, self.follower.datadir)
                    return Followed("unknown", f"{error}: {lacked}") if lacked else Followed("stopped", error)
                if self._runs(status) and _all_sent(source) and not self.is_behind(source, follower):
                    return Followed("caught up")
                if time.monotonic() > deadline:
                    return Followed("unknown", _late(limit_s, status, self.applied(follower), self.written(source)))
                time.sleep(POLL_S)

    def follow_to_rest(self, limit_s: float) -> Followed:
        """`follow`, until the source has no commit under way either. One that waits for its replica's answer is in the
        binlog, and so in the rows of the replica, and not yet in those of the source. Raises ServerError."""
        if (followed := self.follow(limit_s)).state != "caught up":
            return followed
        with connect(self.source.target, answer_s=STOPS_S) as source:
            for statement in ALL_COMMITTED:
                ask.rows(source, statement)
        return self.follow(limit_s)

    def settle(self, limit_s: float) -> None:
        """Stop receiving, apply everything received, stop. SandboxError when that takes too long.

        A follower drops received but unapplied transactions at its next start.
        """
        self.tell("STOP", "IO_THREAD")
        self.apply_received(limit_s)
        self.tell("STOP")

    def tell(self, what: Literal["START", "STOP"], thread: Literal["", "IO_THREAD", "SQL_THREAD"] = "") -> None:
        """Start or stop receiving (IO_THREAD), applying (SQL_THREAD) or both. Raises ServerError."""
        with connect(self.follower.target, answer_s=STOPS_S) as follower:
            ask.rows(follower, f"{what} {self.dialect.word} {thread}".rstrip())

    def apply_received(self, limit_s: float) -> None:
        """Wait until everything received is applied, or applying has ended. SandboxError when that takes too long."""
        with connect(self.follower.target) as follower:
            if not until(lambda: self._has_applied(self.status(follower), self.applied(follower)), limit_s, POLL_S):
                raise SandboxError(
                    f"The replica did not apply within {limit_s:g} s what it had received: it is at "
                    f"{self.applied(follower) or 'nothing'} of {self.status(follower)[self.dialect.received]}.",
                    "The replica's state is not known. Crash earlier, or allow more time.",
                )

    def apply_error(self) -> str:
        """Why applying ended before everything received was applied: number and text of the error; "" when everything
        is applied. Raises ServerError."""
        with connect(self.follower.target) as follower:
            status = self.status(follower)
            if error := self._stopped(status, ("SQL",)):
                return error
            return "no error was reported" if ahead(status[self.dialect.received], self.applied(follower)) else ""

    def received(self) -> str:
        """GTIDs that the follower has received, applied or not. Raises ServerError."""
        with connect(self.follower.target) as follower:
            return self.status(follower)[self.dialect.received]

    def executed(self) -> str:
        """GTIDs that the follower has applied. Raises ServerError."""
        with connect(self.follower.target) as follower:
            return self.applied(follower)

    def errant(self) -> str:
        """GTIDs of the follower that its source lacks, in words; "": none, or not known."""
        with suppress(DurascopeError), connect(self.follower.target) as follower, connect(self.source.target) as source:
            its, present = (parse(f"{self.written(one)},{self.applied(one)}") for one in (follower, source))
            return in_words(minus(its, present))
        return ""

    def position(self, source: Connection) -> str:
        """How `start` tells the follower to find its position."""
        return self.dialect.by_gtid

    def written(self, source: Connection) -> str:
        """GTIDs in a server's own binlog, "" while there are none."""
        return ask.text(source, self.dialect.written)

    def applied(self, follower: Connection) -> str:
        """GTIDs that a follower has applied."""
        return ask.text(follower, self.dialect.applied)

    def is_behind(self, source: Connection, follower: Connection) -> bool:
        """Whether the follower still has GTIDs to apply. It never applies its own."""
        own = ask.text(follower, self.dialect.own) if self.dialect.own else ""
        missing = minus(parse(self.written(source)), parse(self.applied(follower)))
        return any(name != own for name in missing)

    def status(self, follower: Connection) -> Status:
        row = ask.first_row(follower, f"SHOW {self.dialect.word} STATUS")
        return {name: ask.as_text(field) for name, field in row.items()}

    def _stopped(self, status: Status, threads: tuple[str, ...] = ("IO", "SQL")) -> str:
        """Number and text of the error that stopped one of these threads, "" while none has."""
        for thread in threads:
            number = status[f"Last_{thread}_Errno"]
            if status[self.dialect.column(f"{thread}_Running")] == "No" and number != NO_ERROR:
                return f"{number}: {status[f'Last_{thread}_Error']}"
        return ""

    def _runs(self, status: Status) -> bool:
        return all(status[self.dialect.column(f"{thread}_Running")] == "Yes" for thread in ("IO", "SQL"))

    def _has_applied(self, status: Status, applied: str) -> bool:
        """Also true when applying has ended with an error."""
        return status[self.dialect.column("SQL_Running")] == "No" or not ahead(status[self.dialect.received], applied)


def ahead(some: str, others: str) -> int:
    """The number of GTIDs that only the first position has."""
    return count(minus(parse(some), parse(others)))


def _run(connection: Connection, script: str, **values: object) -> None:
    for statement in script.format(**values).split(";\n"):
        if statement.strip():
            ask.rows(connection, statement)


def _all_sent(source: Connection) -> bool:
    return any(ALL_SENT in ask.as_text(state) for _, state in ask.rows(source, DUMPS, [ACCOUNT]))


def _late(limit_s: float, status: Status, applied: str, goal: str) -> str:
    last = status["Last_IO_Error"] or status["Last_SQL_Error"] or "no error"
    return f"Not caught up within {limit_s:g} s: at {applied or 'nothing'} of {goal or 'nothing'}; {last}."
