"""The measurements of an experiment on one server, in the form that predicates ask for
(workers.analysis.predicates.measured)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.trials import trials_of
from dashboard.findings.grouped import grouped
from dashboard.findings.per_commit import estimate
from dashboard.findings.points import Gathered, PointKey, points
from dashboard.findings.probed import sweep_of
from dashboard.installation.stored import read as read_stored
from dashboard.records.experiments.claims import claims_of
from dashboard.records.experiments.models import Cell, Experiment, Run
from dashboard.records.experiments.states import ENDED
from workers.analysis.blocks import Sample
from workers.analysis.fsync_model import FsyncModel, SizeSample, fit
from workers.analysis.not_computable import NotComputable
from workers.analysis.predicates.measured import At, Crash, Happening, Place
from workers.analysis.statistics import Estimate
from workers.bench.plan import Plan
from workers.bench.workloads import WORKLOADS
from workers.crash.verdict import CheckResult
from workers.metrics.fsync_sweep import SweepPoint
from workers.topology.setup_and_result import FailoverStory

DeviceKey = tuple[str, int | None]  # storage, and the server unless it is a sandbox
TrialKey = tuple[int, str, str]  # server, variant, kind
Tried = tuple[str, Crash]  # state of a trial, and its result


@dataclass(frozen=True)
class ClaimEvidence:
    """The measurements that claims are judged by, of all servers. `altered_variants`, `altered_workloads`: those that
    differ from the recipe. `gaps`: why a point is not fully measured, "" if it is. `broken`: why the simulated device
    of a (server, variant) does not count. `distrusted`: why no crash counts, "" if they do."""

    plan: Plan
    altered_variants: frozenset[str]
    altered_workloads: frozenset[str]
    measured: Mapping[PointKey, Gathered]
    gaps: Mapping[PointKey, str]
    tried: Mapping[TrialKey, Sequence[Tried]]
    distrusted: str
    swept: Mapping[DeviceKey, FsyncModel | NotComputable]
    broken: Mapping[tuple[int, str], str]


@dataclass(frozen=True)
class ServerResult:
    server_id: int
    evidence: ClaimEvidence

    def gap(self, at: At) -> str:
        gap = self._altered(at.variant, at.workload) or self.evidence.gaps.get(self._key(at), "not part of this plan")
        return gap or self.evidence.broken.get((self.server_id, at.variant), "")

    def commits(self, at: At) -> Sample:
        return self.evidence.measured[self._key(at)].seconds()

    def rows(self, at: At) -> int:
        chosen = self.evidence.plan.workload(at.workload)
        workload = WORKLOADS[chosen.key]
        return workload.rows(workload.check(chosen.params))

    def per_commit(self, at: At, figure: str) -> Estimate | None:
        return estimate(self.evidence.measured[self._key(at)].runs, figure)

    def distrust(self) -> str:
        return self.evidence.distrusted

    def crashes(self, variant: str, kind: str) -> Sequence[Crash]:
        if self._altered(variant):
            return ()
        return [crash for state, crash in self._of(variant, kind) if state in ENDED]

    def open_crashes(self, variant: str, kind: str) -> int:
        return sum(state not in ENDED for state, _ in self._of(variant, kind))

    def flushes(self, variant: str) -> FsyncModel | NotComputable:
        """A device is swept once, with the first variant that uses it."""
        if why := self._altered(variant) or self.evidence.broken.get((self.server_id, variant)):
            return NotComputable(why)
        device = _device(self.evidence.plan, self.server_id, variant)
        return self.evidence.swept.get(device, NotComputable("the device was not measured by size"))

    def _of(self, variant: str, kind: str) -> Sequence[Tried]:
        return self.evidence.tried.get((self.server_id, variant, kind), ())

    def _key(self, at: At) -> PointKey:
        return PointKey(self.server_id, at.variant, at.workload, at.threads)

    def _altered(self, variant: str, workload: str = "") -> str:
        """A claim does not mean a variant of the same name with other settings."""
        if variant in self.evidence.altered_variants:
            return "this setting was changed, so it does not test the claim"
        altered = workload in self.evidence.altered_workloads
        return "this workload was changed, so it does not test the claim" if altered else ""


def read(experiment: Experiment) -> list[ServerResult]:
    """One for each server, in the plan's order."""
    plan, found = experiment.as_plan(), self_test(trials_of(experiment))
    claims = claims_of(experiment)
    evidence = ClaimEvidence(
        plan=plan,
        altered_variants=frozenset(claims.variants),
        altered_workloads=frozenset(claims.workloads),
        measured={point.key: point for point in points(experiment)},
        gaps=_gaps(experiment),
        tried=_tried(experiment),
        distrusted=found.says if found.failed else "",
        swept=_swept(experiment, plan),
        broken=_broken(experiment),
    )
    return [ServerResult(target.server_id, evidence) for target in plan.targets]


def _gaps(experiment: Experiment) -> dict[PointKey, str]:
    """Point -> why it is not fully measured, "" if it is."""
    cells = experiment.cells.values_list("server_id", "variant", "workload", "threads", "state", "error")
    states = grouped(
        (PointKey(server, variant, workload, threads), (state, error))
        for server, variant, workload, threads, state, error in cells
    )
    return {key: _gap(found) for key, found in states.items()}


def _gap(found: Sequence[tuple[str, str]]) -> str:
    unmeasured = [(state, error) for state, error in found if state != Cell.State.DONE]
    if not unmeasured:
        return ""
    words = ", ".join(sorted({Cell.State(state).label for state, _ in unmeasured}))
    why = next((f" ({error.rstrip('.')})" for _, error in unmeasured if error), "")
    return f"{len(unmeasured)} of {len(found)} repeats {words}{why}"


def _device(plan: Plan, server_id: int, variant: str) -> DeviceKey:
    """Sandboxes of every build share the disk of their worker, or devices of one profile."""
    sandboxes = {target.server_id for target in plan.targets if target.is_sandbox}
    storage = next((one.storage for one in plan.variants if one.name == variant), "")
    return (storage, None if server_id in sandboxes else server_id)


def _swept(experiment: Experiment, plan: Plan) -> dict[DeviceKey, FsyncModel | NotComputable]:
    """The model of each swept device, fitted to its newest sweep: a resumed experiment has two."""
    runs = Run.objects.filter(cell__experiment=experiment, probe__data__has_key="sweep")
    columns = ("probe_id", "cell__server_id", "cell__variant", "probe__data__sweep")
    rows = runs.order_by("probe_id").values_list(*columns).distinct()
    newest = {_device(plan, server, variant): sweep_of(sweep) for _, server, variant, sweep in rows}
    return {device: _fitted(sweep) for device, sweep in newest.items()}


def _broken(experiment: Experiment) -> dict[tuple[int, str], str]:
    """(Server, variant) -> why its simulated device is not the one in the recipe: the probe read other fsyncs per
    second than the profile promises. A busy machine can cause this, and it says nothing about a claim."""
    found: dict[tuple[int, str], str] = {}
    for promise in ("probe__data__logs__promise", "probe__data__promise"):  # the last one wins: the data's device
        runs = Run.objects.filter(cell__experiment=experiment, **{f"{promise}__matches": False})
        rows = runs.values_list("cell__server_id", "cell__variant", f"{promise}__says").distinct()
        found |= {(server, variant): says.rstrip(".") for server, variant, says in rows}
    return found


def _fitted(sweep: Sequence[SweepPoint]) -> FsyncModel | NotComputable:
    return fit([SizeSample(one.size_bytes, one.times_ms) for one in sweep if one.way == "overwrite"])


def _tried(experiment: Experiment) -> dict[TrialKey, list[Tried]]:
    """The trials that count."""
    lost = ("lost_engine", "lost_engine_ms", "lost_binlog", "lost_binlog_ms")
    rows = experiment.trials.of_the_plan().values_list(
        "server_id", "variant", "kind", "state", "evidence__data__checks", "evidence__data__failover", *lost
    )
    found: list[tuple[TrialKey, Tried]] = []
    for server_id, variant, kind, state, checks, story, engine, engine_ms, binlog, binlog_ms in rows:
        took: dict[Place, float | None] = {"engine": _lost_ms(engine, engine_ms), "binlog": _lost_ms(binlog, binlog_ms)}
        known = {place: lost_ms for place, lost_ms in took.items() if lost_ms is not None}
        told, outcomes = read_stored(FailoverStory, story or {}), read_stored(tuple[CheckResult, ...], checks or ())
        outage_s = told.outage.total_s if told.outage else None
        crash = Crash({one.key: one.outcome for one in outcomes}, known, _happened(told), outage_s)
        found.append(((server_id, variant, kind), (state, crash)))
    return grouped(found)


def _happened(story: FailoverStory) -> dict[Happening, bool]:
    found: dict[Happening, bool] = {} if story.ghosts is None else {"ghosts": story.ghosts > 0}
    if story.rejoin and story.rejoin.state in ("caught up", "stopped"):
        found["stopped"] = story.rejoin.state == "stopped"
    return found


def _lost_ms(lost: int | None, took_ms: float | None) -> float | None:
    """If nothing was lost, the lost time is 0."""
    return 0.0 if lost == 0 else took_ms
