"""The server's host: of a run second by second, as small charts on one time axis; of a result as means."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.charts.chart import Chart, ChartSeries, ChartTable, Dot, described
from dashboard.findings.lines import VariantLine, points_of

# column of a series -> (name of its small chart, factor): a second has 1,000 ms, so busy ms / 10 is per cent
PANELS = {
    "cpu_s": ("cores in use", 1.0),
    "run_queue": ("run queue", 1.0),
    "disk_writes": ("disk writes per second", 1.0),
    "disk_flushes": ("disk flushes per second", 1.0),
    "disk_written_bytes": ("", 1.0),  # in the table only: its course is that of the writes
    "disk_busy_ms": ("disk utilisation (%)", 0.1),
}
MEANS = {**{name: title for name, (title, _) in PANELS.items()}, "disk_written_bytes": "disk written per second"}
NO_DISK = "Figures of the disk are missing: the data are on no disk that the kernel lists."
NO_FLUSHES = "Disk flushes are missing: the kernel counts none of this disk (LVM, RAID, or Linux before 5.5)."
REMOVED = "The seconds were removed after their time of retention. Their totals are below."


@dataclass(frozen=True)
class HostMeans:
    """`table` None: no run was watched. `why`: what is missing."""

    table: ChartTable | None
    why: tuple[str, ...]


def host(columns: Mapping[str, Sequence[float | None]], counts: str, reason: str) -> Chart:
    """`columns`: those of the run's series; `reason`: why it has none of the host."""
    found = {name: columns.get(name, []) for name in PANELS}
    if not any(found.values()):
        return described("host", (), (), counts=counts, reason=reason)
    tps = columns.get("tps", [])
    times = [round(at or 0, 1) for at in columns.get("t_s", range(1, len(tps) + 1))]
    drawn = [_series(f"{counts} per second", 0, times, tps)]
    scaled = [_scaled(found[name], factor, len(times)) for name, (_, factor) in PANELS.items()]
    for number, ((title, _), values) in enumerate(zip(PANELS.values(), scaled, strict=True), start=1):
        if title and any(value is not None for value in values):
            drawn.append(_series(title, number, times, values))
    rows = zip(times, tps, *scaled, strict=False)
    chart = described("host", rows, drawn, counts=counts, reason=reason)
    note = " ".join([chart.note, *_lacks({name for name, values in found.items() if values})])
    return replace(chart, note=note, own_scales=True)


def means(lines: Sequence[VariantLine]) -> HostMeans:
    """One row for each point."""
    points = points_of(lines)
    known = [name for name in PANELS if any(name in point.host for point in points)]
    why = tuple(dict.fromkeys(one for point in points for one in _why(point.host, point.missing)))
    if not known:
        return HostMeans(None, why)
    formats = {"disk_written_bytes": "size"}
    columns = [
        ("setting", "text"),
        ("threads", "whole"),
        *((MEANS[name], formats.get(name, "number")) for name in known),
    ]
    rows = (
        (line.name, point.threads, *(_scaled([point.host.get(name)], PANELS[name][1], 1)[0] for name in known))
        for line in lines
        for point in line.points
    )
    return HostMeans(ChartTable(tuple(columns), tuple(rows)), why)


def _why(known: Mapping[str, float], missing: Iterable[str]) -> list[str]:
    told = [not_watched(one.removeprefix("host: ")) for one in missing if one.startswith("host: ")]
    return told or (_lacks(known.keys()) if known else [not_watched()])


def not_watched(why: str = "its figures were not asked for.") -> str:
    return f"The host was not watched: {why}"


def _lacks(known: Iterable[str]) -> list[str]:
    """Why figures of the disk are missing, from the figures that are known."""
    has = set(known)
    if "disk_writes" not in has:
        return [NO_DISK]
    return [] if "disk_flushes" in has else [NO_FLUSHES]


def _series(name: str, colour: int, times: Sequence[float], values: Sequence[float | None]) -> ChartSeries:
    dots = tuple(Dot(at, value) for at, value in zip(times, values, strict=False))
    return ChartSeries(f"{name} measured", colour, dots, panel=name)


def _scaled(values: Sequence[float | None], factor: float, length: int) -> list[float | None]:
    known = [None if value is None else value * factor for value in values[:length]]
    return [*known, *([None] * (length - len(known)))]
