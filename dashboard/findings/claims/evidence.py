"""What an experiment measured on one server, as predicates ask for it (workers.analysis.predicates.measured)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard.findings.claims.per_commit import estimate
from dashboard.findings.crash.detector import detector
from dashboard.findings.crash.trials import trials_of
from dashboard.findings.points import Gathered, PointKey, points
from dashboard.records.experiments.models import Cell, Experiment, Run
from dashboard.records.experiments.states import ENDED
from workers.analysis.blocks import Sample
from workers.analysis.fsync_model import FsyncModel, SizeSample, fit
from workers.analysis.not_computable import NotComputable
from workers.analysis.predicates.measured import At, Crash, Place
from workers.analysis.statistics import Estimate
from workers.bench.workloads import WORKLOADS

Device = tuple[str, int | None]  # its storage, and the server unless it is a sandbox


class Evidence:
    """One server's part of an experiment; `read` makes one for each, with one query for all."""

    def __init__(
        self,
        server_id: int,
        experiment: Experiment,
        measured: Mapping[PointKey, Gathered],
        gaps: Mapping[PointKey, str],
        tried: Mapping[tuple[int, str, str], Sequence[Mapping[str, Any]]],
        distrust: str,
        flushes: Mapping[Device, FsyncModel | NotComputable],
        broken: Mapping[tuple[int, str], str],
    ) -> None:
        self.server_id = server_id
        self._plan, self._claims = experiment.plan, experiment.claims
        self._measured, self._gaps, self._tried, self._distrust = measured, gaps, tried, distrust
        self._flushes, self._broken = flushes, broken

    def gap(self, at: At) -> str:
        gap = self._altered(at.variant, at.workload) or self._gaps.get(self._key(at), "not part of this plan")
        return gap or self._broken.get((self.server_id, at.variant), "")

    def commits(self, at: At) -> Sample:
        return self._measured[self._key(at)].seconds()

    def rows(self, at: At) -> int:
        chosen = next(one for one in self._plan["workloads"] if one["label"] == at.workload)
        workload = WORKLOADS[chosen["key"]]
        return workload.rows(workload.check(chosen["params"]))

    def per_commit(self, at: At, figure: str) -> Estimate | None:
        return estimate(self._measured[self._key(at)].runs, figure)

    def distrust(self) -> str:
        return self._distrust

    def crashes(self, variant: str, kind: str) -> Sequence[Crash]:
        if self._altered(variant):
            return ()
        return [_crash(row) for row in self._of(variant, kind) if row["state"] in ENDED]

    def open_crashes(self, variant: str, kind: str) -> int:
        return sum(row["state"] not in ENDED for row in self._of(variant, kind))

    def flushes(self, variant: str) -> FsyncModel | NotComputable:
        """Swept once for each device, whichever variant came first."""
        if why := self._altered(variant) or self._broken.get((self.server_id, variant)):
            return NotComputable(why)
        device = _device(self._plan, self.server_id, variant)
        return self._flushes.get(device, NotComputable("the device was not measured by size"))

    def _of(self, variant: str, kind: str) -> Sequence[Mapping[str, Any]]:
        return self._tried.get((self.server_id, variant, kind), ())

    def _key(self, at: At) -> PointKey:
        return PointKey(self.server_id, at.variant, at.workload, at.threads)

    def _altered(self, variant: str, workload: str = "") -> str:
        """A variant of the same name with other settings is not what the claim speaks of."""
        if variant in self._claims.get("variants", ()):
            return "this variant is not what it is in the recipe"
        return "this workload is not what it is in the recipe" if workload in self._claims.get("workloads", ()) else ""


def read(experiment: Experiment) -> list[Evidence]:
    """One for each server, in the plan's order."""
    measured = {point.key: point for point in points(experiment)}
    gaps, tried = _gaps(experiment), _tried(experiment)
    found = detector(trials_of(experiment))
    distrust = found.says if found.failed else ""
    flushes, broken = _flushes(experiment), _broken(experiment)
    ids = [target["server_id"] for target in experiment.plan["targets"]]
    return [Evidence(one, experiment, measured, gaps, tried, distrust, flushes, broken) for one in ids]


def _gaps(experiment: Experiment) -> dict[PointKey, str]:
    """Point -> why it is not fully measured, "" when it is."""
    states: dict[PointKey, list[tuple[str, str]]] = defaultdict(list)
    for server, variant, workload, threads, state, error in experiment.cells.values_list(
        "server_id", "variant", "workload", "threads", "state", "error"
    ):
        states[PointKey(server, variant, workload, threads)].append((state, error))
    return {key: _gap(found) for key, found in states.items()}


def _gap(found: Sequence[tuple[str, str]]) -> str:
    unmeasured = [(state, error) for state, error in found if state != Cell.State.DONE]
    if not unmeasured:
        return ""
    words = ", ".join(sorted({Cell.State(state).label for state, _ in unmeasured}))
    why = next((f" ({error.rstrip('.')})" for _, error in unmeasured if error), "")
    return f"{len(unmeasured)} of {len(found)} repeats {words}{why}"


def _device(plan: Mapping[str, Any], server_id: int, variant: str) -> Device:
    """Sandboxes of every build share the disk of their worker, or devices of the same profile."""
    sandboxes = {target["server_id"] for target in plan["targets"] if target.get("is_sandbox")}
    storage = next((one.get("storage", "") for one in plan["variants"] if one["name"] == variant), "")
    return (storage, None if server_id in sandboxes else server_id)


def _flushes(experiment: Experiment) -> dict[Device, FsyncModel | NotComputable]:
    """What was fitted to each device whose sizes were swept, by its newest sweep: one that was resumed has two."""
    runs = Run.objects.filter(cell__experiment=experiment, probe__data__has_key="sweep")
    columns = ("probe_id", "cell__server_id", "cell__variant", "probe__data__sweep")
    rows = runs.order_by("probe_id").values_list(*columns).distinct()
    newest = {_device(experiment.plan, server, variant): sweep for _, server, variant, sweep in rows}
    return {device: _fitted(sweep) for device, sweep in newest.items()}


def _broken(experiment: Experiment) -> dict[tuple[int, str], str]:
    """(server, variant) -> why its simulated device was not the one that the recipe speaks of: the probe read other
    fsyncs per second than its profile promises. What a busy machine did to it says nothing of a claim."""
    either = ("probe__data__logs__promise", "probe__data__promise")  # the data's device has the last word
    rows = [row for promise in either for row in _not_kept(experiment, promise)]
    return {(server, variant): says.rstrip(".") for server, variant, says in rows}


def _not_kept(experiment: Experiment, promise: str) -> Iterable[tuple[int, str, str]]:
    runs = Run.objects.filter(cell__experiment=experiment, **{f"{promise}__matches": False})
    return runs.values_list("cell__server_id", "cell__variant", f"{promise}__says").distinct()


def _fitted(sweep: Mapping[str, Any]) -> FsyncModel | NotComputable:
    sizes = [one for one in sweep["times"] if one["way"] == "overwrite"]
    return fit([SizeSample(one["size_bytes"], tuple(one["times_ms"])) for one in sizes])


def _tried(experiment: Experiment) -> dict[tuple[int, str, str], list[Mapping[str, Any]]]:
    """(server, variant, kind) -> the trials that count."""
    grouped: dict[tuple[int, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in _rows(experiment):
        grouped[row["server_id"], row["variant"], row["kind"]].append(row)
    return dict(grouped)


def _rows(experiment: Experiment) -> Iterable[Mapping[str, Any]]:
    columns = (
        "server_id",
        "variant",
        "kind",
        "state",
        "lost_engine",
        "lost_engine_ms",
        "lost_binlog",
        "lost_binlog_ms",
    )
    rows: Iterable[Mapping[str, Any]] = experiment.trials.counted().values(*columns, "evidence__data__checks")
    return rows


def _crash(row: Mapping[str, Any]) -> Crash:
    checks = {one["key"]: one["outcome"] for one in row["evidence__data__checks"] or ()}
    places: tuple[Place, ...] = ("engine", "binlog")
    lost = {place: took for place in places if (took := _lost_ms(row, place)) is not None}
    return Crash(checks, lost)


def _lost_ms(row: Mapping[str, Any], place: Place) -> float | None:
    """Nothing lost took no time at all."""
    return 0.0 if row[f"lost_{place}"] == 0 else row[f"lost_{place}_ms"]
