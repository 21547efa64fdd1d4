"""The compared points: one column each, in the order of the address."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dashboard.findings.analysis import describe, judged
from dashboard.findings.compare.figures import Column
from dashboard.findings.names import server_names
from dashboard.findings.points import gathered
from dashboard.records.experiments.models import Experiment, Run

MOST_POINTS = 16
MOST_RUNS = 200  # further ones are not read


def columns(wanted: Sequence[int]) -> list[Column]:
    """Other columns are compared with the first if they count the same. Runs of deleted experiments are ignored."""
    place = {run_id: n for n, run_id in enumerate(wanted)}
    points = gathered(Run.objects.filter(pk__in=wanted[:MOST_RUNS], cell__experiment__deleted_at=None))
    points.sort(key=lambda point: min(place[run.id] for run in point.runs))
    points = points[:MOST_POINTS]
    if not points:
        return []
    seconds = [point.seconds() for point in points]
    alike = [n for n, point in enumerate(points) if n and point.runs[0].counts == points[0].runs[0].counts]
    ratios = judged({n: (seconds[n], seconds[0]) for n in alike})
    experiments = Experiment.objects.in_bulk({run.experiment_id for point in points for run in point.runs})
    runs = Run.objects.filter(pk__in=[point.runs[0].id for point in points]).select_related("environment")
    environments = {run.pk: run.environment.known for run in runs}
    return [
        Column(
            **vars(describe(point, seconds[n], ratios.get(n))),
            experiment=(experiment := experiments[point.runs[0].experiment_id]),
            server=server_names(experiment.as_plan())[point.key.server_id],
            environment=environments[point.runs[0].id],
            others=tuple(run.id for rival in points if rival is not point for run in rival.runs),
        )
        for n, point in enumerate(points)
    ]


def experiments_of(compared: Sequence[Column]) -> list[Experiment]:
    """Without duplicates, in the order of the columns."""
    return list({column.experiment.pk: column.experiment for column in compared}.values())


def shown_to(compared: Sequence[Column], names: Mapping[int, str], text: Callable[[str], str]) -> list[Column]:
    """The same columns with the texts that their reader may see: take texts from here, not from the experiment."""
    return [
        replace(
            column,
            name=text(column.experiment.name),
            server=names.get(column.server_id, column.server),
            variant=text(column.variant),
            workload=text(column.workload),
        )
        for column in compared
    ]
