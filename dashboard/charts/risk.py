"""Cost against risk: throughput against acknowledged transactions lost per crash, a point per setting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.charts.chart import Axis, Chart, Dot, Series, Table
from dashboard.charts.pareto import front
from dashboard.findings.counted import counted
from dashboard.findings.crash.detector import detector
from dashboard.findings.crash.settings import Setting, settings
from dashboard.findings.crash.trials import Replica
from dashboard.findings.shown import Shown
from dashboard.records.experiments.crash_kinds import title
from dashboard.text.numbers import at

_COLUMNS = (
    ("95 % from", "number"), ("95 % to", "number"),
    ("trials", "whole"), ("failed", "whole"), ("at least", "percent"), ("at most", "percent"),
    ("not known", "whole"), ("mean lost", "number"), ("median lost", "number"), ("most lost", "whole"),
    ("median lost, time", "ms"), ("most lost, time", "ms"), ("median lost from the binlog", "number"),
    ("replicas", "text"), ("mine", "text"),
)  # fmt: skip


@dataclass(frozen=True)
class RiskDot(Dot):
    """`x` is the mean loss; `x_lo` and `x_hi` the smallest and largest of any trial."""

    x_lo: float = 0
    x_hi: float = 0

    def payload(self) -> dict[str, Any]:
        return {**super().payload(), "x_lo": self.x_lo, "x_hi": self.x_hi}


@dataclass(frozen=True)
class RiskSeries(Series):
    replica: Replica = "not tried"
    mine: bool = False

    def payload(self) -> dict[str, Any]:
        return {**super().payload(), "replica": self.replica, "mine": self.mine}


@dataclass(frozen=True)
class RiskChart(Chart):
    """`front`: indices of the series that no other beats, by ascending loss."""

    front: tuple[int, ...] = ()

    def payload(self) -> dict[str, Any]:
        return {**super().payload(), "front": list(self.front)}


def risk(shown: Shown) -> Chart:
    crash, speed = title(shown.crash_kind), f"{counted(shown.plan, shown.workload)} per second"
    known = settings(shown)
    drawn = sorted((one for one in known if _is_drawn(one)), key=lambda one: (one.loss.mean, one.tps))
    empty = _empty(shown, known) if not drawn or detector(shown.trials).failed else ""
    placed = [n for n, one in enumerate(drawn) if not _otherwise(one)]
    unbeaten = [placed[n] for n in front([(drawn[m].loss.mean, drawn[m].tps) for m in placed])]
    return RiskChart(
        key="risk",
        title=f"Cost against risk: {crash}" + (f", {at(shown.at_threads)}" if shown.at_threads else ""),
        kind="risk",
        x=Axis(_lost(shown, crash), scale="log"),
        y=Axis(speed, "/s", can_toggle_log=True),
        table=Table((("setting", "text"), (speed, "number"), *_COLUMNS), tuple(_row(one) for one in known)),
        series=() if empty else tuple(map(_series, drawn)),
        empty=empty,
        source="sysbench, crash trials" if drawn else "",
        note=_note(known),
        front=() if empty else tuple(unbeaten),
    )


def _lost(shown: Shown, crash: str) -> str:
    place = "" if shown.lost_from == "engine" else f" from the {shown.lost_from}"
    return f"acknowledged commits lost{place} per {crash}, mean"


def _is_drawn(one: Setting) -> bool:
    return one.loss is not None and one.tps is not None


def _series(one: Setting) -> RiskSeries:
    dot = RiskDot(
        x=one.loss.mean,
        y=one.tps,
        lo=one.point.lo,
        hi=one.point.hi,
        mark=_mark(one),
        x_lo=one.loss.least,
        x_hi=one.loss.most,
    )
    return RiskSeries(one.name, one.colour, (dot,), replica=one.tally.replica, mine=one.mine)


def _mark(one: Setting) -> str:
    """0 of 30, < 12 %. Beside it, since the place says nothing of it: trials that failed without such a loss."""
    rate = one.loss.rate
    mark = f"{rate.counts}, {rate.bounds.replace('at most', '<').replace('at least', '>')}"
    return f"{mark}; {_otherwise(one)} failed otherwise" if _otherwise(one) else mark


def _otherwise(one: Setting) -> int:
    """Trials that failed, and not by such a loss. No place tells how bad that is: it beats nothing."""
    return max(0, one.tally.invalid.k - one.loss.rate.k)


def _row(one: Setting) -> tuple[Any, ...]:
    point, tally, loss, binlog = one.point, one.tally, one.loss, one.tally.loss("binlog")
    lost = (loss.mean, loss.median, loss.most, loss.median_ms, loss.most_ms) if loss else (None,) * 5
    speed = (point.tps, point.lo, point.hi) if point else (None,) * 3
    rate = tally.invalid
    return (
        one.name, *speed, rate.n, rate.k if rate.n else None, rate.lo, rate.hi, tally.unknown,
        *lost, binlog.median if binlog else None, _replicas(one), "mine" if one.mine else "",
    )  # fmt: skip


def _replicas(one: Setting) -> str:
    counts = [f"{state} {count}" for state, count in one.tally.replicas.items() if state != "not tried"]
    return ", ".join(counts) or "not tried"


def _empty(shown: Shown, known: Sequence[Setting]) -> str:
    found = detector(shown.trials)
    if found.failed:
        return found.says
    if not any(one.tps is not None for one in known):
        return "No throughput was measured in this experiment, so there is nothing to hold the losses against."
    return f"No {title(shown.crash_kind)} has a verdict yet."


def _note(known: Sequence[Setting]) -> str:
    absent = [one.name for one in known if not _is_drawn(one)]
    note = (
        "Up and left is better. Each point is at the mean loss of all trials; under its name, the trials that lost "
        "something. Bars: 95 % interval of the throughput, smallest to largest loss. The line joins what no other "
        "setting beats, and leaves out what failed otherwise than by such a loss."
    )
    return f"{note} Not drawn, for speed or loss is not known: {', '.join(absent)}." if absent else note
