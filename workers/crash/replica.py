"""A replica of the crashed server: does it catch up, stop, or go on with different data?

Order of a trial: `attach` before the load. After the primary's recovery `promote` reads the replica's transactions.
Then `reconnections`: a copy of the old primary follows the replica; the replica follows the recovered primary; the
primary writes on; the replica follows again. The last step is needed because a primary that lost transactions uses
their GTIDs again. Once it has passed the replica's position, the replica goes on without an error, even in strict mode,
although the data differ.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from workers.crash import compare_tables, dialects
from workers.crash.compare_tables import TABLES, WRITES_ON, Difference, Rows
from workers.crash.dialects import Dialect
from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.replica_check import RECONNECTIONS
from workers.crash.replica_link import Link, ahead
from workers.crash.twin import twin
from workers.errors import DurascopeError, SandboxError, ServerEnded
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target

AFTER_RECOVERY, WROTE_ON = RECONNECTIONS
REJOIN = "the old primary rejoins the promoted replica"
SCHEMA = "durascope_witness"
LIMIT_S = 120.0  # a durable replica on a slow disk applies a few hundred transactions/s
FOLLOW_S = 60.0  # at a crash point: it applies what the load wrote
LAST = f"SELECT MAX(n) FROM `{SCHEMA}`.one WHERE client = %s"  # noqa: S608 - our own name
MORE = 20  # transactions that `write_past` commits beyond the replica's position
ANY_ROW = "SELECT 1 FROM `{schema}`.`{table}` LIMIT 1"
AT_COMMIT = r"SHOW GLOBAL VARIABLES WHERE variable_name RLIKE '^sync_binlog$|flush_log_at_trx_commit$'"


@contextmanager
def attach(
    root: Path,
    build: Build,
    primary: Sandbox,
    secret: bytes,
    user: str = "",
    *,
    settings: Mapping[str, str] | None = None,
    datadir_on: Path | None = None,
) -> Iterator["Replica"]:
    """A replica of a primary whose witness tables are empty or missing; it is removed afterwards.

    `secret`: of the digests in the witness's rows. `settings`: beside those that a follower needs. `datadir_on`: as for
    `Sandbox.create`. Raises PlanError, SandboxError or ServerError.
    """
    dialect = dialects.of(build)
    with connect(primary.target) as connection:
        own_id = _must_replicate(dialect, connection)
    chosen = {**dialect.of_follower, "server_id": str(own_id + 1), **(settings or {})}
    name = f"replica of {primary.name}"
    with Sandbox.create(root, build, chosen, name=name, trace=False, user=user, datadir_on=datadir_on) as sandbox:
        replica = Replica(sandbox, Link(primary, sandbox), secret, chosen)
        replica.begin()
        primary.settle()  # the account must survive the crash too
        yield replica


@dataclass(frozen=True)
class ReplicaPorts:
    """The functions that reach the servers and read their rows; tests replace them."""

    connect: Callable[[Target], Connection] = connect
    link: Callable[[Sandbox, Sandbox], Link] = Link
    twin: Callable[[Sandbox, Path, Mapping[str, str]], AbstractContextManager[Sandbox]] = twin
    read_rows: Callable[[Connection, str], Rows] = compare_tables.read_rows
    seen: Callable[[Rows, bytes], Seen] = compare_tables.seen
    difference: Callable[[Rows, Rows], Difference] = compare_tables.difference


@dataclass(frozen=True)
class Replica:
    """An asynchronous GTID replica on its own sandbox. `link`: from its primary; `settings`: those it was given."""

    sandbox: Sandbox
    link: Link
    secret: bytes
    settings: Mapping[str, str] = field(default_factory=dict)
    ports: ReplicaPorts = ReplicaPorts()

    def begin(self) -> None:
        """Follow from the primary's position, with the witness's tables if the primary already has them."""
        with self.ports.connect(self.link.source.target) as primary, self.ports.connect(self.sandbox.target) as replica:
            _copy_schema(primary, replica)
            ask.rows(replica, self.link.dialect.begin, [self.link.written(primary)])
        self.link.start()

    def promote(self) -> Seen:
        """Its transactions if it were promoted now: it stops receiving and applies everything received.

        Call it before the first `reconnect`. SandboxError or ServerError: not known.
        """
        self.link.settle(LIMIT_S)
        with self.ports.connect(self.sandbox.target) as connection:
            return self.ports.seen(self.ports.read_rows(connection, SCHEMA), self.secret)

    def reconnections(self, settings: Mapping[str, str]) -> tuple[ReplicaSeen, ...]:
        """After `promote`. `settings`: of the primary. Raises no DurascopeError."""
        rejoined = self.can_rejoin(settings)
        return self.reconnect(AFTER_RECOVERY), _written_on(self, LIMIT_S), rejoined

    def reconnect(self, moment: str, limit_s: float = LIMIT_S) -> ReplicaSeen:
        """Follow the recovered primary, then compare all rows. Raises no DurascopeError: a failure makes the state
        unknown, and `error` says why."""
        try:
            self.link.settle(limit_s)
            self.link.start()
            return self._seen_after(moment, self.link, limit_s)
        except DurascopeError as failure:
            return ReplicaSeen(moment, "unknown", str(failure))

    def can_rejoin(self, settings: Mapping[str, str]) -> ReplicaSeen:
        """Let a copy of the old primary, with its `settings`, follow this replica as its new primary.

        Neither of the two is changed. In the result the source is the promoted replica. Raises no DurascopeError. The
        copy keeps its server_id: MariaDB then skips its own events, so lost ones do not come back.
        """
        try:
            self.link.settle(LIMIT_S)
            with self.ports.twin(self.link.source, self.sandbox.root, {**settings, "log_bin": "ON"}) as old:
                link = self.ports.link(self.sandbox, old)
                self._demote(link)
                link.start()
                return self._seen_after(REJOIN, link, LIMIT_S)
        except DurascopeError as failure:
            return ReplicaSeen(REJOIN, "unknown", str(failure))

    def write_past(self) -> int:
        """Commit transactions until the primary's GTIDs have passed the replica's; returns their number.

        Their client is WRITES_ON. They need not be durable, which would take minutes on a slow disk; the settings are
        restored at the end. Raises ServerError.
        """
        with self.ports.connect(self.sandbox.target) as connection:
            reached = self.link.applied(connection)
        with self.ports.connect(self.link.source.target) as connection:
            count = ahead(reached, self.link.written(connection)) + MORE
            durable = ask.names_to_values(connection, AT_COMMIT)
            try:
                _set(connection, dict.fromkeys(durable, "0"))
                last = ask.integer(ask.value(connection, LAST, [WRITES_ON]) or 0)
                compare_tables.write(connection, SCHEMA, self.secret, WRITES_ON, count, last)
            finally:
                _set(connection, durable)
        return count

    def _seen_after(self, moment: str, link: Link, limit_s: float) -> ReplicaSeen:
        followed = link.follow(limit_s)
        if followed.state == "unknown":
            return ReplicaSeen(moment, followed.state, followed.error)
        with self.ports.connect(link.source.target) as source, self.ports.connect(link.follower.target) as follower:
            left, right = (self.ports.read_rows(one, SCHEMA) for one in (source, follower))
        found = self.ports.difference(left, right)
        return ReplicaSeen(
            moment,
            followed.state,
            followed.error,
            found.rows,
            self.ports.seen(right, self.secret),
            only_source=found.first_left,
            only_follower=found.first_right,
        )

    def _demote(self, link: Link) -> None:
        """The old primary goes on from its own position."""
        if link.dialect.demote:
            with self.ports.connect(link.follower.target) as connection:
                ask.rows(connection, link.dialect.demote, [link.written(connection)])


def followed(start: Callable[[], Replica]) -> tuple[ReplicaSeen, ...]:
    """Of a replica at a crash point. `start`: starts it; its primary answers.

    A replica goes on from its own position after a crash. If the position is ahead of what the engine holds, rows are
    missing for ever, and no error tells it. So the replica follows to the end, before and after its primary writes on.
    """
    try:
        replica = start()
    except ServerEnded as ended:
        return (ReplicaSeen(AFTER_RECOVERY, "stopped", f"it does not start: {ended.message}"),)
    except SandboxError as failed:
        return (ReplicaSeen(AFTER_RECOVERY, "unknown", failed.message),)
    return replica.reconnect(AFTER_RECOVERY, FOLLOW_S), _written_on(replica, FOLLOW_S)


def _written_on(replica: Replica, limit_s: float) -> ReplicaSeen:
    """The replica follows again. Unknown when its primary cannot write on."""
    try:
        replica.write_past()
    except DurascopeError as failure:
        return ReplicaSeen(WROTE_ON, "unknown", f"The primary cannot write on: {failure}")
    return replica.reconnect(WROTE_ON, limit_s)


def _must_replicate(dialect: Dialect, primary: Connection) -> int:
    """The primary's server_id; SandboxError when it cannot have a replica."""
    log_bin, own_id = ask.rows(primary, "SELECT @@GLOBAL.log_bin, @@GLOBAL.server_id")[0]
    if not log_bin:
        raise SandboxError("A primary without a binlog cannot have a replica.", "Set log_bin to ON, or go without.")
    values = ask.names_to_values(primary, "SHOW GLOBAL VARIABLES")
    for name, value in dialect.of_source.items():
        if values.get(name, "") not in (value, "1"):
            raise SandboxError(
                f"A primary with {name}={values.get(name)} cannot have a replica.", f"Set it to {value}, or go without."
            )
    for table in _tables(primary):
        if ask.rows(primary, ANY_ROW.format(schema=SCHEMA, table=table)):
            raise SandboxError(f"The witness's table {table} already has rows.", "Attach the replica before the load.")
    return ask.integer(own_id)


def _tables(connection: Connection) -> list[str]:
    present = ask.rows(connection, "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", [SCHEMA])
    return [ask.as_text(name) for (name,) in present if name in TABLES]


def _copy_schema(primary: Connection, replica: Connection) -> None:
    """The binlog does not hold an image's tables."""
    ask.rows(replica, "SET SESSION sql_log_bin = 0")
    if ask.rows(primary, "SHOW SCHEMAS WHERE `Database` = %s", [SCHEMA]):
        ask.rows(replica, f"CREATE SCHEMA `{SCHEMA}`")
        replica.select_db(SCHEMA)
    for table in _tables(primary):
        ask.rows(replica, ask.as_text(ask.rows(primary, f"SHOW CREATE TABLE `{SCHEMA}`.`{table}`")[0][1]))


def _set(connection: Connection, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        ask.rows(connection, f"SET GLOBAL {name} = {int(value)}")
