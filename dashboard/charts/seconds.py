"""A run second by second with its stalls, which a mean hides. Loaded on request."""

from collections.abc import Mapping, Sequence

from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable, Dot
from workers.analysis.stalls import BELOW, stalls


def heads(what: str) -> tuple[tuple[str, str], ...]:
    rate = (f"{what} per second", "number")
    return (("second", "number"), rate, ("p95", "ms"), ("errors", "number"), ("remark", "text"))


def seconds(columns: Mapping[str, Sequence[float]], name: str, colour: int = 0, what: str = "commits") -> Chart:
    """`columns`: as `ChartSeries.columns` stores them. Columns may be missing or lack the last second."""
    tps = columns.get("tps", [])
    times = columns.get("t_s") or list(range(1, len(tps) + 1))
    stalled = {stall.start + n for stall in stalls(tps) for n in range(stall.seconds)}
    marks = ["stall" if place in stalled else "" for place in range(len(tps))]
    dots = tuple(Dot(round(t, 1), y, mark=mark) for t, y, mark in zip(times, tps, marks, strict=False))
    p95, errors = (_padded(columns.get(key, []), len(tps)) for key in ("p95_ms", "errors"))
    return Chart(
        key="seconds",
        title=f"{what.capitalize()} per second, second by second",
        kind="time",
        x=Axis("seconds since the start", "s"),
        y=Axis(f"{what} per second", "/s", can_toggle_log=True),
        table=ChartTable(heads(what), tuple(zip(times, tps, p95, errors, marks, strict=False))),
        series=(ChartSeries(name, colour, dots),) if dots else (),
        empty="" if dots else "The run was too short for a figure a second.",
        source="sysbench" if dots else "",
        note=f"A stall is a second below {BELOW:.0%} of the median." if stalled else "",
    )


def _padded(column: Sequence[float], length: int) -> list[float | None]:
    return [*column[:length], *([None] * (length - len(column)))]
