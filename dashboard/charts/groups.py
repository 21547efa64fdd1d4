"""Commits per binlog group by threads: how many commits share the cost of a binlog flush."""

from collections.abc import Sequence

from dashboard.charts.chart import NOT_AVAILABLE, NOTHING_MEASURED, Chart, by_threads, described, sources
from dashboard.findings.lines import VariantLine, points_of


def groups(lines: Sequence[VariantLine]) -> Chart:
    points = points_of(lines)
    series = (by_threads(line, lambda point: point.group.value if point.group else None) for line in lines)
    rows = [
        (line.name, p.threads, p.group.value, p.group.source, p.group.note)
        if p.group
        else (line.name, p.threads, None, NOT_AVAILABLE, "")
        for line in lines
        for p in line.points
    ]
    return described(
        "groups",
        rows,
        [one for one in series if one.dots],
        empty=None if points else NOTHING_MEASURED,
        source=sources([point.group.source for point in points if point.group]),
    )
