"""The time of an fsync at one number of threads: a small histogram per variant, with a line per class of files."""

from collections.abc import Mapping, Sequence

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described, sources
from dashboard.findings.lines import VariantLine
from dashboard.findings.per_commit import FILES
from dashboard.findings.point import FsyncHistogram
from dashboard.text.numbers import at

DRAWN = {"redo": False, "binlog": True}  # class of files -> dashed; the table has them all, these first


def fsync_latency(lines: Sequence[VariantLine], threads: int) -> Chart:
    found = [
        (line, files, one)
        for line in lines
        for point in line.points
        if point.threads == threads
        for files, one in _ordered(point.fsync_latency)
        if one.calls
    ]
    series = [_series(line, files, one) for line, files, one in found if files in DRAWN and one.buckets]
    rows = [row(line.name, files, one) for line, files, one in found]
    return described("fsync-latency", rows, series, source=sources([one.source for *_, one in found]), at=at(threads))


def _ordered(latency: Mapping[str, FsyncHistogram]) -> list[tuple[str, FsyncHistogram]]:
    """A fixed order: a database may reorder the keys of JSON."""
    places = {files: place for place, files in enumerate(DRAWN)}
    return sorted(latency.items(), key=lambda item: (places.get(item[0], len(places)), item[0]))


def row(name: str, files: str, one: FsyncHistogram) -> Row:
    """A line of the table: `one` of a point or of a single run."""
    shares = [_quantile_ms(one.buckets, share, one.max_ms) for share in (0.5, 0.99)]
    return (name, FILES.get(files, files), one.calls, one.mean_ms, *shares, one.max_ms, one.source)


def _series(line: VariantLine, files: str, one: FsyncHistogram) -> ChartSeries:
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
