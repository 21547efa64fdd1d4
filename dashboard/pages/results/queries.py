"""What result pages read beside the analysis. None of these loads a series or evidence."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from dashboard.records.experiments.models import Environment, Experiment, Run, Trial

_CELL = (
    "id", "position", "server_id", "variant", "workload", "threads", "repeat", "state", "error", "mend",
    "run__id", "run__tps", "run__errors", "run__environment_id",
)  # fmt: skip


def cells(experiment: Experiment) -> list[dict[str, Any]]:
    """All cells in order of execution, with the run's throughput where there is one."""
    return list(experiment.cells.order_by("position").values(*_CELL))


def environments(rows: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Environment id -> data, of the cells' runs."""
    ids = {row["run__environment_id"] for row in rows} - {None}
    return dict(Environment.objects.filter(pk__in=ids).values_list("id", "data"))


def run_of(cell_id: int) -> QuerySet[Run]:
    """A cell's run with everything that its page shows."""
    related = ("cell__experiment__worker", "cell__server", "environment", "probe", "series", "evidence")
    return Run.objects.filter(cell_id=cell_id, cell__experiment__deleted_at=None).select_related(*related)


def trial(trial_id: int) -> QuerySet[Trial]:
    """A trial with everything that its page shows."""
    related = ("experiment__worker", "server", "environment", "evidence", "repeats")
    return Trial.objects.filter(pk=trial_id, experiment__deleted_at=None).select_related(*related)
