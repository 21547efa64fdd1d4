"""The gauges: replica lag, threads of other clients, free disk, and the p99 of commits."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from workers.errors import ServerError
from workers.guardrails.limit import Level, Limit
from workers.guardrails.probe import CommitProbe
from workers.servers import ask, free_disk, look
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.limited import Connection
from workers.servers.privileges import grant_to_see_others
from workers.servers.replication import source_rows
from workers.servers.schema import PREFIX
from workers.servers.target import Target

TIMEOUT_S = 2.0
GIB = 2**30
OTHERS = (  # in one statement: a load of hundreds of threads changes between two
    "SELECT COUNT(*) FROM information_schema.processlist WHERE command NOT IN ('Sleep', 'Daemon', 'Connect') "
    "AND command NOT LIKE 'Binlog Dump%%' AND user <> 'system user' AND id <> CONNECTION_ID() "
    "AND (db IS NULL OR db NOT LIKE %s)"
)
T = TypeVar("T")


class Line:
    """A connection of a gauge's own with small timeouts; made again after a failure."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._connection: Connection | None = None

    def ask(self, question: Callable[[Connection], T]) -> T:
        """Raises ServerError."""
        if self._connection is None:
            self._connection = connect(self._target, timeout_s=TIMEOUT_S, answer_s=TIMEOUT_S)
        try:
            return question(self._connection)
        except ServerError:
            self.close()
            raise

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            with suppress(Exception):
                connection._force_close()


class OtherThreads:
    """Clients that run a statement, without the load and the probe. Without PROCESS an account sees its own only."""

    def __init__(self, line: Line, facts: Facts, most: float) -> None:
        self.limit = Limit("other_threads_running", "the number of running threads of other clients", "", most)
        self._line, self._facts = line, facts
        self._may_see = False

    def read(self) -> Level:
        self._may_see = self._may_see or self._line.ask(self._must_see)
        return Level(self._line.ask(_others))

    def close(self) -> None:
        self._line.close()

    def _must_see(self, link: Connection) -> bool:
        """Raises ServerError."""
        if fix := grant_to_see_others(link, self._facts):
            raise ServerError("The account does not see the threads of other clients.", fix)
        return True


class ProbeP99:
    def __init__(self, probe: CommitProbe, most_ms: float) -> None:
        self.limit = Limit("probe_p99_ms", "p99 of the probe's commits", "ms", most_ms)
        self._probe = probe

    def read(self) -> Level:
        return Level(self._probe.p99_ms())

    def close(self) -> None:
        """The probe is closed by who started it."""


class FreeDisk:
    """The smallest of the folders that the load fills."""

    def __init__(self, target: Target, facts: Facts, line: Line, least_gb: float) -> None:
        title = f"free disk space of {' and '.join(free_disk.folders(facts))}"
        self.limit = Limit("free_disk_gb", title, "GiB", least_gb, at_least=True)
        self._target, self._facts, self._line = target, facts, line

    def read(self) -> Level:
        free = self._line.ask(lambda link: free_disk.least_free(self._target, link, self._facts))
        if free is None:
            raise ServerError("Neither this host nor the server tells the free disk space.")
        return Level(free / GIB)

    def close(self) -> None:
        self._line.close()


class ReplicaLag:
    """By the heartbeat, if the replica has it and shows it to this account; else as the replica says. Replication that
    is stopped has an unknown lag."""

    def __init__(self, name: str, number: int, line: Line, facts: Facts, probe: CommitProbe, most_s: float) -> None:
        self.limit = Limit(f"replica_{number}_lag_s", f"replica lag of {name}", "s", most_s)
        self._line, self._probe = line, probe
        self._source_id = facts.variable("server_id") or ""
        self._own_facts: Facts | None = None
        self._shows_heartbeat = False

    def read(self) -> Level:
        facts = self._own_facts = self._own_facts or self._line.ask(look.read)
        rows = self._line.ask(lambda link: source_rows(link, facts))
        if not rows:
            return Level(unknown="the server does not replicate")
        mine = [row for row in rows if row.get("source_server_id") == self._source_id] or rows
        if stopped := next((row for row in mine if _stopped(row)), None):
            return Level(unknown=_stopped(stopped))
        beat = self._heartbeat()
        if beat is not None:
            return Level(self._probe.lag_s(beat))
        told = [ask.whole(row.get("seconds_behind_source")) for row in mine]
        known = [one for one in told if one is not None]
        return Level(float(max(known))) if len(known) == len(told) else Level(unknown="the replica does not tell it")

    def close(self) -> None:
        self._line.close()

    def _heartbeat(self) -> int | None:
        """None: the replica has never shown it. Once it did, a failure to read it is raised."""
        try:
            found = self._line.ask(self._probe.seen_by)
        except ServerError:
            if self._shows_heartbeat:
                raise
            return None
        self._shows_heartbeat |= found is not None
        return found


def _others(link: Connection) -> float:
    return ask.integer(ask.value(link, OTHERS, (PREFIX.replace("_", r"\_") + "%",)))


def _stopped(row: Mapping[str, str]) -> str:
    """Why nothing is applied; "" if both threads run."""
    states = {"receiver": row.get("replica_io_running", ""), "applier": row.get("replica_sql_running", "")}
    return ", ".join(f"its {name} is stopped" for name, state in states.items() if state != "Yes")
