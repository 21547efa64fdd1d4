"""The request and the result of a failover trial."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.crash.setup_and_result import LostWork, TrialStep
from workers.crash.verdict import CheckResult, Outcome
from workers.sandbox.builds import Build
from workers.topology.policy import FailoverPolicy
from workers.topology.topology import Topology


@dataclass(frozen=True)
class FailoverSetup:
    """The request. `settings`: of the primary; replicas have the same, and those of `topology.replica_settings`.
    `fault`: a key of workers.topology.faults.FAULTS. `replica_build`: None: that of the primary. `seed` draws the
    moment of the fault, between half of `load_s` and `load_s`. `detection_s`: from the fault until the failover begins.
    """

    root: Path
    build: Build
    name: str
    topology: Topology
    settings: Mapping[str, str]
    fault: str
    policy: FailoverPolicy
    seed: int
    engine: str = "innodb"
    clients: int = 16
    load_s: float = 1.0
    detection_s: float = 0.0
    replica_build: Build | None = None
    user: str = ""  # who runs sandboxes when we are root

    @property
    def fault_after_s(self) -> float:
        """The moment of the fault since the begin of the load, drawn by the seed."""
        return self.load_s * random.Random(self.seed).uniform(0.5, 1.0)  # noqa: S311 - no secret


@dataclass(frozen=True)
class SemiSyncCounters:
    """Commits of the primary that a replica acknowledged in time, and those that went on without."""

    acknowledged: int
    not_acknowledged: int


@dataclass(frozen=True)
class WriteOutage:
    """Seconds from the last commit that the old primary acknowledged to the first one of the new primary, and the parts
    of it that are known: until the failover began (a cluster's nodes: until they noticed the loss), until the new
    primary accepted writes, until the clients were logged in."""

    total_s: float
    detection_s: float
    failover_s: float
    login_s: float


@dataclass(frozen=True)
class Rejoin:
    """The old primary as a replica of the new one. `says`: its error word for word, "" without one. `different_rows`:
    None: not compared."""

    state: str  # "caught up", "stopped", "unknown"
    says: str
    different_rows: int | None


@dataclass(frozen=True)
class FailoverResult:
    """A trial that could not be completed is unknown, and `failed_at` names its step. `holds`: acknowledged commits on
    each node at the end. `acknowledged_at_s`: of all clients, since the load began, ascending."""

    verdict: Outcome
    checks: tuple[CheckResult, ...]
    steps: tuple[TrialStep, ...]
    sent: int = 0
    acknowledged: int = 0
    in_doubt: int = 0
    fault_at_s: float = 0.0
    promoted: str = ""
    lost: LostWork | None = None
    phantoms: int | None = None  # None: the reader read nothing
    reads: int = 0
    ghosts: int | None = None  # commits that only the old primary holds; None: it did not come back
    ghosts_acknowledged: int | None = None
    outage: WriteOutage | None = None
    rejoin: Rejoin | None = None
    semi_sync: SemiSyncCounters | None = None
    holds: Mapping[str, int] = field(default_factory=dict)
    acknowledged_at_s: tuple[float, ...] = ()
    because: str = ""  # one sentence: why commits were lost
    failed_at: str = ""
    error: str = ""
    my_cnf: Mapping[str, str] = field(default_factory=dict)  # node -> its option file
    log_lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # node -> its error log
    digest_key: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
