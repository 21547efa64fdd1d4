"""The compared points, one column each, and the figures of a comparison. A new figure is one line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.findings.analysis import describe, judged
from dashboard.findings.names import server_names
from dashboard.findings.point import Point, SourcedFigure
from dashboard.findings.points import gathered
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.models import Experiment, Run
from dashboard.text.numbers import at

MOST_POINTS = 16
MOST_RUNS = 200  # further ones are not read


@dataclass(frozen=True, kw_only=True)
class Column(Point):
    """A point with its experiment. `others`: the runs of all other columns; `name`: of its
    experiment, as its reader may see it."""

    experiment: Experiment
    server: str
    environment: EnvironmentFacts
    others: tuple[int, ...]
    name: str = ""


Value = tuple[float | None, float | None, float | None]  # with its 95 % interval, None where none is known


@dataclass(frozen=True)
class ComparedFigure:
    """`label` and `unit` are those of the axis; `format`: a key of numbers.FORMATS; `value` of a point."""

    title: str
    label: str
    unit: str
    format: str
    value: Callable[[Point], Value]


def _latency(percentile: str) -> Callable[[Point], Value]:
    return lambda point: (point.latency_ms.get(percentile), None, None)


def _of(figure: Callable[[Point], SourcedFigure | None]) -> Callable[[Point], Value]:
    return lambda point: (found.value if (found := figure(point)) else None, None, None)


FIGURES: dict[str, ComparedFigure] = {
    "throughput": ComparedFigure("Throughput", "per second", "/s", "number", lambda one: (one.tps, one.lo, one.hi)),
    "p50": ComparedFigure("Latency p50", "p50 latency", "ms", "ms", _latency("p50")),
    "p95": ComparedFigure("Latency p95", "p95 latency", "ms", "ms", _latency("p95")),
    "p99": ComparedFigure("Latency p99", "p99 latency", "ms", "ms", _latency("p99")),
    "redo-fsyncs": ComparedFigure(
        "Fsyncs of the redo log per commit", "per commit", "", "number", _of(lambda point: point.fsyncs_of("redo"))
    ),
    "binlog-fsyncs": ComparedFigure(
        "Fsyncs of the binary log per commit", "per commit", "", "number", _of(lambda point: point.fsyncs_of("binlog"))
    ),
    "group": ComparedFigure("Commits per group", "commits", "", "number", _of(lambda point: point.group)),
}


def named(columns: Sequence[Column]) -> list[str]:
    """1: 1/1, 8 threads."""
    return [f"{n}: {column.variant}, {at(column.threads)}" for n, column in enumerate(columns, start=1)]


def columns(wanted: Sequence[int]) -> list[Column]:
    """In the order of the address. Other columns are compared with the first if they count the same. Runs of deleted
    experiments are ignored."""
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
