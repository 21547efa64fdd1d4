"""Speed against loss: a mark for each setting, so that a stranger sees what safety costs and buys.

Places are percents of the plot, as in the table-chart. Labels are placed for a nominal size of the plot."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from dashboard.charts.marks.scales import Linear, Tick, WithZero
from dashboard.findings.result.comparison import ComparedSetting, Comparison, CrashMark, SettingSpeed

WIDTH, HEIGHT = 560, 200  # px, for which labels are placed
MOST_MARKS, MOST_LABELS = 30, 12
LETTER, LINE = 9, 16  # px of a label
OFF = 13  # px between a mark's middle and its label
LONGEST = 20  # letters
MOST_TRIALS = 12  # of a setting; of more only both ends are drawn
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Beside:
    """Where a label stands: its offset from the mark in px, and its anchor."""

    dx: int
    dy: int
    anchor: str


PLACES = (
    Beside(OFF, 5, "start"), Beside(-OFF, 5, "end"), Beside(OFF, -9, "start"), Beside(OFF, 20, "start"),
    Beside(-OFF, -9, "end"), Beside(-OFF, 20, "end"), Beside(0, 25, "middle"), Beside(0, -14, "middle"),
)  # fmt: skip


@dataclass(frozen=True)
class SettingMark:
    """`trials`: places of the losses of its crashes; `lo` and `hi`: of the ends of its speed's interval. `look`: kept,
    few (kept, but too few), lost, other or unclear. `label` "": it has no room."""

    setting: ComparedSetting
    speed: SettingSpeed
    lost: float
    x: float
    y: float
    trials: tuple[float, ...]
    lo: float | None
    hi: float | None
    look: str
    label: str
    beside: Beside


@dataclass(frozen=True)
class SpeedLoss:
    """`more`: settings that are not drawn."""

    comparison: Comparison
    speeds: Linear
    losses: WithZero
    marks: tuple[SettingMark, ...]
    more: int

    @property
    def rising(self) -> list[Tick]:
        """The ticks of speed with their places from above."""
        return [Tick(one.value, _height(self.speeds, one.value)) for one in self.speeds.ticks]


def speed_loss(comparison: Comparison) -> SpeedLoss | None:
    """None: no setting has both a speed and a crash of which the losses are known."""
    known = [
        (row, speed, losses)
        for row in comparison.rows
        if (speed := row.speed(comparison.at_threads)) and (losses := [one.most for one in _decided(row.crashes)])
    ]
    if not known:
        return None
    drawn = known[:MOST_MARKS]
    speeds = Linear(max(max(one.tps, one.hi or 0) for _, one, _ in drawn), last=92.0)
    across = WithZero.over([float(lost) for _, _, losses in drawn for lost in losses])
    marks = [_mark(row, speed, losses, speeds, across) for row, speed, losses in drawn]
    return SpeedLoss(comparison, speeds, across, tuple(_labelled(marks)), len(known) - len(drawn))


def _decided(crashes: Iterable[CrashMark]) -> list[CrashMark]:
    """With a known number: a crash of which nothing is known must not stand at zero."""
    return [
        one
        for one in crashes
        if one.outcome in ("kept", "lost") and (one.engine, one.binlog, one.replica) != (None, None, None)
    ]


def _mark(
    row: ComparedSetting, speed: SettingSpeed, losses: Sequence[int], speeds: Linear, across: WithZero
) -> SettingMark:
    lost = median(losses)
    return SettingMark(
        setting=row,
        speed=speed,
        lost=lost,
        x=across.at(lost),
        y=_height(speeds, speed.tps),
        trials=_few({across.at(one) for one in losses}),
        lo=None if speed.lo is None else _height(speeds, speed.lo),
        hi=None if speed.hi is None else _height(speeds, speed.hi),
        look="few" if row.outcome == "kept" and not row.is_sure else row.outcome,
        label="",
        beside=PLACES[0],
    )


def _few(places: Collection[float]) -> tuple[float, ...]:
    return tuple(sorted(places)) if len(places) <= MOST_TRIALS else (min(places), max(places))


def _height(speeds: Linear, tps: float) -> float:
    return round(100 - speeds.at(tps), 1)


def _labelled(marks: Sequence[SettingMark]) -> list[SettingMark]:
    """The first ones, each at the place that covers least."""
    taken = [box for one in marks for box in mark_boxes(one)]
    found = []
    for one in marks[:MOST_LABELS]:
        label = _short(one.setting.name)
        boxes = {place: label_box(one, label, place) for place in PLACES}
        place = min(PLACES, key=lambda each: _cost(boxes[each], taken))
        taken.append(boxes[place])
        found.append(replace(one, label=label, beside=place))
    return [*found, *marks[MOST_LABELS:]]


def mark_boxes(one: SettingMark) -> list[Box]:
    """Its dot and both bars."""
    (left, *_), right = one.trials, one.trials[-1]
    low, high = (one.y if end is None else end for end in (one.lo, one.hi))
    return [
        _box(one.x, one.y, 0, 0, 9, 9),
        (left * WIDTH / 100 - 3, one.y * HEIGHT / 100 - 3, right * WIDTH / 100 + 3, one.y * HEIGHT / 100 + 3),
        (one.x * WIDTH / 100 - 3, high * HEIGHT / 100, one.x * WIDTH / 100 + 3, low * HEIGHT / 100),
    ]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def label_box(one: SettingMark, label: str, place: Beside) -> Box:
    half = LETTER * len(label) / 2
    middle = place.dx + {"start": half, "end": -half, "middle": 0}[place.anchor]
    return _box(one.x, one.y, middle, place.dy - 5, half, LINE / 2)


def _box(x: float, y: float, dx: float, dy: float, half_width: float, half_height: float) -> Box:
    at, down = x * WIDTH / 100 + dx, y * HEIGHT / 100 + dy
    return at - half_width, down - half_height, at + half_width, down + half_height


def _cost(box: Box, taken: Iterable[Box]) -> float:
    """Square pixels that it covers, and that stand outside of the plot."""
    whole = (0.0, 0.0, float(WIDTH), float(HEIGHT))
    outside = (box[2] - box[0]) * (box[3] - box[1]) - covered(box, whole)
    return outside + sum(covered(box, other) for other in taken)


def covered(one: Box, other: Box) -> float:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0
