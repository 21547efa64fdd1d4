"""The figures of a comparison. A new one is one line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.findings.point import Point
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


def _throughput(point: Point) -> Value:
    return point.tps, point.lo, point.hi


def _latency(percentile: str) -> Callable[[Point], Value]:
    return lambda point: (point.latency_ms.get(percentile), None, None)


def _fsyncs(log: str) -> Callable[[Point], Value]:
    def value(point: Point) -> Value:
        found = point.fsyncs_of(log)
        return (found.value if found else None), None, None

    return value


def _group(point: Point) -> Value:
    return (point.group.value if point.group else None), None, None


FIGURES: dict[str, ComparedFigure] = {
    "throughput": ComparedFigure("Throughput", "per second", "/s", "number", _throughput),
    "p50": ComparedFigure("Latency p50", "p50 latency", "ms", "ms", _latency("p50")),
    "p95": ComparedFigure("Latency p95", "p95 latency", "ms", "ms", _latency("p95")),
    "p99": ComparedFigure("Latency p99", "p99 latency", "ms", "ms", _latency("p99")),
    "redo-fsyncs": ComparedFigure("Fsyncs of the redo log per commit", "per commit", "", "number", _fsyncs("redo")),
    "binlog-fsyncs": ComparedFigure(
        "Fsyncs of the binary log per commit", "per commit", "", "number", _fsyncs("binlog")
    ),
    "group": ComparedFigure("Commits per group", "commits", "", "number", _group),
}


def named(columns: Sequence[Column]) -> list[str]:
    """1: 1/1, 8 threads."""
    return [f"{n}: {column.variant}, {at(column.threads)}" for n, column in enumerate(columns, start=1)]
