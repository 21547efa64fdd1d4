"""The table-chart of a result: where its marks stand. A row for each setting, one axis for each column.

Trials have marks of their own, each of which opens its trial. Above `MOST_MARKS` they are counted by place."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dashboard.charts.marks.scales import Linear, Scale, WithZero
from dashboard.findings.result.comparison import ComparedSetting, Comparison, CrashMark, SettingSpeed

MOST_MARKS = 60
LANES = 5
BIN = 4.0  # percent of the width
BESIDE = 3.2
LOGS = ("engine", "binlog", "replica")


@dataclass(frozen=True)
class SpeedBar:
    """`at`: the place of its number of threads among all that were measured."""

    speed: SettingSpeed
    at: int
    width: float
    lo: float | None
    hi: float | None


@dataclass(frozen=True)
class LogMark:
    """What one log of one trial lost. `log`: engine, binlog or replica."""

    log: str
    lost: int
    x: float


@dataclass(frozen=True)
class TrialMarks:
    """`lane`: from 0, downwards."""

    trial: CrashMark
    url: str
    lane: int
    logs: tuple[LogMark, ...]


@dataclass(frozen=True)
class Bin:
    """Trials that lost about as much. `share`: of the largest bin of the row."""

    log: str
    x: float
    count: int
    share: float


@dataclass(frozen=True)
class ChartRow:
    setting: ComparedSetting
    bars: tuple[SpeedBar, ...]
    marks: tuple[TrialMarks, ...]
    bins: tuple[Bin, ...]
    trials_url: str


@dataclass(frozen=True)
class TableChart:
    comparison: Comparison
    speeds: Linear
    losses: Scale
    rows: tuple[ChartRow, ...]


def table_chart(
    comparison: Comparison, trial_url: Callable[[int], str], trials_url: Callable[[ComparedSetting], str]
) -> TableChart:
    known = [speed for row in comparison.rows for speed in row.speeds]
    speeds = Linear(max((max(one.tps, one.hi or 0) for one in known), default=0))
    losses = WithZero.over([float(lost) for row in comparison.rows for one in row.crashes for _, lost in _lost(one)])
    rows = (
        ChartRow(row, _bars(row, speeds, comparison.threads), *_marks(row, losses, trial_url), trials_url(row))
        for row in comparison.rows
    )
    return TableChart(comparison, speeds, losses, tuple(rows))


def _marks(
    row: ComparedSetting, losses: WithZero, trial_url: Callable[[int], str]
) -> tuple[tuple[TrialMarks, ...], tuple[Bin, ...]]:
    shown = [one for one in row.crashes if one.outcome != "open"]
    marks = tuple(
        TrialMarks(one, trial_url(one.trial_id), nth % LANES, _logs(one, losses)) for nth, one in enumerate(shown)
    )
    return ((), _bins(marks)) if len(marks) > MOST_MARKS else (marks, ())


def _bars(row: ComparedSetting, speeds: Linear, threads: Sequence[int]) -> tuple[SpeedBar, ...]:
    def end(value: float | None) -> float | None:
        return None if value is None else speeds.at(value)

    return tuple(
        SpeedBar(one, threads.index(one.threads), speeds.at(one.tps), end(one.lo), end(one.hi)) for one in row.speeds
    )


def _lost(one: CrashMark) -> list[tuple[str, int]]:
    return [(log, lost) for log in LOGS if (lost := getattr(one, log)) is not None]


def _logs(one: CrashMark, losses: WithZero) -> tuple[LogMark, ...]:
    """Marks at the same place stand side by side."""
    placed: list[LogMark] = []
    for log, lost in _lost(one):
        x = losses.at(lost)
        beside = sum(other.lost == lost for other in placed)
        placed.append(LogMark(log, lost, round(x + BESIDE * beside, 1)))
    return tuple(placed)


def _bins(marks: Sequence[TrialMarks]) -> tuple[Bin, ...]:
    counted = Counter((one.log, BIN * (one.x // BIN) + BIN / 2) for each in marks for one in each.logs)
    most = max(counted.values(), default=1)
    return tuple(Bin(log, x, count, count / most) for (log, x), count in sorted(counted.items()))
