"""The request and the result of a failover trial."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from workers.crash.setup_and_result import LostWork, TrialEnd, TrialRequest, TrialResult
from workers.sandbox.builds import Build
from workers.topology.network.measured import NetworkUsed
from workers.topology.policy import FailoverPolicy
from workers.topology.stall import WriteStall
from workers.topology.topology import Topology


@dataclass(frozen=True, kw_only=True)
class FailoverSetup(TrialRequest):
    """`settings`: of the primary; replicas have the same, and those of `topology.settings_of`. `fault`: a key of
    workers.topology.faults.FAULTS; its moment is `crash_after_s`."""

    build: Build
    topology: Topology
    fault: str
    load_s: float = 1.0
    pause_s: float = 10.0  # of a fault that pauses nodes
    manager: tuple[str, ...] = ()  # the owner's failover manager: a list of arguments, run without a shell

    @property
    def policy(self) -> FailoverPolicy:
        return self.topology.policy


@dataclass(frozen=True)
class SemiSyncCounters:
    """Commits of the primary that a replica acknowledged in time, and those that went on without."""

    acknowledged: int
    not_acknowledged: int


@dataclass(frozen=True)
class WriteOutage:
    """Seconds from the last commit that one client got acknowledged before it had to reconnect to the first one
    afterwards, without the time that the fault itself took, and its parts: until the nodes of a cluster noticed the
    loss (None: the trial or a manager began the failover, and nobody measured when the loss was noticed), until the new
    primary accepted writes, until the client was logged in, until the first answer. `least_s`, `most_s`: the shortest
    and the longest total of all clients.

    Within `failover_s`: the time in which nodes started again, and in which a replica applied what it had received;
    None: no node had to start, or a cluster or manager did it by itself."""

    total_s: float
    detection_s: float | None
    failover_s: float
    login_s: float
    answered_s: float
    recovery_s: float | None
    applying_s: float | None
    least_s: float
    most_s: float

    @property
    def promotion_s(self) -> float:
        """The rest of the failover."""
        return self.failover_s - (self.recovery_s or 0.0) - (self.applying_s or 0.0)


@dataclass(frozen=True)
class RefusedByNode:
    """Transactions that a node answered with an error: the client knows that they failed. `says`: the first error. In
    seconds since the load began."""

    node: str
    count: int
    first_s: float
    last_s: float
    says: str


@dataclass(frozen=True)
class AnsweredByNode:
    """Transactions that a node acknowledged, the first and the last one in seconds since the load began (None: none),
    and those that are in doubt there: sent, and no answer came."""

    node: str
    acknowledged: int
    in_doubt: int
    first_s: float | None
    last_s: float | None


@dataclass(frozen=True)
class UpdatesSeen:
    """Transactions that read a row and wrote its next version. `overwritten`: acknowledged ones whose version another
    acknowledged one wrote too; `missing`: acknowledged ones whose version is above the one on the new primary, None:
    not readable; `stale`: of the `reads`, those that had a version below one that had been acknowledged before."""

    acknowledged: int
    refused: int
    overwritten: int
    missing: int | None
    reads: int
    stale: int


@dataclass(frozen=True)
class Rejoin:
    """The node that was down, as a replica of the present primary. `says`: its error word for word, "" without one.
    `different_rows`: None: not compared. `doubled`: transactions with a row that is there twice; None: not known."""

    state: str  # "caught up", "stopped", "unknown"
    says: str
    different_rows: int | None
    doubled: int | None = None


@dataclass(frozen=True)
class FailoverStory:
    """The part of a failover that a crash of one server does not have, as it is stored.

    `because`: one sentence, why commits were lost, or read and then lost; "" without a loss. None: not known.
    `phantoms`: commits that a reader saw and that the new primary lacks, after so many `reads`. `ghosts`: commits that
    only the old primary holds. `stall`: where the primary went on; None: another node took over. `holds`: acknowledged
    commits on the new primary at its promotion, on the old one and on nodes of a cluster when they came back, on any
    other node at the end. `per_100_ms`, `after_per_100_ms`: commits that the old and the new primary acknowledged in
    each tenth of a second since the load began. `expelled`: whether a cluster went on without the nodes that were
    paused, None: none was. `network`: between the nodes, None: they are on one address. `answered`, `refused`: by node.
    `updates`: None: nobody updated rows. `fell_back`: whether semi-synchronous replication went on without an answer of
    a replica, or may have; None: not known, or another kind. `errant`: GTIDs of the old primary that the new one lacks,
    None: not known; `errant_first`: some of them.
    """

    promoted: str = ""
    because: str = ""
    phantoms: int | None = None
    reads: int = 0
    ghosts: int | None = None
    ghosts_acknowledged: int | None = None
    outage: WriteOutage | None = None
    stall: WriteStall | None = None
    rejoin: Rejoin | None = None
    semi_sync: SemiSyncCounters | None = None
    expelled: bool | None = None
    answered: tuple[AnsweredByNode, ...] = ()
    refused: tuple[RefusedByNode, ...] = ()
    updates: UpdatesSeen | None = None
    fell_back: bool | None = None
    errant: int | None = None
    errant_first: tuple[str, ...] = ()
    holds: Mapping[str, int] = field(default_factory=dict)
    per_100_ms: tuple[int, ...] = ()
    after_per_100_ms: tuple[int, ...] = ()
    network: NetworkUsed | None = None


@dataclass(frozen=True, kw_only=True)
class FailoverResult(TrialEnd):
    fault_at_s: float = 0.0
    lost: LostWork | None = None
    lost_replica: LostWork | None = None  # by a replica that crashed
    story: FailoverStory = FailoverStory()
    my_cnf: Mapping[str, str] = field(default_factory=dict)  # node -> its option file
    log_lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # node -> its error log

    def as_trial(self) -> TrialResult:
        """As the result of any trial: lost from the engine that clients use now, back when it took writes."""
        return TrialResult(
            **{one.name: getattr(self, one.name) for one in fields(TrialEnd)},
            crash_at_s=self.fault_at_s,
            recovery_s=self.story.outage.total_s if self.story.outage else None,
            lost_engine=self.lost,
            lost_replica=self.lost_replica,
            my_cnf="\n".join(f"# {node}\n{text}" for node, text in self.my_cnf.items()),
            log_lines=tuple(f"{node}: {line}" for node, lines in self.log_lines.items() for line in lines),
        )
