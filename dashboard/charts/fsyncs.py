"""Fsyncs by threads: how many a commit needs, whether commits share them (they then fall with more threads), and the
time of one at one number of threads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.charts.chart import NOT_AVAILABLE, NOTHING_MEASURED, Chart, ChartSeries, Dot, Row, described, sources
from dashboard.findings.lines import VariantLine, points_of, threads_of
from dashboard.findings.per_commit import FILES, FSYNCS
from dashboard.findings.point import FsyncHistogram, Point
from dashboard.text.numbers import at, sig
from workers.analysis.group_commit import GroupCommit

DRAWN = {"redo": False, "binlog": True}  # class of files -> dashed; tables have them all, these first


def fsyncs(lines: Sequence[VariantLine]) -> Chart:
    """Split into redo log, binary log and data as far as sources separate them."""
    points = points_of(lines)
    used = [files for files in FSYNCS if any(files in point.fsyncs for point in points)]
    series = [_fsyncs_series(line, files) for line in lines for files in used]  # all, so that a class keeps its fill
    return described(
        "fsyncs",
        [row for line in lines for point in line.points for row in _fsyncs_rows(line, point)],
        series,
        empty="" if series else _why_not(points),
        source=sources([one.source for point in points for one in point.fsyncs.values()]),
        categories=map(str, threads_of(lines)),
    )


def _fsyncs_series(line: VariantLine, files: str) -> ChartSeries:
    dots = tuple(Dot(str(p.threads), p.fsyncs[files].value) for p in line.points if files in p.fsyncs)
    return ChartSeries(f"{line.name} {FILES.get(files, files)}", line.colour, dots, stack=line.name)


def _fsyncs_rows(line: VariantLine, point: Point) -> list[Row]:
    known = point.fsyncs
    order = {name: place for place, name in enumerate(FSYNCS)}  # a stored analysis may have another one
    rows: list[Row] = [
        (line.name, point.threads, FILES.get(name, name), one.value, one.source, _note(point, name, one.note))
        for name, one in sorted(known.items(), key=lambda item: order.get(item[0], len(order)))
    ]
    return rows or [(line.name, point.threads, NOT_AVAILABLE, None, "", "; ".join(point.missing))]


def _note(point: Point, files: str, note: str) -> str:
    """The source's own, and where another source contradicts it."""
    said = (one.says for one in point.contradictions if one.files == files)
    return " ".join(filter(None, (note, *said)))


def _why_not(points: Sequence[Point]) -> str:
    if not points:
        return NOTHING_MEASURED
    reasons = dict.fromkeys(reason for point in points for reason in point.missing)
    said = f" ({'; '.join(reasons)})" if reasons else ""
    return f"Fsyncs per commit are {NOT_AVAILABLE}{said}."


def group_commit(lines: Sequence[VariantLine]) -> Chart:
    needed = [(line, log) for line, log in _known(lines) if line.models.group_commit[log].verdict != "no need"]
    series = [one for place in needed if (one := _shared(*place)).dots]
    used = [found for line in lines for point in line.points for log in DRAWN if (found := point.fsyncs_of(log))]
    return described(
        "group-commit",
        [_shared_row(line, log, line.models.group_commit[log]) for line, log in _known(lines)],
        series,
        empty="No commit waits for an fsync: group commit has nothing to save." if used and not series else None,
        source=sources([found.source for found in used]),
    )


SAYS = {
    "does not work": ("failed", "commits do not share fsyncs: group commit does not work"),
    "unknown": ("unknown", "unclear whether commits share fsyncs"),
    "works": ("passed", "commits share fsyncs: group commit works"),
    "no need": ("idle", "no flushes to share"),
}  # a variant gets the first verdict that one of its logs has


@dataclass(frozen=True)
class LineVerdict:
    """Whether group commit works for a variant. `state`: a class of badges.css; `logs`: the figures of each log."""

    state: str
    name: str
    says: str
    logs: tuple[str, ...]


def verdicts(lines: Sequence[VariantLine]) -> list[LineVerdict]:
    """For the list above the chart: a variant with its worst verdict and the figures of its logs."""
    logs: dict[str, dict[str, GroupCommit]] = {}
    for line, log in _known(lines):
        logs.setdefault(line.name, {})[log] = line.models.group_commit[log]
    return [_verdict(name, judged) for name, judged in logs.items()]


def _verdict(name: str, judged: Mapping[str, GroupCommit]) -> LineVerdict:
    state, says = next(SAYS[one] for one in SAYS if one in {each.verdict for each in judged.values()})
    return LineVerdict(state, name, says, tuple(_figures(log, one, says) for log, one in judged.items()))


def _figures(log: str, judged: GroupCommit, of_all: str) -> str:
    """`of_all`: the verdict on the variant, which is not repeated."""
    if judged.drop is None or judged.low_threads is None or judged.high_threads is None:
        return f"{FILES[log]}: {judged.why}"
    counts = f"{sig(judged.alone)} fsyncs per commit at {at(judged.low_threads)}"
    says = SAYS[judged.verdict][1]
    verdict = "" if says == of_all else f": {says}"
    return f"{FILES[log]}: {counts}, {sig(judged.together)} at {at(judged.high_threads)}{verdict}."


def _known(lines: Sequence[VariantLine]) -> list[tuple[VariantLine, str]]:
    return [(line, log) for line in lines for log in DRAWN if any(point.fsyncs_of(log) for point in line.points)]


def _shared(line: VariantLine, log: str) -> ChartSeries:
    """A log axis has no place for zero."""
    known = [(p.threads, found.value) for p in line.points if (found := p.fsyncs_of(log)) and found.value > 0]
    return ChartSeries(
        f"{line.name}, {FILES[log]}", line.colour, tuple(Dot(x, y) for x, y in known), dash=2 * line.dash + DRAWN[log]
    )


def _shared_row(line: VariantLine, log: str, judged: GroupCommit) -> Row:
    drop = judged.drop
    ends = (drop.value, drop.lo, drop.hi) if drop else (None, None, None)
    return (
        line.name, FILES[log], judged.verdict, judged.alone, judged.low_threads, judged.together,
        judged.high_threads, *ends, judged.works_from, judged.why,
    )  # fmt: skip


def fsync_latency(lines: Sequence[VariantLine], threads: int) -> Chart:
    """A small histogram per variant, with a line per class of files."""
    found = [
        (line, files, one)
        for line in lines
        for point in line.points
        if point.threads == threads
        for files, one in _ordered(point.fsync_latency)
        if one.calls
    ]
    series = [_histogram(line, files, one) for line, files, one in found if files in DRAWN and one.buckets]
    rows = [latency_row(line.name, files, one) for line, files, one in found]
    return described("fsync-latency", rows, series, source=sources([one.source for *_, one in found]), at=at(threads))


def _ordered(latency: Mapping[str, FsyncHistogram]) -> list[tuple[str, FsyncHistogram]]:
    """A fixed order: a database may reorder the keys of JSON."""
    places = {files: place for place, files in enumerate(DRAWN)}
    return sorted(latency.items(), key=lambda item: (places.get(item[0], len(places)), item[0]))


def latency_row(name: str, files: str, one: FsyncHistogram) -> Row:
    """A line of the table: `one` of a point or of a single run."""
    shares = [_quantile_ms(one.buckets, share, one.max_ms) for share in (0.5, 0.99)]
    return (name, FILES.get(files, files), one.calls, one.mean_ms, *shares, one.max_ms, one.source)


def _histogram(line: VariantLine, files: str, one: FsyncHistogram) -> ChartSeries:
    calls = sum(one.buckets.values())
    dots = tuple(Dot(int(edge), 100 * count / calls) for edge, count in one.buckets.items())
    return ChartSeries(f"{line.name} {FILES[files]}", line.colour, dots, dash=int(DRAWN[files]), panel=line.name)


def _quantile_ms(buckets: Mapping[str, int], share: float, max_ms: float) -> float | None:
    """Upper edge of the bucket with the quantile. Buckets are powers of two, so nothing finer is known."""
    wanted, seen = share * sum(buckets.values()), 0
    for edge, calls in sorted(buckets.items(), key=lambda item: int(item[0])):
        seen += calls
        if calls and seen >= wanted:
            return min(int(edge) / 1000, max_ms)
    return None
