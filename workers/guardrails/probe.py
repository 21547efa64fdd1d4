"""A small transaction of the watch's own, five times a second: how long a commit takes for other clients, and a
heartbeat that tells how far a replica is behind."""

import math
import threading
import time
from array import array
from collections import deque
from contextlib import suppress

from workers.errors import DurascopeError, ServerError
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target

EVERY_S = 0.2
KEPT = 100  # commits: p99 is the second longest of 20 s, so that a single one does not decide
TIMEOUT_S = 3.0
ENDS_S = 0.5
MAKE = "CREATE TABLE durascope_heartbeat (id TINYINT PRIMARY KEY, n BIGINT NOT NULL)"
FIRST = "INSERT INTO durascope_heartbeat VALUES (1, 0)"
BEAT = "UPDATE durascope_heartbeat SET n = %s"
LAST_BEAT = "SELECT n FROM durascope_heartbeat"


class CommitProbe:
    """`schema` is one of ours: the table goes with it."""

    def __init__(self, target: Target, schema: str) -> None:
        self._target = target
        self._use = f"USE `{schema}`"
        self._times_s: deque[float] = deque(maxlen=KEPT)
        self._beats = array("d")  # when the commit of number 1, 2, ... was asked for: 3.5 MB a day
        self._due_s: float | None = None  # of the commit that is under way
        self._failure = ""
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="guardrail probe", daemon=True)

    def start(self) -> None:
        """Raises ServerError."""
        with connect(self._target, timeout_s=TIMEOUT_S) as connection:
            for statement in (self._use, MAKE, FIRST):
                ask.rows(connection, statement)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join(ENDS_S)
        if self._connection:
            with suppress(Exception):
                self._connection._force_close()

    def p99_ms(self) -> float | None:
        """Of the last commits, with the one that is under way. None: none was made yet. Raises ServerError."""
        with self._lock:
            if self._failure:
                raise ServerError(self._failure)
            waited = [] if self._due_s is None else _missed(time.monotonic() - self._due_s)
            times = sorted([*self._times_s, *waited])[-KEPT:]
        return times[math.ceil(0.99 * len(times)) - 1] * 1000 if times else None

    def seen_by(self, replica: Connection) -> int | None:
        """The last heartbeat that a replica has applied; None: its row is not there. Raises ServerError."""
        ask.rows(replica, self._use)
        found = ask.value(replica, LAST_BEAT)
        return None if found is None else ask.integer(found)

    def lag_s(self, seen: int) -> float:
        """How long ago the first commit was asked for that a replica with `seen` lacks. Raises ServerError while no
        commit succeeds: a replica then has all there are, however far it is behind the load."""
        with self._lock:
            if self._failure:
                raise ServerError(self._failure)
            return time.monotonic() - self._beats[max(seen, 0)] if seen < len(self._beats) else 0.0

    def _run(self) -> None:
        due = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            with self._lock:
                self._due_s = due
            failure = self._commit(due)
            with self._lock:
                self._failure = failure
                if not failure:
                    self._times_s.extend(_missed(time.monotonic() - due))
                    self._due_s = None
            due = max(due + EVERY_S, time.monotonic())

    def _commit(self, due: float) -> str:
        """Why it failed; "" if it did not."""
        try:
            if self._connection is None:
                self._connection = connect(self._target, timeout_s=TIMEOUT_S, answer_s=TIMEOUT_S)
                ask.rows(self._connection, self._use)  # thus it counts as ours in the process list
            with self._lock:
                self._beats.append(due)
            ask.rows(self._connection, BEAT, (len(self._beats),))
        except DurascopeError as failure:
            self._connection = None
            return failure.message
        return ""


def _missed(took_s: float) -> list[float]:
    """The time of a commit, and of those that were due while it was waited for: one connection makes all, and a client
    that came meanwhile would have waited for the rest of that time."""
    return [took_s, *(took_s - n * EVERY_S for n in range(1, min(KEPT, int(took_s / EVERY_S)) + 1))]
