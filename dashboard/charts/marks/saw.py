"""The saw: the moment of the cut against the seconds of commits that it loses, a panel for each setting.

Every dot is a moment of a load; moments of one load are not independent trials."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.charts.marks.scales import Linear
from dashboard.findings.result.comparison import ComparedSetting, Comparison, Moment

MOST_PANELS = 8
NEARLY_ALL = 0.95  # of the load until the cut
TOP, BOTTOM = 6.0, 100.0  # of the height in percent: of the largest loss, of zero


@dataclass(frozen=True)
class SawDot:
    """`x` and `y` in percent of the panel. `log`: engine or binlog."""

    log: str
    lost: bool
    x: float
    y: float


@dataclass(frozen=True)
class SawLoad:
    trial_id: int
    url: str
    dots: tuple[SawDot, ...]


@dataclass(frozen=True)
class SawPanel:
    """`lost_most`: the most that a cut lost from the worse of both logs, in seconds. `is_whole`: the last cut lost
    everything since the load began, so that a longer load would lose more."""

    setting: ComparedSetting
    loads: tuple[SawLoad, ...]
    lost_most: float
    is_whole: bool


@dataclass(frozen=True)
class Saw:
    """`moments` and `seconds`: both axes, in seconds. `more`: settings that are not drawn."""

    panels: tuple[SawPanel, ...]
    moments: Linear
    seconds: Linear
    more: int

    @property
    def loads_drawn(self) -> int:
        return sum(len(panel.loads) for panel in self.panels)

    @property
    def moments_drawn(self) -> int:
        return sum(len(load.moments) for panel in self.panels for load in panel.setting.loads)

    def height(self, seconds: float) -> float:
        return _height(self.seconds, seconds)


def saw(comparison: Comparison, trial_url: Callable[[int], str]) -> Saw | None:
    """None: no moment of a load is known."""
    rows = [row for row in comparison.rows if any(load.moments for load in row.loads)]
    if not rows:
        return None
    across = Linear(comparison.load_s, last=97.0, steps=3)
    up = Linear(max(comparison.load_s, *(_most(one) for one in _moments(rows))), steps=3)
    panels = tuple(_panel(row, across, up, trial_url) for row in rows[:MOST_PANELS])
    return Saw(panels, across, up, max(0, len(rows) - MOST_PANELS))


def _panel(row: ComparedSetting, across: Linear, up: Linear, trial_url: Callable[[int], str]) -> SawPanel:
    loads = tuple(
        SawLoad(one.trial_id, trial_url(one.trial_id), tuple(_dots(one.moments, across, up)))
        for one in row.loads
        if one.moments
    )
    every = _moments([row])
    last = max(every, key=lambda one: one.at_s)
    return SawPanel(row, loads, max(map(_most, every)), _most(last) >= NEARLY_ALL * last.at_s > 0)


def _dots(moments: tuple[Moment, ...], across: Linear, up: Linear) -> list[SawDot]:
    """The binary log first: the engine's dots lie on it. Dots at the same place are drawn once."""
    lost = [("binlog", one.at_s, one.binlog_s) for one in moments]
    lost += [("engine", one.at_s, one.engine_s) for one in moments]
    found = (
        SawDot(log, seconds > 0, across.at(max(0.0, at_s)), _height(up, seconds))
        for log, at_s, seconds in lost
        if seconds is not None
    )
    return list(dict.fromkeys(found))


def _height(up: Linear, seconds: float) -> float:
    share = seconds / up.most if up.most > 0 else 0.0
    return round(BOTTOM - (BOTTOM - TOP) * min(share, 1.0), 1)


def _moments(rows: list[ComparedSetting]) -> list[Moment]:
    return [one for row in rows for load in row.loads for one in load.moments]


def _most(one: Moment) -> float:
    return max(one.engine_s or 0.0, one.binlog_s or 0.0)
