"""The host of a run second by second: small charts on one time axis, the commits on top."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dashboard.charts.chart import Chart, ChartSeries, Dot, described

# column of a series -> (name of its small chart, factor): a second has 1,000 ms, so busy ms / 10 is per cent
PANELS = {
    "cpu_s": ("cores in use", 1.0),
    "run_queue": ("run queue", 1.0),
    "disk_writes": ("disk writes per second", 1.0),
    "disk_flushes": ("disk flushes per second", 1.0),
    "disk_written_bytes": ("", 1.0),  # in the table only: its course is that of the writes
    "disk_busy_ms": ("disk utilisation (%)", 0.1),
}


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
    return replace(described("host", rows, drawn, counts=counts, reason=reason), own_scales=True)


def _series(name: str, colour: int, times: Sequence[float], values: Sequence[float | None]) -> ChartSeries:
    dots = tuple(Dot(at, value) for at, value in zip(times, values, strict=False))
    return ChartSeries(f"{name} measured", colour, dots, panel=name)


def _scaled(values: Sequence[float | None], factor: float, length: int) -> list[float | None]:
    known = [None if value is None else value * factor for value in values[:length]]
    return [*known, *([None] * (length - len(known)))]
