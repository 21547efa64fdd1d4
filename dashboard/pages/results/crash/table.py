"""The tables behind the crash matrix, with every number: one of crashes, one of failovers."""

from collections.abc import Callable, Iterable, Sequence

from dashboard.charts.chart import ChartTable, Row
from dashboard.findings.crash.missing import BINLOG
from dashboard.findings.crash.statistics import Tally, of, tallies
from dashboard.findings.crash.trials import REPLICA_STATES, Tried, engine_in
from dashboard.findings.shown import ResultView
from dashboard.records.experiments.kind_names import title
from workers.bench.plan import CONTROLS
from workers.topology.faults import FAULTS

COUNTS = (
    ("setting", "text"), ("crash", "text"), ("trials", "whole"), ("lost or failed", "whole"),
    ("lower bound", "percent"), ("upper bound", "percent"), ("unclear", "whole"), ("not finished", "whole"),
)  # fmt: skip
LOST = (("mean", "number"), ("median", "number"), ("most", "whole"), ("median time", "ms"), ("most time", "ms"))
REPLICAS = tuple((f"replicas: {state}", "whole") for state in REPLICA_STATES)
OF_A_FAILOVER = (
    ("missing: mean", "number"), ("missing: median", "number"), ("missing: most", "whole"),
    ("missing: median time", "ms"), ("missing: most time", "ms"),
    ("read, then lost: trials", "whole"), ("read, then lost: most", "whole"), ("ghosts: most", "whole"),
    ("writes refused: median", "ms"), ("writes refused: most", "ms"),
)  # fmt: skip


def crash_tables(view: ResultView) -> list[ChartTable]:
    """Those that have a row."""
    known = tallies(view.trials)
    found = [
        (place.name, of(known, (place.server_id, place.variant, kind)))
        for place in view.places
        for kind in view.crash_kinds
    ]
    tried = [(name, tally) for name, tally in found if tally.trials]
    crashes = _rows((one for one in tried if one[1].kind not in FAULTS), _of_a_crash)
    failovers = _rows((one for one in tried if one[1].kind in FAULTS), _of_a_failover)
    lost = [(f"lost from {log}: {name}", kind) for log in (engine_in(view.trials), BINLOG) for name, kind in LOST]
    both = (ChartTable((*COUNTS, *lost, *REPLICAS), crashes), ChartTable((*COUNTS, *OF_A_FAILOVER), failovers))
    return [table for table in both if table.rows]


def _rows(found: Iterable[tuple[str, Tally]], figures: Callable[[Tally], Row]) -> tuple[Row, ...]:
    return tuple((name, _crash(tally.kind), *_counts(tally), *figures(tally)) for name, tally in found)


def _crash(kind: str) -> str:
    return f"{title(kind)} (self-test)" if kind in CONTROLS else title(kind)


def _counts(tally: Tally) -> Row:
    rate = tally.invalid
    return (rate.n, rate.k if rate.n else None, rate.lo, rate.hi, tally.unknown, tally.open)


def _of_a_crash(tally: Tally) -> Row:
    replicas = (tally.replicas[state] for state in REPLICA_STATES)
    return (*_loss(tally, "engine"), *_loss(tally, "binlog"), *replicas)


def _of_a_failover(tally: Tally) -> Row:
    seen, n = tally.phantoms
    outages = [1000 * trial.recovery_s for trial in tally.decided if trial.recovery_s is not None]
    return (
        *_loss(tally, "engine"),
        seen if n else None,
        _most(tally.decided, lambda trial: trial.phantoms),
        _most(tally.decided, lambda trial: trial.ghosts),
        1000 * tally.back_s if tally.back_s is not None else None,
        max(outages, default=None),
    )


def _most(trials: Sequence[Tried], count: Callable[[Tried], int | None]) -> int | None:
    return max((known for trial in trials if (known := count(trial)) is not None), default=None)


def _loss(tally: Tally, place: str) -> Row:
    loss = tally.loss(place)
    return (loss.mean, loss.median, loss.most, loss.median_ms, loss.most_ms) if loss else (None,) * 5
