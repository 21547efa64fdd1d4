"""The models that are fitted to a variant: the ceilings of its throughput, its scaling law, the parts of a commit."""

from collections.abc import Sequence
from dataclasses import replace

from dashboard.charts.chart import CHART_WORDS, Chart, ChartSeries, Dot, Row, described, reasons, sources, throughput_of
from dashboard.findings.fitted import CommitTime, FsyncCeiling
from dashboard.findings.lines import VariantLine, points_of, threads_of
from dashboard.findings.point import Point
from workers.analysis.anatomy import REPLICA, Anatomy
from workers.analysis.not_computable import NotComputable
from workers.analysis.scaling_law import ScalingLaw

STEPS = 24  # of a curve
PARTS = {
    "redo flush": "redo log flush",
    "binlog flush": "binary log flush",
    REPLICA: REPLICA,
    "group leader": "group leader",
}
REST = "rest"
TOLD_APART = (
    "Group leader: waiting for the thread that flushes for the group, without its flushes. Rest: everything else, such "
    "as locks, processor and network."
)
NOT_TOLD_APART = (
    "Rest: everything else: locks, processor, network, and waiting for the flushes of other commits, which this server "
    "does not tell apart."
)


def ceilings(lines: Sequence[VariantLine], counts: str) -> Chart:
    """Throughput, and the rate of commits that wait for their fsyncs only."""
    known = [(line, bound) for line in lines if isinstance(bound := line.models.ceiling, FsyncCeiling)]
    return described(
        "ceilings",
        [row for line in lines for row in _bound_rows(line)],
        [series for line, bound in known for series in _below(line, bound)],
        source=sources([bound.source for _, bound in known]),
        counts=counts,
        reasons=reasons(line.models.ceiling for line in lines),
    )


def _below(line: VariantLine, bound: FsyncCeiling) -> tuple[ChartSeries, ...]:
    shared = tuple(Dot(p.threads, bound.shared_tps(p.threads)) for p in line.points)
    flat = tuple(Dot(p.threads, bound.unshared_tps(p.threads)) for p in line.points)
    return (
        throughput_of(line, line.dash),
        ChartSeries(line.name, line.colour, shared, ceiling=True),
        ChartSeries(line.name, line.colour, flat, ceiling=True),
    )


def _bound_rows(line: VariantLine) -> list[Row]:
    bound = line.models.ceiling
    if isinstance(bound, NotComputable):
        return [(line.name, None, None, None, None, None, None, None, bound.why)]
    return [_bound_row(line, point, bound) for point in line.points]


def _bound_row(line: VariantLine, point: Point, bound: FsyncCeiling) -> Row:
    threads, efficiency = point.threads, bound.efficiency(point.threads, point.tps)
    remark = "the device was slower when one thread was measured" if efficiency > 1 else ""
    return (
        line.name, threads, point.tps, bound.shared_tps(threads), efficiency, bound.unshared_tps(threads),
        bound.fsyncs, bound.demand_ms, remark,
    )  # fmt: skip


def scaling_law(lines: Sequence[VariantLine], counts: str) -> Chart:
    """The Universal Scalability Law: the effect of threads, and their best number."""
    laws = [line.models.scaling_law for line in lines]
    rows = [_law_row(line, law) for line, law in zip(lines, laws, strict=True)]
    drawn = [
        series
        for line, law in zip(lines, laws, strict=True)
        if isinstance(law, ScalingLaw)
        for series in _fitted(line, law)
    ]
    return described("scaling-law", rows, drawn, counts=counts, reasons=reasons(laws))


def _fitted(line: VariantLine, law: ScalingLaw) -> tuple[ChartSeries, ChartSeries]:
    threads = [point.threads for point in line.points]
    low, high = min(threads), max(threads)
    places = [low * (high / low) ** (step / STEPS) for step in range(STEPS + 1)]
    curve = tuple(Dot(float(f"{place:.4g}"), law.tps(place)) for place in places)
    return ChartSeries(line.name, line.colour, curve, line.dash, fit=True), throughput_of(line)


def _law_row(line: VariantLine, law: ScalingLaw | NotComputable) -> Row:
    if isinstance(law, NotComputable):
        return (line.name, *([None] * (len(CHART_WORDS["scaling-law"].columns) - 2)), law.why)
    ranges = [end for one in (law.per_thread_tps, law.contention, law.coherency) for end in (one.value, one.lo, one.hi)]
    peak = law.peak_threads
    ends = (peak.value, peak.lo, peak.hi) if peak else (None, None, None)
    remark = "" if peak else "no peak was measured"
    return (line.name, *ranges, law.bend_threads, *ends, law.peak_tps, law.misfit, remark)


def anatomy(lines: Sequence[VariantLine]) -> Chart:
    """The parts of a commit's time, by threads: flushes of its logs, and the rest."""
    known = [(line, line.models.commit_times) for line in lines]
    used = [part for part in PARTS if any(part in one.parts for _, ones in known for one in _told(ones).values())]
    series = [_stacked(line, ones, part) for line, ones in known for part in (*used, REST) if used and _told(ones)]
    chart = described(
        "anatomy",
        [_parts_row(line, one, used) for line, ones in known for one in ones],
        series,
        source=sources(_sources(lines)) if series else "",
        categories=map(str, threads_of(lines)),
        reasons=reasons(one.anatomy for _, ones in known for one in ones),
        rest=TOLD_APART if "group leader" in used else NOT_TOLD_APART,
    )
    *first, rest, remark = chart.table.columns
    columns = (*first, *((PARTS[part], "ms") for part in used), rest, remark)
    return replace(chart, table=replace(chart.table, columns=columns))


def _parts_row(line: VariantLine, one: CommitTime, used: Sequence[str]) -> Row:
    found = one.anatomy
    if isinstance(found, NotComputable):
        return (line.name, one.threads, None, *([None] * len(used)), None, found.why)
    return (line.name, one.threads, found.whole_ms, *(found.parts.get(part) for part in used), found.rest_ms, "")


def _told(ones: Sequence[CommitTime]) -> dict[int, Anatomy]:
    """Threads -> parts of the time, if known."""
    return {one.threads: one.anatomy for one in ones if isinstance(one.anatomy, Anatomy)}


def _stacked(line: VariantLine, ones: Sequence[CommitTime], part: str) -> ChartSeries:
    dots = tuple(
        Dot(str(threads), one.rest_ms if part == REST else one.parts.get(part, 0.0))
        for threads, one in _told(ones).items()
    )
    return ChartSeries(f"{line.name} {PARTS.get(part, part)}", line.colour, dots, stack=line.name)


def _sources(lines: Sequence[VariantLine]) -> list[str]:
    points = points_of(lines)
    flushed = [timed.source for point in points for log, timed in point.fsync_latency.items() if log != "data"]
    return flushed + [point.group_wait_ms.source for point in points if point.group_wait_ms]
