"""The figures of a comparison. A new one is one line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.findings.point import Point, SourcedFigure
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.models import Experiment
from dashboard.text.numbers import at


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
