"""Marks of a result as inline SVG. Places are percents and sizes CSS pixels, so that nothing is scaled.

Thousands of marks in a template would take most of the time of a page, so each row is one text."""

from collections.abc import Callable
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.charts.marks.saw import Saw, SawLoad, SawPanel
from dashboard.charts.marks.scales import FIRST, ZERO_WIDTH, Scale
from dashboard.charts.marks.table_chart import LANES, ChartRow, SpeedBar, TableChart, TrialMarks
from dashboard.findings.result.comparison import ComparedSetting
from dashboard.records.experiments.kind_names import number_of, singular
from dashboard.text.numbers import CONFIDENCE, duration, percent, sig, whole
from workers.analysis.statistics import Estimate

register = template.Library()
PLACES = {"engine": "InnoDB", "binlog": "binary log", "replica": "replica"}
LANE, FIRST_LANE = 11, 9  # px
SAW_HEIGHT = 112
ROOM = 82  # percent
NO_NUMBER = (ZERO_WIDTH + FIRST) / 2  # percent: of a trial that has none, where no number stands


@register.filter
def short(value: float) -> str:
    """0, 100, 5.6k, 12k, 1.2M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size * 0.9995:
            return f"{sig(value / size, 2 if value / size < 99.5 else 3).removesuffix('.0')}{letter}"
    return f"{value:g}"


@register.filter
def within(share: Estimate) -> str:
    """`(95 %: 49 to 73 %)` of a share from 0 to 1; "" where its interval is not known."""
    if share.lo is None or share.hi is None:
        return ""
    return f" ({CONFIDENCE}: {sig(100 * share.lo, 2)} to {percent(share.hi)})"


@register.filter
def axis(scale: Scale, says: str = "") -> SafeString:
    """The numbers of an axis, inside its ends. `says`: at its right end, if the last number leaves room."""
    texts = [f'<text x="{tick.at}%" y="11"{_anchor(tick.at)}>{short(tick.value)}</text>' for tick in scale.ticks]
    if says and FIRST <= scale.ticks[-1].at < ROOM:
        texts.append(f'<text x="100%" y="11" text-anchor="end">{escape(says)}</text>')
    return _svg("axis", 14, "".join(texts), hidden=True)


def _anchor(at: float) -> str:
    return "" if 3 < at < 97 else ' text-anchor="start"' if at <= 3 else ' text-anchor="end"'


@register.simple_tag
def speed_bar(bar: SpeedBar) -> SafeString:
    look = "" if bar.speed.is_firm else ' class="few"'
    drawn = f'<rect{look} y="3" height="14" width="{bar.width}%" rx="2"/>'
    if bar.lo is not None and bar.hi is not None:
        drawn += (
            f'<line x1="{bar.lo}%" x2="{bar.hi}%" y1="10" y2="10"/>'
            f'<line x1="{bar.lo}%" x2="{bar.lo}%" y1="6" y2="14"/><line x1="{bar.hi}%" x2="{bar.hi}%" y1="6" y2="14"/>'
        )
    return _svg("speed", 20, drawn, hidden=True)


@register.simple_tag
def crash_marks(row: ChartRow, chart: TableChart) -> SafeString:
    """What each trial lost from each log; the column of zero is shaded."""
    lanes = min(len(row.marks), LANES) or 1
    height = FIRST_LANE * 2 + LANE * (lanes - 1) if row.marks else 2 * FIRST_LANE + LANE
    drawn = [
        f'<rect class="zero" width="{ZERO_WIDTH}%" height="{height}" rx="4"/>',
        *(f'<line class="grid" x1="{t.at}%" x2="{t.at}%" y1="0" y2="{height}"/>' for t in chart.losses.ticks[1:]),
        *(_trial(one, chart.comparison.engine) for one in row.marks),
        *(_bin(one.log, one.x, one.share, height, one.count) for one in row.bins),
    ]
    tried = sum(one.outcome != "open" for one in row.setting.crashes)
    says = f"{number_of(chart.comparison.kind, tried)} of {row.setting.name}"
    return _svg("losses", height, "".join(drawn), says=says, role="group" if row.marks else "img")


@register.simple_tag
def lost_in_words(row: ComparedSetting, engine: str) -> str:
    """`InnoDB 370 to 3k, binary log none`: the numbers of the marks above it."""
    known = ((engine if place == "engine" else name, row.range_lost(place)) for place, name in PLACES.items())
    return ", ".join(f"{name} {_range(*ends)}" for name, ends in known if ends)


def _range(least: int, most: int) -> str:
    if not most:
        return "none"
    return short(most) if least == most else f"{short(least)} to {short(most)}"


def _trial(one: TrialMarks, engine: str) -> str:
    y = FIRST_LANE + LANE * one.lane
    says = escape(said_of(one, engine))
    marks = "".join(_mark(log.log, log.lost > 0, log.x, y) for log in one.logs)
    if not one.logs or one.trial.outcome in ("unclear", "other"):
        marks += f'<use href="#m-{one.trial.outcome}" x="{one.logs[0].x if one.logs else NO_NUMBER}%" y="{y}"/>'
    return f'<a href="{escape(one.url)}" aria-label="{says}" data-tip>{marks}</a>'


def said_of(one: TrialMarks, engine: str) -> str:
    """`Trial: InnoDB lost 5,580 of 6,600 commits, binary log none.`"""
    if not one.logs:
        return {"unclear": "Unclear", "open": "Not finished"}.get(one.trial.outcome, "No commit was lost")
    lost = ", ".join(f"{engine if log.log == 'engine' else PLACES[log.log]} {_much(log.lost)}" for log in one.logs)
    of = f" of {whole(one.trial.acknowledged)} commits" if one.trial.acknowledged else ""
    return f"One crash, lost{of}: {lost}"


def _much(lost: int) -> str:
    return whole(lost) if lost else "none"


def _mark(log: str, is_lost: bool, x: float, y: float) -> str:
    return f'<use href="#m-{log}{"-lost" if is_lost else ""}" x="{x}%" y="{y}"/>'


def _bin(log: str, x: float, share: float, height: int, count: int) -> str:
    tall = max(2, round(share * (height - 6)))
    look = f"bin {log}{'' if x < ZERO_WIDTH else ' lost'}"
    offset = {"engine": -4, "binlog": 0, "replica": 4}[log]
    return (
        f'<svg x="{x}%" overflow="visible"><rect class="{look}" x="{offset}" y="{height - 3 - tall}" width="4" '
        f'height="{tall}"><title>{count:,} crashes</title></rect></svg>'
    )


@register.simple_tag
def share_pie(share: float | None) -> SafeString:
    """How much a copy still holds; hollow and dashed where it is not known."""
    if share is None:
        return mark_safe('<svg class="pie none" width="20" height="20" role="img" aria-label="not known">'
                         '<circle cx="10" cy="10" r="8.5"/></svg>')  # fmt: skip
    label = f"{percent(share)} is there"
    return mark_safe(  # noqa: S308 - numbers, and a text that is escaped
        f'<svg class="pie" width="20" height="20" role="img" aria-label="{label}"><circle class="gone" cx="10" cy="10" '
        f'r="9"/><circle class="there" cx="10" cy="10" r="4.5" pathLength="100" '
        f'stroke-dasharray="{share * 100:.1f} 100"/></svg>'
    )


@register.simple_tag
def chance(row: ComparedSetting) -> SafeString:
    """The 95 % interval of the chance that a crash loses commits, on a line from 0 to 100 %."""
    lo, hi = (round(100 * (end or 0), 1) for end in (row.lost.lo, row.lost.hi))
    look = "lost" if row.lost.k else "kept"
    told = f"{lo:.0f} to {hi:.0f}\N{NO-BREAK SPACE}%"
    k = round(100 * row.lost.k / row.lost.n, 1) if row.lost.n else 0
    drawn = (
        f'<rect class="line" y="5" width="100%" height="4" rx="2"/><rect class="{look}" x="{lo}%" y="5" '
        f'width="{max(hi - lo, 0.5)}%" height="4"/><circle class="{look}" cx="{min(max(k, 4), 96)}%" cy="7" r="4"/>'
    )
    line = _svg("chance", 14, drawn, hidden=True)
    return mark_safe(f'<div class="chance">{line}<small>{told}</small></div>')  # noqa: S308 - made of numbers


@register.simple_tag
def saw_panel(panel: SawPanel, drawn: Saw) -> SafeString:
    up, across = drawn.seconds.ticks, drawn.moments.ticks
    height = SAW_HEIGHT

    def y(percent: float) -> float:
        return round(percent * height / 100, 1)

    grid = "".join(
        f'<line class="{"grid" if tick.value else "base"}" x2="100%" y1="{y(drawn.height(tick.value))}" '
        f'y2="{y(drawn.height(tick.value))}"/>'
        for tick in up
    )
    top = y(drawn.height(drawn.moments.most))
    whole_load = f'<line class="whole" x1="0" y1="{y(100)}" x2="{drawn.moments.last}%" y2="{top}"/>'
    marks = "".join(_saw_load(one, y) for one in panel.loads)
    ups = "".join(f'<text class="up" x="-6" y="{y(drawn.height(t.value)) + 4}">{t.value:g}</text>' for t in up)
    acrosses = "".join(f'<text x="{t.at}%" y="{height + 16}">{t.value:g}</text>' for t in across)
    says = f"Crash points of {panel.setting.name}: moment of the cut, and seconds lost"
    return _svg("saw", height + 20, f"{grid}{whole_load}{marks}{ups}{acrosses}", says=says, role="group")


def _saw_load(load: SawLoad, y: Callable[[float], float]) -> str:
    dots = "".join(
        f'<use href="#s-{one.log}{"-lost" if one.lost else ""}" x="{one.x}%" y="{y(one.y)}"/>' for one in load.dots
    )
    says = "Moments of one load. They open its trial."
    return f'<a href="{escape(load.url)}" aria-label="{says}" data-tip>{dots}</a>'


def _svg(look: str, height: float, drawn: str, *, says: str = "", role: str = "", hidden: bool = False) -> SafeString:
    named = f' role="{role}" aria-label="{escape(says)}"' if says else ' aria-hidden="true"' if hidden else ""
    return mark_safe(f'<svg class="{look}" width="100%" height="{height}"{named}>{drawn}</svg>')  # noqa: S308


@register.filter
def seconds(value: float | None) -> str:
    return duration(value)


register.filter("crash_word", singular)
register.filter("number_of_kind", number_of)
