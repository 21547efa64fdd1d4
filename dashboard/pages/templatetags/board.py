"""Marks of the first page as inline SVG: a square per server, what a power loss takes, and 14 nights."""

from datetime import timedelta
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from dashboard.charts.marks.scales import WithZero
from dashboard.findings.board.nights import FewNights
from dashboard.findings.board.takes import Takes
from dashboard.findings.board.values import CRASHES, Board, BoardServer, Crash, CrashVerdict, Outcome
from dashboard.pages.templatetags.marks import short

register = template.Library()
TITLES: dict[Crash, str] = {"kill": "Server killed", "power": "Power lost", "failover": "Failover"}
WORDS = {"lost": "loses commits", "other": "fails", "unknown": "unknown", "kept": "keeps commits", "none": "no replica"}
COUNTED: dict[Outcome, str] = {"lost": "lose", "unknown": "unknown", "kept": "keep"}
SECONDS = WithZero(0.1, 30.0)  # what a power loss takes
SIZES = ((24, 28), (60, 20), (150, 14))  # at most so many squares, px
SMALLEST = 10
HEIGHT = 24  # px, of the bars of nights


@register.simple_tag
def crash_title(crash: Crash) -> str:
    return TITLES[crash]


@register.simple_tag
def squares(board: Board, crash: Crash) -> SafeString:
    """In the order of the list, one group for each label."""
    size = next((px for most, px in SIZES if len(board.servers) <= most), SMALLEST)
    place = CRASHES.index(crash)
    groups = "".join(
        f'<span class="group"><small>{label}</small><span>'
        + "".join(_square(one, crash, one.verdicts[place], size) for one in board.servers if one.label == label)
        + "</span></span>"
        for label in board.labels
    )
    told = ", ".join(f"{name} {board.count(crash, one)}" for one, name in COUNTED.items())
    return mark_safe(f'<div class="squares" role="img" aria-label="{TITLES[crash]}: {told}">{groups}</div>')  # noqa: S308


def _square(server: BoardServer, crash: Crash, verdict: CrashVerdict, size: int) -> str:
    return (
        f'<svg width="{size}" height="{size}"><title>{escape(f"{server.name}: {_told(crash, verdict)}")}</title>'
        f'<use href="#v-{verdict.look}"/></svg>'
    )


@register.simple_tag
def crash_mark(server: BoardServer, crash: Crash) -> SafeString:
    verdict = server.verdicts[CRASHES.index(crash)]
    says = escape(f"{_told(crash, verdict)}. {verdict.says}".strip())
    return mark_safe(  # noqa: S308 - the text is escaped
        f'<svg width="24" height="24" role="img" aria-label="{says}"><title>{says}</title>'
        f'<use href="#v-{verdict.look}"/></svg>'
    )


def _told(crash: Crash, verdict: CrashVerdict) -> str:
    """`Power lost: loses commits, tested: 18 of 24 crashes`."""
    how = f"tested: {verdict.failed} of {verdict.n} crashes failed" if verdict.is_tested else "from settings"
    known = verdict.outcome not in ("unknown", "none") or verdict.is_tested
    return f"{TITLES[crash]}: {WORDS[verdict.outcome]}{f', {how}' if known else ''}"


@register.simple_tag
def seconds_axis() -> SafeString:
    texts = [
        f'<text x="{tick.at}%" y="11">{short(tick.value)}{" s" if tick.value else ""}</text>' for tick in SECONDS.ticks
    ]
    return mark_safe(f'<svg class="axis" width="100%" height="14" aria-hidden="true">{"".join(texts)}</svg>')  # noqa: S308


@register.simple_tag
def takes_bar(takes: Takes) -> SafeString:
    """From zero to the seconds that a power loss takes. An arrow: it can take more."""
    look = "" if takes.is_tested else " would"
    end = SECONDS.at(min(takes.number, SECONDS.most))
    if takes.much in ("not known", "groups"):
        return mark_safe("")
    if takes.much == "nothing":
        drawn = f'<circle class="kept{look}" cx="{SECONDS.at(0)}%" cy="8" r="4.5"/>'
    elif takes.much == "seconds":
        drawn = f'<rect class="lost{look}" x="1" y="3" height="10" width="{end}%" rx="2"/>'
    elif takes.much == "whole load":
        drawn = f'<rect class="lost{look}" x="1" y="3" height="10" width="{end}%" rx="2"/>{_arrow(end)}'
    else:
        drawn = f'<rect class="lost{look}" x="1" y="3" height="10" width="90%" rx="2"/>{_arrow(91)}'
    return mark_safe(f'<svg class="takes" width="100%" height="16" aria-hidden="true">{drawn}</svg>')  # noqa: S308


def _arrow(start: float) -> str:
    return (
        f'<line class="more" x1="{start}%" x2="97%" y1="8" y2="8"/>'
        '<svg x="97%" overflow="visible"><path class="more" d="M-5 3.500L1 8l-6 4.500"/></svg>'
    )


@register.simple_tag
def night_bars(nights: FewNights) -> SafeString:
    """From zero; a night without a measurement is a short line."""
    most = max(one or 0 for one in nights.tps) or 1
    width = 100 / len(nights.tps)
    drawn = "".join(_night(nights, n, tps, most, width) for n, tps in enumerate(nights.tps))
    says = escape(f"{short(nights.last_tps)} {nights.counts}/s last, with {nights.variant}")
    return mark_safe(  # noqa: S308 - the text is escaped
        f'<svg class="nights" width="100%" height="{HEIGHT}" role="img" aria-label="{says}">{drawn}</svg>'
    )


def _night(nights: FewNights, n: int, tps: float | None, most: float, width: float) -> str:
    x, day = round(n * width, 1), f"{nights.first + timedelta(days=n):%-d %b}"
    if tps is None:
        return f'<rect class="none" x="{x}%" y="{HEIGHT - 2}" width="{width * 0.7:.1f}%" height="2"/>'
    tall = max(2, round(tps / most * (HEIGHT - 2)))
    return (
        f'<rect x="{x}%" y="{HEIGHT - tall}" width="{width * 0.7:.1f}%" height="{tall}" rx="1">'
        f"<title>{day}: {escape(short(tps))} {escape(nights.counts)}/s</title></rect>"
    )
