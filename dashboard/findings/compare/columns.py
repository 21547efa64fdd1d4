"""The points that are compared: one column each, in the order of the address."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from dashboard.findings.analysis import describe, judged
from dashboard.findings.compare.figures import Column
from dashboard.findings.point import Point
from dashboard.findings.points import Gathered, gathered
from dashboard.records.experiments.models import Experiment, Run

MOST_POINTS = 16


def columns(wanted: Sequence[int]) -> list[Column]:
    """The first is what the others are compared with, as far as they count the same; runs of deleted experiments are
    none."""
    place = {run_id: n for n, run_id in enumerate(wanted)}
    points = gathered(Run.objects.filter(pk__in=wanted, cell__experiment__deleted_at=None))
    points.sort(key=lambda point: min(place[run["id"]] for run in point.runs))
    points = points[:MOST_POINTS]
    if not points:
        return []
    seconds = [point.seconds() for point in points]
    alike = [n for n, point in enumerate(points) if n and _counts(point) == _counts(points[0])]
    ratios = judged({n: (seconds[n], seconds[0]) for n in alike})
    known = _known(points)
    return [_column(describe(point, seconds[n], ratios.get(n)), known(point)) for n, point in enumerate(points)]


def _column(point: Point, known: Mapping[str, Any]) -> Column:
    return Column(**{field.name: getattr(point, field.name) for field in fields(point)}, **known)


def _counts(point: Gathered) -> str:
    return str(point.runs[0]["counts"])


def _known(points: Sequence[Gathered]) -> Callable[[Gathered], Mapping[str, Any]]:
    """What a column needs beside its runs: names and environment, read in two queries."""
    experiments = Experiment.objects.in_bulk({run["experiment_id"] for point in points for run in point.runs})
    runs = Run.objects.filter(pk__in=[point.runs[0]["id"] for point in points]).select_related("environment")
    environments = {run.pk: run.environment.data for run in runs}

    def of(point: Gathered) -> Mapping[str, Any]:
        experiment = experiments[point.runs[0]["experiment_id"]]
        others = tuple(run["id"] for rival in points if rival is not point for run in rival.runs)
        return {
            "experiment": experiment,
            "server": _server(experiment, point.key.server_id),
            "environment": environments[point.runs[0]["id"]],
            "others": others,
        }

    return of


def _server(experiment: Experiment, server_id: int) -> str:
    """As the plan calls it: that of an imported experiment is not registered here."""
    return str(next(one["name"] for one in experiment.plan["targets"] if one["server_id"] == server_id))


def experiments_of(compared: Sequence[Column]) -> list[Experiment]:
    """Each once, in the order met."""
    return list({column.experiment.pk: column.experiment for column in compared}.values())


def shown_to(compared: Sequence[Column], names: Mapping[int, str], text: Callable[[str], str]) -> list[Column]:
    """The same columns in words that their reader may see: texts are taken from here, never from the experiment."""
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
