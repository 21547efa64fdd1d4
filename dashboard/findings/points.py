"""The runs of an experiment, gathered into points: one server, variant, workload and number of threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from dashboard.findings.counted import counted
from dashboard.records.experiments.models import Experiment, Run
from workers.analysis.blocks import Sample, sample

_WANTED = {
    "id": "id",
    "tps": "tps",
    "elapsed_s": "elapsed_s",
    "transactions": "transactions",
    "errors": "errors",
    "latency_ms": "latency_ms",
    "figures": "figures",
    "latencies": "latencies",
    "effective": "effective",
    "cell_id": "cell_id",
    "cell__server_id": "server_id",
    "cell__variant": "variant",
    "cell__workload": "workload",
    "cell__threads": "threads",
    "cell__repeat": "repeat",
    "cell__experiment_id": "experiment_id",
    "cell__block": "block",
    "series__columns": "columns",
    "evidence__histogram": "histogram",
    "probe__data__flushes": "device",
    "probe__data__logs__flushes": "logs_device",  # where the logs lie on a second one
}


@dataclass(frozen=True)
class PointKey:
    server_id: int
    variant: str
    workload: str
    threads: int

    def of(self, variant: str) -> "PointKey":
        """The same point of another variant."""
        return PointKey(self.server_id, variant, self.workload, self.threads)


@dataclass(frozen=True)
class Gathered:
    """The measured repeats of a point; each run is a dict of its columns (see `_WANTED`) and of what it `counts`."""

    key: PointKey
    runs: tuple[Mapping[str, Any], ...]

    def seconds(self) -> Sample:
        """Block -> commits per second. A run too short for a line a second counts as one long second."""
        series = {(run["experiment_id"], run["block"]): (run["columns"] or {}).get("tps") for run in self.runs}
        short = {(run["experiment_id"], run["block"]): [run["tps"]] for run in self.runs}
        return sample({key: tps or short[key] for key, tps in series.items()})


def points(experiment: Experiment) -> list[Gathered]:
    """All points with at least one finished run, in the plan's order of workload, server, variant, threads."""
    found = gathered(Run.objects.counted().filter(cell__experiment=experiment))
    place = _places(experiment.plan)
    return sorted(found, key=lambda point: place(point.key))


def gathered(runs: QuerySet[Run]) -> list[Gathered]:
    """Runs of any experiments as points; runs of different experiments are never one point."""
    found = [
        dict(zip(_WANTED.values(), row, strict=True))
        for row in runs.order_by("cell__repeat", "id").values_list(*_WANTED)
    ]
    of = {run["experiment_id"] for run in found}
    plans = dict(Experiment.objects.filter(pk__in=of).values_list("pk", "plan"))
    grouped: dict[tuple[int, PointKey], list[Mapping[str, Any]]] = {}
    for run in found:
        run["counts"] = counted(plans[run["experiment_id"]], run["workload"])
        key = PointKey(run["server_id"], run["variant"], run["workload"], run["threads"])
        grouped.setdefault((run["experiment_id"], key), []).append(run)
    return [Gathered(key, tuple(same)) for (_, key), same in grouped.items()]


def _places(plan: Mapping[str, Any]) -> Any:
    """A sort key: names that the plan does not know come last."""
    servers = [target["server_id"] for target in plan["targets"]]
    variants = [variant["name"] for variant in plan["variants"]]
    workloads = [workload["label"] for workload in plan["workloads"]]

    def place(key: PointKey) -> tuple[Any, ...]:
        known = ((workloads, key.workload), (servers, key.server_id), (variants, key.variant))
        return (*(order.index(name) if name in order else len(order) for order, name in known), key.threads)

    return place
