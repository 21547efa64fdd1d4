"""An expendable server that is not ours: crashed and started by its owner's commands."""

import contextlib
import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from workers.crash.owners_command import OwnersCommand
from workers.crash.trial import Attached
from workers.errors import AccessDenied, DurascopeError, PlanError, SandboxError, ServerError
from workers.sandbox.server import Recovery
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection

POLL_S = 0.1
ANSWER_S = 5.0  # of a server that may be going down or coming up
NOT_HERE = "was not crashed: the worker cannot read the index of its binary log where its owner says that it is."
DIFFERS = "was not crashed: its binary log has the index {}, and its owner names another file."
FIX_INDEX = "Mark it expendable again, with the right path of the binlog index or with none."
ALIVE = "durascope_alive"  # a lock that the server forgets when it goes down, or when our connection is cut


class AttachedServer:
    """`crash`, then `recover` of what that returns; `close` whatever happens. It has no error log and no option file
    that we could read."""

    my_cnf = ""
    log_text = ""

    def __init__(self, attached: Attached) -> None:
        self.target = attached.target
        self._attached = attached
        self._command = OwnersCommand(attached.limit_s)
        self._lock = ExitStack()  # the connection that holds it
        self._start_due = False  # it may be down by our doing, and its start command has not ended yet
        self._stopped = False

    def binlog_index(self, variables: Mapping[str, str]) -> Path | None:
        """None: the binlog's files are not on this host. Where they are, the owner says and not the server: one that
        lies could have us read any file. Raises PlanError for a file that is not there, or of another name than the
        server tells: it may be another server's."""
        index, told = Path(self._attached.binlog_index), Path(variables.get("log_bin_index", ""))
        if not self._attached.binlog_index:
            return None
        if told.name and index.name != told.name:  # the oldest servers do not tell
            raise PlanError(f"{self.target.name} {DIFFERS.format(told.name)}", FIX_INDEX)
        if not (index.is_file() and os.access(index, os.R_OK)):
            raise PlanError(f"{self.target.name} {NOT_HERE}", FIX_INDEX)
        return index

    def crash(self) -> "DownAttached":
        """Raises PlanError, and nothing is done to the server, when its owner has meanwhile forbidden it."""
        holder = connect(self.target)
        self._lock.callback(holder._force_close)
        if ask.value(holder, "SELECT GET_LOCK(%s, 1)", [ALIVE]) != 1:
            raise SandboxError(
                f"{self.target.name} gave no lock, so nobody could tell whether it goes down: it was not crashed.",
                "Another trial may be at it. Try again later.",
            )
        life = Life.of(holder)
        self._attached.permit()
        self._start_due = bool(self._attached.start)
        self._command.run(self._attached.crash, "crash")
        return DownAttached(self, life)

    def bring_up(self) -> None:
        """Run its start command and wait until it answers. Raises SandboxError when it does not."""
        self._start()
        if not self._wait_until_up():
            raise SandboxError(
                f"{self.target.name} did not answer within {self._attached.limit_s:g} s after its start command.",
                "Look after it by hand: it is still down.",
            )
        self._attached.back()

    def kill(self) -> None:
        """Stop the command that is running, if any, and wait for nothing. The server is not ours to kill."""
        self._stopped = True
        self._command.kill()

    def close(self) -> None:
        """Let go of what is held. A server that a trial took down and did not bring back, because somebody cancelled
        or its crash command went wrong, is started. May be called twice."""
        self._lock.close()
        self._stopped = False
        if self._start_due and self.answers():
            self._attached.back()
        elif self._start_due:
            with contextlib.suppress(DurascopeError):  # the trial is over; whoever needs the server next will tell
                self.bring_up()
        self._start_due = False

    def _start(self) -> None:
        """A start command that fails by itself is not tried again; one that was interrupted is."""
        try:
            if self._attached.start:
                self._attached.must_hold()
                self._command.run(self._attached.start, "start")
        finally:
            self._start_due = self._stopped

    def _wait_until_up(self) -> bool:
        deadline = time.monotonic() + self._attached.limit_s
        while not self.answers():
            if self._stopped or time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def answers(self) -> bool:
        """Whether it is up, also for somebody whom it does not let in."""
        try:
            with connect(self.target, timeout_s=2, answer_s=ANSWER_S) as connection:
                return ask.value(connection, "SELECT 1") == 1
        except AccessDenied:
            return True
        except ServerError:
            return False


@dataclass(frozen=True)
class Life:
    """What a server counts from its start on, and when we asked (monotonic clock)."""

    before_s: float
    uptime_s: int
    connections: int
    after_s: float

    @classmethod
    def of(cls, connection: Connection) -> Self:
        before_s = time.monotonic()
        uptime_s = ask.integer(ask.rows(connection, "SHOW GLOBAL STATUS LIKE 'Uptime'")[0][1])
        connections = ask.integer(ask.value(connection, "SELECT CONNECTION_ID()"))
        return cls(before_s, uptime_s, connections, time.monotonic())

    def follows(self, earlier: Self) -> bool:
        """Whether the server was started in between. Uptime is cut to whole seconds, so at the beginning of a life it
        tells nothing; then the number of connections does."""
        elapsed_s = self.before_s - earlier.after_s
        return self.uptime_s + 1 <= earlier.uptime_s + elapsed_s or self.connections < earlier.connections


@dataclass(frozen=True)
class DownAttached:
    """The server after its crash command, and the life that it had before."""

    server: AttachedServer
    before: Life

    def recover(self, settings: Mapping[str, str]) -> Recovery:
        """Start it and wait until it answers. `settings` are the server's own affair. SandboxError when it does not
        come back, or has never been down."""
        began = time.monotonic()
        self.server.bring_up()
        seconds = time.monotonic() - began
        with connect(self.server.target, answer_s=ANSWER_S) as connection:
            self._must_be_new(connection)
        return Recovery(seconds, ())

    def _must_be_new(self, connection: Connection) -> None:
        """A lost lock alone proves nothing: a tunnel or a proxy that breaks cuts our connection too."""
        locked = ask.value(connection, "SELECT IS_USED_LOCK(%s)", [ALIVE]) is not None
        if locked or not Life.of(connection).follows(self.before):
            raise SandboxError(
                f"{self.server.target.name} was never down: its crash command did nothing to it.",
                "Fix the crash command. No result was recorded.",
            )
