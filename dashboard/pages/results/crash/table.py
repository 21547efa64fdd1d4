"""The table behind the crash matrix, with every number."""

from dashboard.charts.chart import ChartTable, Row
from dashboard.findings.crash.statistics import Tally, of, tallies
from dashboard.findings.crash.trials import REPLICA_STATES
from dashboard.findings.shown import ResultView
from dashboard.records.experiments.kind_names import title

COLUMNS = (
    ("setting", "text"), ("crash", "text"), ("trials", "whole"), ("failed", "whole"), ("lower bound", "percent"),
    ("upper bound", "percent"), ("unclear", "whole"), ("not finished", "whole"),
    ("engine: mean lost", "number"), ("engine: median lost", "number"), ("engine: most lost", "whole"),
    ("engine: median", "ms"), ("engine: most", "ms"),
    ("binlog: mean lost", "number"), ("binlog: median lost", "number"), ("binlog: most lost", "whole"),
    ("binlog: median", "ms"), ("binlog: most", "ms"),
    *((f"replicas: {state}", "whole") for state in REPLICA_STATES),
)  # fmt: skip


def crash_table(view: ResultView) -> ChartTable:
    known = tallies(view.trials)
    found = (
        (place.name, of(known, (place.server_id, place.variant, kind)))
        for place in view.places
        for kind in view.crash_kinds
    )
    rows = (_row(name, tally) for name, tally in found if tally.trials)
    return ChartTable(COLUMNS, tuple(rows))


def _row(name: str, tally: Tally) -> Row:
    rate = tally.invalid
    counts = (rate.n, rate.k if rate.n else None, rate.lo, rate.hi, tally.unknown, tally.open)
    replicas = (tally.replicas[state] for state in REPLICA_STATES)
    return (name, title(tally.kind), *counts, *_loss(tally, "engine"), *_loss(tally, "binlog"), *replicas)


def _loss(tally: Tally, place: str) -> tuple[float | None, ...]:
    loss = tally.loss(place)
    return (loss.mean, loss.median, loss.most, loss.median_ms, loss.most_ms) if loss else (None,) * 5
