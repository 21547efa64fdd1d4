"""The parts of a commit's time, by threads: flushes of its logs, and the rest."""

from collections.abc import Sequence
from dataclasses import replace

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described, reasons, sources
from dashboard.findings.fitted import CommitTime
from dashboard.findings.lines import VariantLine, points_of, threads_of
from workers.analysis.anatomy import Anatomy
from workers.analysis.not_computable import NotComputable

PARTS = {"redo flush": "redo log flush", "binlog flush": "binary log flush", "group leader": "group leader"}
REST = "rest"
TOLD_APART = (
    "Group leader: waiting for the thread that flushes for the group, without its flushes. Rest: everything else, such "
    "as locks, processor and network."
)
NOT_TOLD_APART = (
    "Rest: everything else: locks, processor, network, and waiting for the flushes of other commits, which this server "
    "does not tell apart."
)


def anatomy(lines: Sequence[VariantLine]) -> Chart:
    known = [(line, line.models.commit_times) for line in lines]
    used = [part for part in PARTS if any(part in one.parts for _, ones in known for one in _told(ones).values())]
    series = [_series(line, ones, part) for line, ones in known for part in (*used, REST) if used and _told(ones)]
    chart = described(
        "anatomy",
        [_row(line, one, used) for line, ones in known for one in ones],
        series,
        source=sources(_sources(lines)) if series else "",
        categories=map(str, threads_of(lines)),
        reasons=reasons(one.anatomy for _, ones in known for one in ones),
        rest=TOLD_APART if "group leader" in used else NOT_TOLD_APART,
    )
    *first, rest, remark = chart.table.columns
    columns = (*first, *((PARTS[part], "ms") for part in used), rest, remark)
    return replace(chart, table=replace(chart.table, columns=columns))


def _row(line: VariantLine, one: CommitTime, used: Sequence[str]) -> Row:
    found = one.anatomy
    if isinstance(found, NotComputable):
        return (line.name, one.threads, None, *([None] * len(used)), None, found.why)
    return (line.name, one.threads, found.whole_ms, *(found.parts.get(part) for part in used), found.rest_ms, "")


def _told(ones: Sequence[CommitTime]) -> dict[int, Anatomy]:
    """Threads -> parts of the time, if known."""
    return {one.threads: one.anatomy for one in ones if isinstance(one.anatomy, Anatomy)}


def _series(line: VariantLine, ones: Sequence[CommitTime], part: str) -> ChartSeries:
    dots = tuple(
        Dot(str(threads), one.rest_ms if part == REST else one.parts.get(part, 0.0))
        for threads, one in _told(ones).items()
    )
    return ChartSeries(f"{line.name} {PARTS.get(part, part)}", line.colour, dots, stack=line.name)


def _sources(lines: Sequence[VariantLine]) -> list[str]:
    points = points_of(lines)
    flushed = [timed.source for point in points for log, timed in point.fsync_latency.items() if log != "data"]
    return flushed + [point.group_wait_ms.source for point in points if point.group_wait_ms]
