"""The evidence of a verdict as it is stored. Retention may remove the texts of old evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workers.crash.outage import ClientOutage
from workers.crash.points.story import PointsStory
from workers.crash.setup_and_result import TrialStep
from workers.crash.verdict import CheckResult
from workers.topology.setup_and_result import FailoverStory


@dataclass(frozen=True)
class FoundSets:
    """Numbers of transactions by place; None: not known."""

    acknowledged: int | None = None
    in_doubt: int | None = None
    engine: int | None = None
    binlog: int | None = None
    acknowledged_in_engine: int | None = None
    acknowledged_in_binlog: int | None = None
    acknowledged_in_neither: int | None = None


@dataclass(frozen=True)
class BinlogEnd:
    """As in workers.crash.evidence.BinlogSeen."""

    end: str = ""
    end_at: str = ""
    unreadable: str = ""
    reused: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplicaState:
    """As in workers.crash.evidence.ReplicaSeen."""

    moment: str
    state: str
    error: str = ""
    different_rows: int | None = None


@dataclass(frozen=True)
class StoredEvidence:
    """As in workers.crash.evidence.Evidence and workers.crash.setup_and_result.TrialResult. `failover`: of a topology;
    `points`: of a recorded load."""

    checks: tuple[CheckResult, ...] = ()
    steps: tuple[TrialStep, ...] = ()
    crash_at_s: float = 0.0
    failed_at: str = ""
    sets: FoundSets = field(default_factory=FoundSets)
    binlog: BinlogEnd | None = None
    replicas: tuple[ReplicaState, ...] = ()
    gtid_before: str = ""
    gtid_after: str = ""
    reissued: tuple[str, ...] = ()
    prepared_left: int | None = None
    tables_ok: bool | None = None
    recovery_lines: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    log_lines: tuple[str, ...] = ()
    my_cnf: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    outage: ClientOutage | None = None
    failover: FailoverStory | None = None
    points: PointsStory | None = None
