"""Commits per second by threads, with 95 % intervals."""

from dashboard.results.charts.chart import Axis, Chart, Dot, Series, Table
from dashboard.results.counted import counted
from dashboard.results.shown import Shown


def throughput(shown: Shown) -> Chart:
    lines = shown.lines()
    what = f"{counted(shown.plan, shown.workload)} per second"
    series = [
        Series(
            line.name,
            line.colour,
            tuple(Dot(p["threads"], p["tps"], p["lo"], p["hi"]) for p in line.points),
            line.dash,
        )
        for line in lines
    ]
    rows = [
        (line.name, p["threads"], p["tps"], p["lo"], p["hi"], p["repeats"], p["seconds"], p["stalls"]["seconds"],
         _remark(p))
        for line in lines
        for p in line.points
    ]  # fmt: skip
    return Chart(
        key="throughput",
        title="Throughput by threads",
        kind="scaling",
        x=Axis("threads", scale="log2"),
        y=Axis(what, "/s", can_toggle_log=True),
        table=Table(_columns(what), tuple(rows)),
        series=tuple(series),
        empty="" if series else "Nothing has been measured yet.",
        source="sysbench" if series else "",
        note="Mean of all seconds after the warm-up; bars are 95 % intervals.",
    )


def _columns(what: str) -> tuple[tuple[str, str], ...]:
    return (
        ("variant", "text"), ("threads", "whole"), (what, "number"), ("95 % from", "number"), ("95 % to", "number"),
        ("repeats", "whole"), ("seconds", "whole"), ("stalled seconds", "whole"), ("remark", "text"),
    )  # fmt: skip


def _remark(point: dict) -> str:
    remarks = []
    if point["lo"] is None:
        remarks.append("too short for an interval")
    elif point["repeats"] == 1:
        remarks.append("interval of a single run")
    if point["settled"] is False:
        remarks.append("had not settled")
    if point["errors"]:
        remarks.append(f"{point['errors']:,} errors")
    return ", ".join(remarks)
