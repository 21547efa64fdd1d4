"""Cost against risk: throughput against acknowledged transactions lost per crash, a point per setting."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable, Dot, Row
from dashboard.findings.crash.rate import Rate
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import LOST_FROM, CrashLoss
from dashboard.findings.crash.trials import Replica, Tried
from dashboard.findings.point import Point
from dashboard.records.experiments.crash_kinds import title
from dashboard.text.numbers import at

_COLUMNS = (
    ("95 % from", "number"), ("95 % to", "number"),
    ("trials", "whole"), ("failed", "whole"), ("lower bound", "percent"), ("upper bound", "percent"),
    ("unclear", "whole"), ("mean lost", "number"), ("median lost", "number"), ("most lost", "whole"),
    ("median lost, time", "ms"), ("most lost, time", "ms"), ("median lost from the binlog", "number"),
    ("replicas", "text"), ("mine", "text"),
)  # fmt: skip


@dataclass(frozen=True)
class RiskDot(Dot):
    """`x` is the mean loss; `x_lo` and `x_hi` the smallest and largest of any trial."""

    x_lo: float = 0
    x_hi: float = 0

    def payload(self) -> dict[str, object]:
        return {**super().payload(), "x_lo": self.x_lo, "x_hi": self.x_hi}


@dataclass(frozen=True)
class RiskSeries(ChartSeries):
    replica: Replica = "not tried"
    mine: bool = False

    def payload(self) -> dict[str, object]:
        return {**super().payload(), "replica": self.replica, "mine": self.mine}


@dataclass(frozen=True)
class RiskChart(Chart):
    """`front`: indices of the series that no other beats, by ascending loss."""

    front: tuple[int, ...] = ()

    def payload(self) -> dict[str, object]:
        return {**super().payload(), "front": list(self.front)}


@dataclass(frozen=True)
class DrawnSetting:
    """A setting with known speed and loss. `otherwise`: trials that failed without a lost commit. Their severity is not
    known, so such a setting beats no other."""

    setting: CrashSetting
    speed: Point
    loss: CrashLoss

    @property
    def place(self) -> tuple[float, float]:
        return self.loss.mean, self.speed.tps

    @property
    def otherwise(self) -> int:
        return max(0, self.setting.tally.invalid.k - self.loss.rate.k)


def risk(
    settings: Sequence[CrashSetting], trials: Sequence[Tried], kind: str, lost_from: str, counts: str, threads: int
) -> Chart:
    """`counts`: the unit of the throughput."""
    crash, speed = title(kind), f"{counts} per second"
    known = (DrawnSetting(one, one.speed, one.loss) for one in settings if one.speed and one.loss)
    drawn = sorted(known, key=lambda one: one.place)
    empty = _empty(settings, trials, crash) if not drawn or self_test(trials).failed else ""
    placed = [n for n, one in enumerate(drawn) if not one.otherwise]
    unbeaten = [placed[n] for n in front([drawn[m].place for m in placed])]
    return RiskChart(
        key="risk",
        title=f"Cost against risk: {crash}" + (f", {at(threads)}" if threads else ""),
        kind="risk",
        x=Axis(_lost(lost_from, crash), scale="log"),
        y=Axis(speed, "/s", can_toggle_log=True),
        table=ChartTable((("setting", "text"), (speed, "number"), *_COLUMNS), tuple(map(_row, settings))),
        series=() if empty else tuple(map(_series, drawn)),
        empty=empty,
        source="sysbench, crash trials" if drawn else "",
        note=_note([one.name for one in settings if not (one.speed and one.loss)]),
        front=() if empty else tuple(unbeaten),
    )


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Indices of the (loss, throughput) points that no other point beats, by ascending loss. Equal points all count."""
    order = sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1]))
    best = float("-inf")
    kept: list[int] = []
    for n in order:
        same = bool(kept) and points[kept[-1]] == points[n]
        if points[n][1] > best or same:
            kept.append(n)
            best = points[n][1]
    return kept


def _lost(lost_from: str, crash: str) -> str:
    place = "" if lost_from == "either" else f" from {LOST_FROM[lost_from]}"
    return f"acknowledged commits lost{place} per {crash}, mean"


def _series(one: DrawnSetting) -> RiskSeries:
    setting, speed, loss = one.setting, one.speed, one.loss
    dot = RiskDot(
        x=loss.mean, y=speed.tps, lo=speed.lo, hi=speed.hi, mark=_mark(loss.rate, one.otherwise),
        x_lo=loss.least, x_hi=loss.most,
    )  # fmt: skip
    colour = setting.place.colour
    return RiskSeries(setting.name, colour, (dot,), replica=setting.tally.replica, mine=setting.mine)


def _mark(rate: Rate, otherwise: int) -> str:
    """0 of 30, < 12 %. Trials that failed without a lost commit are added, because the place of the point does not show
    them."""
    mark = f"{rate.counts}, {rate.bounds.replace('upper bound', '<').replace('lower bound', '>')}"
    return f"{mark}; {otherwise} failed in another way" if otherwise else mark


def _row(one: CrashSetting) -> Row:
    point, tally, loss, binlog = one.speed, one.tally, one.loss, one.tally.loss("binlog")
    lost = (loss.mean, loss.median, loss.most, loss.median_ms, loss.most_ms) if loss else (None,) * 5
    speed = (point.tps, point.lo, point.hi) if point else (None,) * 3
    rate = tally.invalid
    return (
        one.name, *speed, rate.n, rate.k if rate.n else None, rate.lo, rate.hi, tally.unknown,
        *lost, binlog.median if binlog else None, _replicas(one), "mine" if one.mine else "",
    )  # fmt: skip


def _replicas(one: CrashSetting) -> str:
    counts = [f"{state} {count}" for state, count in one.tally.replicas.items() if state != "not tried"]
    return ", ".join(counts) or "not tried"


def _empty(settings: Sequence[CrashSetting], trials: Sequence[Tried], crash: str) -> str:
    found = self_test(trials)
    if found.failed:
        return found.says
    if not any(one.speed for one in settings):
        return "No throughput was measured in this experiment, so cost and risk cannot be compared."
    return f"No {crash} has a verdict yet."


def _note(absent: Sequence[str]) -> str:
    note = (
        "Up and left is better. Beside each name: crashes that lost commits, and the 95 % bound of their share. "
        "Bars: least to most lost, 95 % interval of speed. Grey line: the settings that no other beats on both axes."
    )
    return f"{note} Not drawn, because speed or loss was not measured: {', '.join(absent)}." if absent else note
