"""A run second by second with its stalls, which a mean hides. Loaded on request."""

from collections.abc import Mapping, Sequence

from dashboard.charts.chart import Chart, ChartSeries, Dot, described
from workers.analysis.stalls import BELOW, stalls


def seconds(columns: Mapping[str, Sequence[float]], name: str, colour: int = 0, what: str = "commits") -> Chart:
    """`columns`: as `ChartSeries.columns` stores them. Columns may be missing or lack the last second."""
    tps = columns.get("tps", [])
    times = columns.get("t_s") or list(range(1, len(tps) + 1))
    stalled = {stall.start + n for stall in stalls(tps) for n in range(stall.seconds)}
    marks = ["stall" if place in stalled else "" for place in range(len(tps))]
    dots = tuple(Dot(round(t, 1), y, mark=mark) for t, y, mark in zip(times, tps, marks, strict=False))
    p95, errors = (_padded(columns.get(key, []), len(tps)) for key in ("p95_ms", "errors"))
    return described(
        "seconds",
        zip(times, tps, p95, errors, marks, strict=False),
        [ChartSeries(name, colour, dots)] if dots else [],
        commits=what.capitalize(),
        counts=what,
        stalled=f"A stall is a second below {BELOW:.0%} of the median." if stalled else "",
    )


def _padded(column: Sequence[float], length: int) -> list[float | None]:
    return [*column[:length], *([None] * (length - len(column)))]
