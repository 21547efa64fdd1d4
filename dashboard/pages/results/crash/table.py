"""All tallies of an experiment as one table: what the matrix shows, with every number."""

from dashboard.charts.chart import Table
from dashboard.findings.crash.statistics import Tally, of, tallies
from dashboard.findings.crash.trials import REPLICA_STATES
from dashboard.findings.shown import Shown
from dashboard.records.experiments.crash_kinds import title

COLUMNS = (
    ("setting", "text"), ("crash", "text"), ("trials", "whole"), ("failed", "whole"), ("at least", "percent"),
    ("at most", "percent"), ("not known", "whole"), ("not finished", "whole"),
    ("engine: mean lost", "number"), ("engine: median lost", "number"), ("engine: most lost", "whole"),
    ("engine: median", "ms"), ("engine: most", "ms"),
    ("binlog: mean lost", "number"), ("binlog: median lost", "number"), ("binlog: most lost", "whole"),
    ("binlog: median", "ms"), ("binlog: most", "ms"),
    *((f"replicas: {state}", "whole") for state in REPLICA_STATES),
)  # fmt: skip


def crash_table(shown: Shown) -> Table:
    known = tallies(shown.trials)
    found = [
        of(known, (server, variant, kind))
        for variant, server in shown.places()
        for kind in shown.crash_kinds
        if shown.server_id in (None, server)
    ]
    rows = (_row(shown.label(tally.variant, tally.server_id), tally) for tally in found if tally.trials)
    return Table(COLUMNS, tuple(rows))


def _row(name: str, tally: Tally) -> tuple[object, ...]:
    rate = tally.invalid
    counts = (rate.n, rate.k if rate.n else None, rate.lo, rate.hi, tally.unknown, tally.open)
    replicas = (tally.replicas[state] for state in REPLICA_STATES)
    return (name, title(tally.kind), *counts, *_loss(tally, "engine"), *_loss(tally, "binlog"), *replicas)


def _loss(tally: Tally, place: str) -> tuple[float | None, ...]:
    loss = tally.loss(place)
    return (loss.mean, loss.median, loss.most, loss.median_ms, loss.most_ms) if loss else (None,) * 5
