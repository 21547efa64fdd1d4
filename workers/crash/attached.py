"""An expendable attached server, crashed and started by its owner's commands."""

import contextlib
import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from workers.crash.owners_command import OwnersCommand
from workers.crash.setup_and_result import Attached
from workers.errors import AccessDenied, DurascopeError, PlanError, SandboxError, ServerError
from workers.sandbox.server import Recovery
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.identity import ServerName, server_name
from workers.servers.limited import Connection

POLL_S = 0.1
READ_ONLY = "SELECT @@GLOBAL.read_only"
PREPARED = "XA RECOVER"
ANSWER_S = 5.0  # of a server that may be going down or coming up
NOT_HERE = "was not crashed: the worker cannot read the binary log index at the path that its owner gave."
DIFFERS = "was not crashed: its binary log has the index {}, and its owner names another file."
FIX_INDEX = "Mark it expendable again, with the right path of the binlog index or with none."
ALIVE = "durascope_alive"  # a lock that ends with the server, or with our connection


class AttachedServer:
    """`crash`, then `recover` of its result; `close` in any case. Its error log and option file cannot be read."""

    my_cnf = ""
    log_text = ""

    def __init__(self, attached: Attached) -> None:
        self.target = attached.target
        self._attached = attached
        self._command = OwnersCommand(attached.limit_s)
        self._lock = ExitStack()  # holds the connection of the lock
        self._start_due = False  # the trial may have taken it down, and its start command has not ended
        self._stopped = False
        self._read_only: str | None = None  # before the crash; None: not asked

    def binlog_index(self, variables: Mapping[str, str]) -> Path | None:
        """None: the binlog's files are not on this host. The owner gives the path, because a hostile server could name
        any file. PlanError: the file is missing, or has another name than the server reports."""
        index, told = Path(self._attached.binlog_index), Path(variables.get("log_bin_index", ""))
        if not self._attached.binlog_index:
            return None
        if told.name and index.name != told.name:  # the oldest servers do not report it
            raise PlanError(f"{self.target.name} {DIFFERS.format(told.name)}", FIX_INDEX)
        if not (index.is_file() and os.access(index, os.R_OK)):
            raise PlanError(f"{self.target.name} {NOT_HERE}", FIX_INDEX)
        return index

    def crash(self) -> "DownAttached":
        """Raises PlanError, before anything is done, when the owner has forbidden crashes meanwhile."""
        connection = connect(self.target)
        self._lock.callback(connection._force_close)
        if ask.value(connection, "SELECT GET_LOCK(%s, 1)", [ALIVE]) != 1:
            raise SandboxError(
                f"{self.target.name} gave no lock, so a crash could not be noticed: it was not crashed.",
                "Another trial may be using the server. Try again later.",
            )
        life, self._read_only = Life.of(connection), ask.text(connection, READ_ONLY)
        self._must_be_readable(connection)
        self._attached.permit()
        self._start_due = bool(self._attached.start)
        self._command.run(self._attached.crash, "crash")
        return DownAttached(self, life)

    def _must_be_readable(self, connection: Connection) -> None:
        """Without this right every trial would be unclear. PlanError: the account lacks it."""
        try:
            ask.rows(connection, PREPARED)
        except ServerError as refused:
            why = f"{self.target.name} was not crashed: its account may not run {PREPARED}. {refused.message}"
            raise PlanError(why, refused.fix) from refused

    def bring_up(self) -> None:
        """Run its start command and wait until it answers. Raises SandboxError when it does not."""
        self._start()
        if not self._wait_until_up():
            raise SandboxError(
                f"{self.target.name} did not answer within {self._attached.limit_s:g} s after its start command.",
                "Check the server by hand: it is still down.",
            )
        self._attached.back()

    def kill(self) -> None:
        """End the running command, without waiting. The server itself is not killed."""
        self._stopped = True
        self._command.kill()

    def close(self) -> None:
        """Release the lock. Start a server that is down because the trial was cancelled or its crash command failed.
        May be called twice."""
        self._lock.close()
        self._stopped = False
        if self._start_due and self.answers():
            self._attached.back()
        elif self._start_due:
            with contextlib.suppress(DurascopeError):  # the trial has ended; the next use of the server will report it
                self.bring_up()
        self._start_due = False

    def _start(self) -> None:
        """A failed start command is not repeated; an interrupted one is."""
        try:
            if self._attached.start:
                self._attached.require_claim()
                self._command.run(self._attached.start, "start")
        finally:
            self._start_due = self._stopped

    def _wait_until_up(self) -> bool:
        deadline = time.monotonic() + self._attached.limit_s
        while not (self.answers() and self._takes_writes()):
            if self._stopped or time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def _takes_writes(self) -> bool:
        """As it did before the crash: during a failover a replica that is still read-only may answer."""
        if self._read_only is None:
            return True
        try:
            with connect(self.target, timeout_s=2, answer_s=ANSWER_S) as connection:
                return ask.text(connection, READ_ONLY) == self._read_only
        except ServerError:
            return False

    def answers(self) -> bool:
        """Whether it is up, even when it refuses our account."""
        try:
            with connect(self.target, timeout_s=2, answer_s=ANSWER_S) as connection:
                return ask.value(connection, "SELECT 1") == 1
        except AccessDenied:
            return True
        except ServerError:
            return False


@dataclass(frozen=True)
class Life:
    """A server, its counters since its start, and when they were read (monotonic clock)."""

    server: ServerName
    before_s: float
    uptime_s: int
    connections: int
    after_s: float

    @classmethod
    def of(cls, connection: Connection) -> Self:
        server, before_s = server_name(connection), time.monotonic()
        uptime_s = ask.integer(ask.rows(connection, "SHOW GLOBAL STATUS LIKE 'Uptime'")[0][1])
        connections = ask.integer(ask.value(connection, "SELECT CONNECTION_ID()"))
        return cls(server, before_s, uptime_s, connections, time.monotonic())

    def follows(self, earlier: Self) -> bool:
        """Whether the server was started in between, or another one answers. Uptime has whole seconds, so just after a
        start only the number of connections tells."""
        if self.server != earlier.server:
            return True
        elapsed_s = self.before_s - earlier.after_s
        return self.uptime_s + 1 <= earlier.uptime_s + elapsed_s or self.connections < earlier.connections


@dataclass(frozen=True)
class DownAttached:
    """The server after its crash command, with its counters from before."""

    server: AttachedServer
    before: Life

    def recover(self, settings: Mapping[str, str]) -> Recovery:
        """Start it and wait until it answers. `settings` are not used. SandboxError: it does not come back, or was
        never down. A lost lock alone proves nothing: a broken tunnel or proxy ends our connection too."""
        began = time.monotonic()
        self.server.bring_up()
        seconds = time.monotonic() - began
        with connect(self.server.target, answer_s=ANSWER_S) as connection:
            locked = ask.value(connection, "SELECT IS_USED_LOCK(%s)", [ALIVE]) is not None
            if locked or not Life.of(connection).follows(self.before):
                raise SandboxError(
                    f"{self.server.target.name} was never down: its crash command did nothing to it.",
                    "Fix the crash command. No result was recorded.",
                )
        return Recovery(seconds, ())
