"""What a report shows beside its result: the speed as a table, where it was measured, and the seeds of the trials."""

from collections.abc import Iterable, Sequence

from dashboard.charts.chart import ChartTable
from dashboard.findings.service_level import LevelFinding
from dashboard.findings.shown import ResultView
from dashboard.pages.results.page import MeasuredPlace
from dashboard.records.experiments.kind_names import title
from dashboard.text.numbers import UNKNOWN

MOST_SEEDS = 40  # of one setting and crash: a report is read on paper
PERCENTILES = ("p50", "p95", "p99")
_COLUMNS = (
    ("Setting", "text"), ("Threads", "whole"), ("Throughput per second", "number"), ("95 % from", "number"),
    ("95 % to", "number"), ("Repeats", "whole"), *((one, "ms") for one in PERCENTILES),
)  # fmt: skip


def context(view: ResultView, levels: Sequence[LevelFinding], places: Sequence[MeasuredPlace]) -> dict[str, object]:
    judged = {one.server for one in levels}
    return {
        "table": _speed(view),
        "origin": _origin(places),
        "seeds": _seeds(view),
        "has_nodes": any(one.topology for one in view.plan.variants),
        "without_level": [name for name in view.servers.values() if name not in judged],
    }


def _speed(view: ResultView) -> ChartTable | None:
    """Of the chosen workload. None: nothing was measured."""
    rows = tuple(
        (line.name, one.threads, one.tps, one.lo, one.hi, one.repeats, *map(one.latency_ms.get, PERCENTILES))
        for line in view.lines
        for one in line.points
    )
    return ChartTable(_COLUMNS, rows) if rows else None


def _origin(places: Iterable[MeasuredPlace]) -> dict[str, str]:
    """Each fact of a server once. Its environments are mostly alike: several builds and devices make several."""
    found: dict[str, dict[str, None]] = {}
    for place in places:
        for fact, value in place.facts.items():
            if value != UNKNOWN:
                found.setdefault(f"{place.server}: {fact}", {})[value] = None
    return {fact: ", ".join(values) for fact, values in found.items()}


def _seeds(view: ResultView) -> list[tuple[str, list[int], int]]:
    """(Setting and crash, their seeds in order of execution, how many more there are). A repeated trial has the seed of
    the first, which is told once."""
    found: dict[str, dict[int, None]] = {}
    for trial in view.trials:
        where = f", {view.names[trial.server_id]}" if len(view.names) > 1 else ""
        found.setdefault(f"{trial.variant}{where}: {title(trial.kind)}", {})[trial.seed] = None
    return [(of, list(seeds)[:MOST_SEEDS], len(seeds) - MOST_SEEDS) for of, seeds in found.items()]
