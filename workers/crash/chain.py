"""The states of a crash trial. Each is frozen and holds all values of the state before.

Begun      The crash kind is available on this host. Nothing is made.
ServerReady  The server answers, and the witness's tables are there and empty. `made` removes everything.
Prepared   Every client of the witness is logged in; nothing was sent. A replica, if any, follows the server.
Loaded     The crash moment drawn by the seed has come, and the clients are still committing.
Crashed    The server stopped answering, every answer was read, the data were lost. The datadir is as a recovery finds
           it; `before` is the binlog as it was at the crash.
Recovered  The server answers again, or it ended because of what the crash left (`refused` says how).
Judged     Every check has its outcome, and the trial its verdict.

The result of a failed trial is `so_far()` of its last state.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from time import monotonic, sleep

from workers.crash.attached import AttachedServer
from workers.crash.client import ConnectionLedger
from workers.crash.digest import new_secret
from workers.crash.image import make_tables, witness_image
from workers.crash.inspect import BinlogPlace, Inspector, keep_binlog
from workers.crash.kinds.kind import CrashKind, DownServer, Scene
from workers.crash.ledger import Ledger
from workers.crash.made import Made
from workers.crash.outage import ClientOutage
from workers.crash.reconnecting import ReconnectingClient
from workers.crash.replica import SCHEMA, Replica, attach
from workers.crash.setup_and_result import Attached, Timeline, TrialResult, TrialSetup
from workers.crash.witness import Witness
from workers.host import temporary
from workers.sandbox.disk import prepared
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Recovery, Sandbox
from workers.sandbox.users import User, unprivileged_user
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target

LOG_LINES = 400
WITHOUT_REPLICA = "none, although the plan has one: for a replica choose the crash kind crash points of a replica"


@dataclass(frozen=True)
class TrialPorts:
    """The functions that make the parts of a trial; tests replace them."""

    sandbox: Callable[..., Sandbox] = Sandbox.create
    disk: Callable[..., VolatileDisk] = prepared.new_disk
    logs_disk: Callable[..., VolatileDisk] = VolatileDisk.create
    replay: Callable[..., ReplayDisk] = ReplayDisk.replay
    attached: Callable[[Attached], AttachedServer] = AttachedServer
    replica: Callable[..., AbstractContextManager[Replica]] = attach
    witness: Callable[..., Witness] = Witness
    reconnecting: Callable[..., ReconnectingClient] = ReconnectingClient
    image: Callable[..., str] = witness_image
    tables: Callable[[Connection, str, str], None] = make_tables
    user: Callable[[str], User] = unprivileged_user
    connect: Callable[[Target], Connection] = connect
    clock: Callable[[], float] = monotonic
    sleep: Callable[[float], None] = sleep


PORTS = TrialPorts()


@dataclass(frozen=True, kw_only=True)
class Begun:
    setup: TrialSetup
    kind: CrashKind
    settings: Mapping[str, str]  # of a sandbox: the variant's settings, and those that the trial needs
    ports: TrialPorts
    made: Made
    timeline: Timeline
    secret: bytes = field(default_factory=new_secret)

    @property
    def schema(self) -> str:
        return self.setup.attached.schema if self.setup.attached else SCHEMA

    def so_far(self) -> TrialResult:
        alone = self.kind.records and not self.kind.with_replica
        notes = {"replica": WITHOUT_REPLICA} if self.setup.replica and alone else {}
        if own := self.setup.replica_settings if self.kind.with_replica else {}:
            notes["the replica's own settings"] = ", ".join(f"{name}={value}" for name, value in own.items())
        return TrialResult(steps=self.timeline.steps(), digest_key=self.secret.hex(), notes=notes)


@dataclass(frozen=True, kw_only=True)
class ServerReady(Begun):
    server: Sandbox | AttachedServer
    disk: VolatileDisk | None  # None: the datadir is on the host's disk
    logs_disk: VolatileDisk | None = None  # None: the logs are in the datadir
    variables: Mapping[str, str]

    @property
    def has_binlog(self) -> bool:
        return self.variables.get("log_bin") in ("ON", "1")

    @property
    def has_gtids(self) -> bool:
        return "gtid_binlog_pos" in self.variables or self.variables.get("gtid_mode") in ("ON", "ON_PERMISSIVE")

    @property
    def scene(self) -> Scene:
        return Scene(self.server, self.disk, self.setup.seed, self.timeline.step, self.logs_disk)

    def so_far(self) -> TrialResult:
        known = super().so_far()
        effective = {name: self.variables[name] for name in self.setup.settings if name in self.variables}
        log_lines = tuple(self.server.log_text.splitlines()[-LOG_LINES:])
        return replace(known, my_cnf=self.server.my_cnf, log_lines=log_lines, notes={**known.notes, **effective})


@dataclass(frozen=True, kw_only=True)
class Prepared(ServerReady):
    witness: Witness
    replica: Replica | None
    replica_disk: VolatileDisk | None = None  # None: its datadir is on the host's disk
    look: Inspector
    reconnecting: ReconnectingClient | None = None  # beside the witness; None: nobody reconnects

    def ledger(self) -> Ledger:
        known = self.witness.ledger()
        if self.reconnecting is None:
            return known
        return Ledger((*known.clients, *self.reconnecting.ledgers())).sealed(self.secret)

    def copy_of_binlog(self) -> BinlogPlace | None:
        """As the server wrote it, flushed or not: the page cache, and a disk without power, still answer. None: it is
        not on this host, or was purged."""
        place = self.look.log
        if not isinstance(place, BinlogPlace):
            return None
        folder = self.made.enter_context(temporary.folder("binlog"))
        return self.look.piece("binlog before the crash", lambda: keep_binlog(place, folder))

    def connections(self) -> tuple[ConnectionLedger, ...]:
        return (*self.witness.connections(), *(self.reconnecting.connections() if self.reconnecting else ()))

    def so_far(self) -> TrialResult:
        ledger, refused = self.ledger(), [one.refused for one in self.connections() if one.refused]
        known = super().so_far()
        count = f"{len(refused)} transaction{'s' if len(refused) > 1 else ''}"
        says = {"refused": f"{count}, the first one with {refused[0].says}"} if refused else {}
        return replace(
            known,
            sent=len(ledger.sent()),
            acknowledged=len(ledger.acknowledged()),
            in_doubt=len(ledger.in_doubt()) - len(refused),
            crash_at_s=self.witness.drained_at_s,
            notes={**known.notes, **says},
        )


@dataclass(frozen=True, kw_only=True)
class Loaded(Prepared):
    gtid_before: str


@dataclass(frozen=True, kw_only=True)
class Crashed(Loaded):
    down: DownServer
    before: BinlogPlace | None
    crash_notes: Mapping[str, str]

    def so_far(self) -> TrialResult:
        known = super().so_far()
        return replace(known, notes={**known.notes, **self.crash_notes})


@dataclass(frozen=True, kw_only=True)
class Recovered(Crashed):
    recovery: Recovery | None
    refused: str
    outage: ClientOutage | None = None  # as the client saw it that reconnects

    def so_far(self) -> TrialResult:
        return replace(super().so_far(), recovery_s=self.recovery.seconds if self.recovery else None)


@dataclass(frozen=True, kw_only=True)
class Judged(Recovered):
    result: TrialResult

    def so_far(self) -> TrialResult:
        return replace(self.result, steps=self.timeline.steps())
