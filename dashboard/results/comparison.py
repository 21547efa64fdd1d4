"""Runs of any experiments side by side. The address holds the choice: `?runs=12,13&runs=45` are the ids of runs,
gathered into points by themselves; `from` is the experiment whose points are offered."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict

from dashboard.experiments.models import Cell, Experiment, Run
from dashboard.results import environment
from dashboard.results.analysis import analysis_of, describe, judged
from dashboard.results.charts.chart import Axis, Chart, Dot, Series
from dashboard.results.charts.chart import Table as ChartTable
from dashboard.results.points import Point, gathered
from dashboard.servers.models import Server
from workers.analysis import compare

MOST_RUNS = 200
MOST_POINTS = 16


def context(query: QueryDict) -> dict[str, Any]:
    wanted = run_ids(query)
    columns = _columns(wanted)
    asked = query.get("from", "")
    offered = Experiment.objects.filter(pk=asked).first() if asked.isdecimal() else None
    return {
        "columns": columns,
        "runs": ",".join(str(one) for column in columns for one in column["run_ids"]),
        "left_out": max(0, len(wanted) - sum(len(column["run_ids"]) for column in columns)),
        "unlike": environment.differences([column["environment"] for column in columns]),
        "chart": _bars(columns).payload() if columns else None,
        "experiments": Experiment.objects.filter(cells__state=Cell.State.DONE).distinct()[:100],
        "offered": offered,
        "points": _offer(offered, wanted) if offered else [],
    }


def run_ids(query: QueryDict) -> list[int]:
    """The ids in the address, each once; whatever is no number is ignored."""
    found = re.findall(r"\d{1,18}", " ".join(query.getlist("runs")))
    return list(dict.fromkeys(map(int, found)))[:MOST_RUNS]


def _columns(wanted: Sequence[int]) -> list[dict[str, Any]]:
    """A column per point, in the order of the address; the first is what the others are compared with."""
    place = {run_id: n for n, run_id in enumerate(wanted)}
    points = gathered(Run.objects.filter(pk__in=wanted, cell__experiment__deleted_at=None))
    points.sort(key=lambda point: min(place[run["id"]] for run in point.runs))
    points = points[:MOST_POINTS]
    if not points:
        return []
    seconds = [point.seconds() for point in points]
    p_values = compare.adjusted([compare.p_value(one, seconds[0]) for one in seconds[1:]])
    ratios = [None, *(judged(one, seconds[0], p) for one, p in zip(seconds[1:], p_values, strict=True))]
    known = _known(points)
    return [
        {**describe(point, series), **known(point), "ratio": ratio}
        for point, series, ratio in zip(points, seconds, ratios, strict=True)
    ]


def _known(points: Sequence[Point]) -> Any:
    """What a column needs beside its runs: names and environment, read in three queries."""
    experiments = Experiment.objects.in_bulk({run["experiment_id"] for point in points for run in point.runs})
    servers = Server.objects.in_bulk({point.key.server_id for point in points})
    runs = Run.objects.filter(pk__in=[point.runs[0]["id"] for point in points]).select_related("environment")
    environments = {run.pk: run.environment.data for run in runs}

    def of(point: Point) -> Mapping[str, Any]:
        others = ",".join(str(run["id"]) for rival in points if rival is not point for run in rival.runs)
        return {
            "experiment": experiments[point.runs[0]["experiment_id"]],
            "server": servers[point.key.server_id].name,
            "environment": environments[point.runs[0]["id"]],
            "without": others,
        }

    return of


def _bars(columns: Sequence[Mapping[str, Any]]) -> Chart:
    names = tuple(f"{n}: {c['variant']}, {c['threads']}" for n, c in enumerate(columns, start=1))
    dots = (Dot(name, c["tps"], c["lo"], c["hi"]) for name, c in zip(names, columns, strict=True))
    return Chart(
        key="compared",
        title="Throughput",
        kind="bars",
        x=Axis("variant, threads", scale="category", categories=names),
        y=Axis("per second", "/s", can_toggle_log=True),
        table=ChartTable(()),
        series=(Series("throughput", 0, tuple(dots)),),
    )


def _offer(experiment: Experiment, wanted: Sequence[int]) -> list[dict[str, Any]]:
    """The points of an experiment that can be added, and whether they are there already."""
    names = {target["server_id"]: target["name"] for target in experiment.plan["targets"]}
    return [
        {
            **point,
            "server": names[point["server_id"]],
            "value": ",".join(map(str, point["run_ids"])),
            "there": set(point["run_ids"]) <= set(wanted),
        }
        for point in analysis_of(experiment)["points"]
    ]
