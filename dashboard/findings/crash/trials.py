"""The trials of an experiment as pages count them: one query, without logs."""

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, Literal

from django.db.models import QuerySet

from dashboard.findings.grouped import grouped
from dashboard.findings.tested import engine_of_tables
from dashboard.installation.stored import read
from dashboard.records.experiments.kind_names import RECORDED_KINDS
from dashboard.records.experiments.models import DECIDED, Experiment, Trial, TrialEvidence
from dashboard.records.experiments.states import ENDED
from dashboard.records.experiments.trial_evidence import ReplicaState
from dashboard.records.experiments.verdict_label import replica_stopped, verdict_label
from workers.bench.plan import CONTROLS, Variant
from workers.crash.kinds import CRASH_KINDS
from workers.crash.points.story import PointCounts
from workers.crash.replica_check import RECONNECTIONS
from workers.topology.faults import FAULTS
from workers.topology.topology import family

Replica = Literal["diverge", "stopped", "unknown", "agree", "not tried"]
REPLICA_STATES: tuple[Replica, ...] = ("diverge", "stopped", "unknown", "agree", "not tried")  # worst first
REPLICAS_SAY: dict[Replica, str] = {
    "diverge": "replicas diverge silently",
    "stopped": "replicas stop with an error",
    "unknown": "whether replicas agree is unclear",
    "agree": "replicas agree",
    "not tried": "no replica was tried",
}
ANY_ENGINE = "the engine"
WITH_REPLICA = frozenset(key for key, kind in CRASH_KINDS.items() if kind.with_replica)
# Kinds whose losses are told as a number, without the log that lost them.
WITHOUT_LOGS = WITH_REPLICA | frozenset(FAULTS)
_OF_THE_EVIDENCE = (
    "evidence__data__replicas", "evidence__data__failover__ghosts",
    "evidence__data__failover__rejoin__state", "evidence__data__failover__rejoin__different_rows",
    "evidence__data__failover__fell_back", "evidence__data__points__counts",
    "evidence__data__points__left",
)  # fmt: skip


@dataclass(frozen=True)
class Tried:
    """One trial without its evidence. Fields without a default are columns of `Trial`; None: not known."""

    id: int
    position: int
    server_id: int
    variant: str
    kind: str
    repeat: int
    seed: int
    state: str
    verdict: str
    error: str
    acknowledged: int | None
    lost_engine: int | None
    lost_engine_ms: float | None
    lost_binlog: int | None
    lost_binlog_ms: float | None
    lost_replica: int | None
    phantoms: int | None  # commits that clients read and that a failover then lost
    recovery_s: float | None
    repeat_of_id: int | None
    lost_both: int | None = None  # commits that engine and binlog both lack
    replica: Replica = "not tried"
    ghosts: int | None = None  # commits that only the old primary holds
    rejoin: str | None = None  # how the node that was down came back after a failover: caught up, stopped, unknown
    rejoin_differs: int | None = None  # rows in which that node differs from the new primary
    fell_back: bool | None = None  # whether semi-synchronous replication went on without an answer; None: not known
    points: PointCounts | None = None  # of a recorded load
    points_left: int = 0  # found in it and not tried
    engine: str = ANY_ENGINE
    family: str = ""  # of its topology (workers.topology.topology.family); "": not known

    @property
    def is_decided(self) -> bool:
        return self.verdict in DECIDED

    @property
    def is_unknown(self) -> bool:
        """It ended without a decision: its verdict is unknown, or it failed before its checks."""
        return self.state in ENDED and not self.is_decided

    @property
    def counts(self) -> bool:
        """Whether counts and rates include it: the rule of `Trials.of_the_plan`."""
        return self.repeat_of_id is None

    @property
    def was_completed(self) -> bool:
        """From the load to the checks. A trial that failed names the step in its error: it counts if it had found a
        violation before."""
        return self.state == Trial.State.DONE and (self.is_decided or not self.error)

    @property
    def stayed_down(self) -> bool:
        """The server did not start after the crash: there is a verdict and no recovery time. After a failover without
        an outage there is none either."""
        return self.kind not in FAULTS and self.verdict == Trial.Verdict.INVALID and self.recovery_s is None

    @property
    def is_of_replica(self) -> bool:
        """Whether a replica crashed, and nobody took over."""
        return self.kind in FAULTS and FAULTS[self.kind].of_replica

    @property
    def verdict_label(self) -> str:
        stopped = replica_stopped(self.kind, self.verdict, self.lost_replica)
        lost = (self.lost_engine, self.lost_binlog, self.lost_replica)
        return verdict_label(self.verdict, lost, self.phantoms, stopped=stopped)

    def lost(self, place: str) -> int | None:
        """Acknowledged transactions lost from "engine", "binlog", or "either": the larger number. Without a binary log
        it is the engine's number. Without the engine's number it is not known. Where a replica crashed, it is
        what this replica lacks."""
        if self.is_of_replica:
            return self.lost_replica
        engine = self._lost_in_engines
        if place == "either" and engine is not None:
            return max(engine, self.lost_binlog or 0)
        return self.lost_binlog if place == "binlog" else engine

    @property
    def _lost_in_engines(self) -> int | None:
        """Where a replica is crashed too, what the worse of both servers lost."""
        if self.kind not in WITH_REPLICA:
            return self.lost_engine
        return max(filter(None, (self.lost_engine, self.lost_replica)), default=self.lost_engine)

    def lost_ms(self, place: str) -> float | None:
        if self.is_of_replica or self.kind in WITH_REPLICA:
            return None
        if place == "either":
            place = "binlog" if (self.lost_binlog or 0) > (self.lost_engine or 0) else "engine"
        return self.lost_engine_ms if place == "engine" else self.lost_binlog_ms


_COLUMNS = tuple(one.name for one in fields(Tried) if one.default is MISSING)


def trials_of(experiment: Experiment) -> list[Tried]:
    """All trials in order of execution. Their evidence is read only if the plan has replicas, topologies or recorded
    loads. A further query reads the evidence of trials that lost commits from both logs."""
    plan = experiment.as_plan()
    recorded = RECORDED_KINDS.intersection(plan.crash.kinds)
    has_more = recorded or plan.crash.replica or any(variant.topology for variant in plan.variants)
    wanted = (*_COLUMNS, *_OF_THE_EVIDENCE) if has_more else _COLUMNS
    known = {variant.name: variant for variant in plan.variants}
    tried = (_tried(row) for row in experiment.trials.order_by("position").values_list(*wanted))
    found = [_of_variant(one, known.get(one.variant)) for one in tried]
    logs = (one for one in found if one.kind not in WITHOUT_LOGS and not one.points)
    both = _lost_from_both([one.id for one in logs if one.lost_engine and one.lost_binlog])
    return [replace(one, lost_both=both.get(one.id)) for one in found]


def _of_variant(one: Tried, variant: Variant | None) -> Tried:
    if variant is None:  # the trial of an imported file may name another
        return one
    return replace(one, engine=engine_of_tables(variant, one.kind), family=family(variant.topology))


def _lost_from_both(trial_ids: Sequence[int]) -> dict[int, int | None]:
    """Trial id -> how many acknowledged commits engine and binlog both lack."""
    evidence = TrialEvidence.objects.filter(trial__in=trial_ids)
    return dict(evidence.values_list("trial_id", "data__sets__acknowledged_in_neither"))


def engine_in(trials: Iterable[Tried]) -> str:
    """The engine of all these trials; of several engines none is named."""
    named = {trial.engine for trial in trials}
    return named.pop() if len(named) == 1 else ANY_ENGINE


def controls_of(experiment_ids: Iterable[int]) -> dict[int, list[Tried]]:
    """Experiment id -> its control trials."""
    return plain_trials(Trial.objects.filter(experiment__in=set(experiment_ids), kind__in=CONTROLS))


def plain_trials(rows: QuerySet[Trial]) -> dict[int, list[Tried]]:
    """Experiment id -> its trials among these, without replicas and crash points; one query for all."""
    found = rows.order_by("position").values_list("experiment_id", *_COLUMNS)
    return grouped((experiment_id, _tried(row)) for experiment_id, *row in found)


def _tried(row: Sequence[Any]) -> Tried:
    known, more = dict(zip(_COLUMNS, row, strict=False)), row[len(_COLUMNS) :]
    if not more:
        return Tried(**known)
    replicas, ghosts, rejoin, differs, fell_back, counts, left = more
    found = {"ghosts": ghosts, "rejoin": rejoin, "rejoin_differs": differs, "fell_back": fell_back}
    replica = replica_of(read(tuple[ReplicaState, ...], replicas or ()))
    points = PointCounts(**counts) if counts else None
    return Tried(**known, **found, replica=replica, points=points, points_left=left or 0)


def replica_of(seen: Sequence[ReplicaState]) -> Replica:
    """The worst state of a trial's replica. Different rows without an error are the worst, because no person would
    notice. As in the verdict, an old primary that cannot follow its promoted replica does not count: the replica may
    have been behind."""
    return worst([_moment(one) for one in seen if one.moment in RECONNECTIONS])


def _moment(one: ReplicaState) -> Replica:
    if one.state == "stopped":
        return "stopped"
    if one.state != "caught up" or one.different_rows is None:
        return "unknown"
    return "diverge" if one.different_rows else "agree"


def worst(found: Sequence[Replica]) -> Replica:
    return min(found, key=REPLICA_STATES.index, default="not tried")
