"""The watched figures of one server, a small chart for each, with its limit."""

from dashboard.charts.chart import Axis, Chart, ChartSeries, ChartTable, Dot
from dashboard.findings.guardrails import GuardedServer
from workers.guardrails.limit import Limit


def guardrails(number: int, server: GuardedServer) -> Chart:
    """`number` tells the charts of a page apart."""
    sampled = server.record.sampled
    began = next((at for at in sampled.get("at_s", []) if at is not None), 0.0)
    times = [round((at or began) - began, 1) for at in sampled.get("at_s", [])]
    series = [
        one
        for limit in server.record.limits
        if any(value is not None for value in sampled[limit.key])
        for one in _series(limit, times, sampled[limit.key])
    ]
    return Chart(
        key=f"guardrails-{number}",
        title=f"Guardrails of {server.name}, second by second",
        kind="time",
        x=Axis("seconds since the watch began", "s"),
        y=Axis(""),
        table=ChartTable(()),
        series=tuple(series),
        empty="" if series else "No figure was read.",
        own_scales=True,
    )


def _series(limit: Limit, times: list[float], values: list[float | None]) -> tuple[ChartSeries, ChartSeries]:
    name = f"{limit.title} ({limit.unit})" if limit.unit else limit.title
    measured = tuple(Dot(at, value) for at, value in zip(times, values, strict=False))
    bound = tuple(Dot(at, limit.value) for at in (times[0], times[-1]))
    return (
        ChartSeries(f"{name} measured", 0, measured, panel=name),
        ChartSeries(f"{name} limit", 1, bound, ceiling=True, panel=name),
    )
