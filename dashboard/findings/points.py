"""The runs of an experiment, grouped into points: one server, variant, workload and number of threads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from dashboard.findings.counted import counted
from dashboard.findings.point import Figures, Latencies, RunFigures
from dashboard.installation.stored import read
from dashboard.records.experiments.models import Experiment, Run
from workers.analysis.blocks import Sample, sample
from workers.bench.plan import Plan

_COLUMNS = (
    "cell__server_id", "cell__variant", "cell__workload", "cell__threads", "cell__experiment_id", "cell__block",
    "cell__repeat",
    "id", "cell_id", "tps", "elapsed_s", "errors", "latency_ms", "effective", "transactions", "figures", "latencies",
    "series__columns", "evidence__histogram",
    "probe__data__flushes", "probe__data__logs__flushes",  # the latter where the logs lie on a second device
)  # fmt: skip


@dataclass(frozen=True)
class PointKey:
    server_id: int
    variant: str
    workload: str
    threads: int

    def of(self, variant: str) -> "PointKey":
        return PointKey(self.server_id, variant, self.workload, self.threads)


@dataclass(frozen=True, kw_only=True)
class MeasuredRun(RunFigures):
    """`columns`: a figure's name -> one value per second. `probe_p50_ms`: the shortest median of any size and way that
    the probe measured on the device of the logs; None: not probed."""

    id: int
    cell_id: int
    experiment_id: int
    block: int
    repeat: int
    tps: float
    elapsed_s: float
    errors: int
    latency_ms: Mapping[str, float | None]
    effective: Mapping[str, str]
    columns: Mapping[str, Sequence[float | None]]
    histogram: Sequence[tuple[float, int]]
    probe_p50_ms: float | None


@dataclass(frozen=True)
class Gathered:
    key: PointKey
    runs: tuple[MeasuredRun, ...]

    def seconds(self) -> Sample:
        """Block -> commits per second."""
        return self._sample(lambda run: run.block)

    def by_repeat(self) -> Sample:
        """Repeat -> commits per second: points of all workloads and thread counts share repeats, but not blocks."""
        return self._sample(lambda run: run.repeat)

    def _sample(self, place: Callable[[MeasuredRun], int]) -> Sample:
        """A run that is too short for seconds counts as one long second."""
        return sample({(run.experiment_id, place(run)): run.columns.get("tps") or [run.tps] for run in self.runs})


def points(experiment: Experiment) -> list[Gathered]:
    """All points with a finished run, in the plan's order of workload, server, variant, threads. Names that the plan
    does not have come last."""
    plan = experiment.as_plan()
    servers = [target.server_id for target in plan.targets]
    variants = [variant.name for variant in plan.variants]
    workloads = [workload.label for workload in plan.workloads]

    def place(point: Gathered) -> tuple[int, int, int, int]:
        key = point.key
        known = (_place(workloads, key.workload), _place(servers, key.server_id), _place(variants, key.variant))
        return (*known, key.threads)

    return sorted(gathered(Run.objects.of_done_cells().filter(cell__experiment=experiment)), key=place)


def _place(order: Sequence[object], one: object) -> int:
    return order.index(one) if one in order else len(order)


def gathered(runs: QuerySet[Run]) -> list[Gathered]:
    """Runs of any experiments as points. Runs of different experiments are never one point."""
    rows = list(runs.order_by("cell__repeat", "id").values(*_COLUMNS))
    stored = Experiment.objects.filter(pk__in={row["cell__experiment_id"] for row in rows}).values_list("pk", "plan")
    plans = {pk: Plan.from_dict(plan) for pk, plan in stored}
    grouped: dict[tuple[int, PointKey], list[MeasuredRun]] = {}
    for row in rows:
        key = PointKey(row["cell__server_id"], row["cell__variant"], row["cell__workload"], row["cell__threads"])
        run = _run(row, counted(plans[row["cell__experiment_id"]], key.workload))
        grouped.setdefault((run.experiment_id, key), []).append(run)
    return [Gathered(key, tuple(same)) for (_, key), same in grouped.items()]


def _run(row: Mapping[str, Any], counts: str) -> MeasuredRun:
    """The seconds are not validated: there are millions."""
    probed = row["probe__data__logs__flushes"] or row["probe__data__flushes"] or ()
    return MeasuredRun(
        id=row["id"],
        cell_id=row["cell_id"],
        experiment_id=row["cell__experiment_id"],
        block=row["cell__block"],
        repeat=row["cell__repeat"],
        tps=row["tps"],
        elapsed_s=row["elapsed_s"],
        errors=row["errors"],
        latency_ms=row["latency_ms"],
        effective=row["effective"] or {},
        columns=row["series__columns"] or {},
        histogram=row["evidence__histogram"] or (),
        probe_p50_ms=min((one["p50_ms"] for one in probed), default=None),
        transactions=row["transactions"],
        counts=counts,
        figures=read(Figures, row["figures"]),
        latencies=read(Latencies, row["latencies"]),
    )
