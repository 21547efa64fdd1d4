"""Queries of result pages beside the analysis. `cells` and `environments` load no series and no evidence."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import QuerySet

from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.models import Cell, Environment, Experiment, Run, Trial

_CELL = (
    "id", "position", "server_id", "variant", "workload", "threads", "repeat", "state", "error", "fix",
    "run__id", "run__tps", "run__environment_id", "run__probe_id", "run__load_average",
)  # fmt: skip


@dataclass(frozen=True)
class ResultCell:
    """A cell with the throughput of its run; `run_id` None: not measured. `load_average`: of its host before."""

    id: int
    position: int
    server_id: int
    variant: str
    workload: str
    threads: int
    repeat: int
    state: str
    error: str
    fix: str
    run_id: int | None
    tps: float | None
    environment_id: int | None
    probe_id: int | None
    load_average: float | None

    @property
    def is_done(self) -> bool:
        return self.state == Cell.State.DONE


def cells(experiment: Experiment) -> list[ResultCell]:
    """In order of execution."""
    return [ResultCell(*row) for row in experiment.cells.order_by("position").values_list(*_CELL)]


def environments(ids: Collection[int]) -> dict[int, EnvironmentFacts]:
    return {one.pk: one.known for one in Environment.objects.filter(pk__in=ids)}


def run_of(cell_id: int) -> QuerySet[Run]:
    """A cell's run with everything that its page shows."""
    related = ("cell__experiment__worker", "cell__server", "environment", "probe", "series", "evidence")
    return Run.objects.filter(cell_id=cell_id, cell__experiment__deleted_at=None).select_related(*related)


def trials() -> QuerySet[Trial]:
    """Trials with everything that their pages show."""
    related = ("experiment__worker", "server", "environment", "evidence", "repeat_of")
    return Trial.objects.filter(experiment__deleted_at=None).select_related(*related)
