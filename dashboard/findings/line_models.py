"""What the points of a line (one server, variant and workload) say together: plain JSON, kept with the analysis.

    [{"server_id", "variant", "workload",
      "group_commit": {"binlog": {"verdict", "why", "alone", "together", "low_threads", "high_threads",
                                  "drop": {"value", "lo", "hi"} | None, "works_from"}, "redo": {...}},
      "ceiling": {"demand_ms", "longest_ms", "fsyncs", "source"} | {"why"},
      "scaling_law": {"per_thread_tps", "contention", "coherency": {"value", "lo", "hi"}, "peak_threads": {...} | None,
                      "peak_tps", "bend_threads", "misfit"} | {"why"},
      "anatomy": [{"threads", "whole_ms", "parts": {name: ms}, "rest_ms"} | {"threads", "why"}]}]

A model that was refused is {"why"}: unknown, with its reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from workers.analysis import anatomy, ceiling, group_commit, scaling_law
from workers.analysis.refused import Refused
from workers.metrics.commit_waits import LED

Point = Mapping[str, Any]  # as `analysis.describe` makes it
LOGS = ("redo", "binlog")


def lines(points: Sequence[Point]) -> list[dict[str, Any]]:
    """One entry per line, in the order of the points."""
    grouped: dict[tuple[int, str, str], list[Point]] = {}
    for point in points:
        grouped.setdefault((point["server_id"], point["variant"], point["workload"]), []).append(point)
    return [
        {"server_id": server, "variant": variant, "workload": workload, **_models(_ascending(mine))}
        for (server, variant, workload), mine in grouped.items()
    ]


def _ascending(points: Sequence[Point]) -> list[Point]:
    """One point for each number of threads."""
    ordered = sorted(points, key=lambda point: point["threads"])
    return [next(same) for _, same in groupby(ordered, key=lambda point: point["threads"])]


def _models(points: Sequence[Point]) -> dict[str, Any]:
    lone = points[0] if points[0]["threads"] == 1 else None
    uncounted = _uncounted(points[0]["counts"])
    return {
        "group_commit": {log: asdict(_judged(points, log)) for log in LOGS},
        "ceiling": uncounted or _ceiling(lone),
        "scaling_law": _told(scaling_law.fit([_throughput(point) for point in points])),
        "anatomy": [{"threads": point["threads"], **(uncounted or _anatomy(point, lone))} for point in points],
    }


def _uncounted(counts: str) -> dict[str, Any]:
    """Why fsyncs per commit say nothing of its throughput. Empty where it is of commits."""
    return {} if counts == "commits" else asdict(Refused(f"Its throughput counts {counts}, not commits."))


def _told(model: Any) -> dict[str, Any]:
    return asdict(model)  # a refused one too: {"why"}


def _throughput(point: Point) -> scaling_law.Throughput:
    return scaling_law.Throughput(point["threads"], point["tps"], point["lo"], point["hi"])


def fsyncs(point: Point, log: str) -> Mapping[str, Any] | None:
    """Fsyncs per commit of a log, {value, source, note}; where a server does not tell the redo log's from those of
    data files, both together."""
    return point["fsyncs"].get(log) or (point["fsyncs"].get("redo and data") if log == "redo" else None)


def _mean_ms(point: Point, log: str) -> float | None:
    timed = point["fsync_latency"].get(log)
    return timed["total_ms"] / timed["calls"] if timed and timed["calls"] else None


def _judged(points: Sequence[Point], log: str) -> group_commit.GroupCommit:
    counted = [(point, found["value"]) for point in points if (found := fsyncs(point, log))]
    return group_commit.judge(
        [group_commit.Shared(p["threads"], p["commits"], each * p["commits"], _busy(p)) for p, each in counted]
    )


def _busy(point: Point) -> float | None:
    """Share of the time in fsyncs of the logs; None where one that was flushed was not timed."""
    flushed = [log for log in LOGS if (found := fsyncs(point, log)) and found["value"]]
    if not flushed or any(log not in point["fsync_latency"] for log in flushed) or not point["transactions"]:
        return None
    measured_ms = 1000 * point["transactions"] / point["tps"]
    return sum(point["fsync_latency"][log]["total_ms"] for log in flushed) / measured_ms


def _ceiling(lone: Point | None) -> dict[str, Any]:
    if lone is None:
        return {"why": "One thread alone was not measured."}
    counted = {log: found["value"] for log in LOGS if (found := fsyncs(lone, log))}
    waited = {log: each for log, each in counted.items() if each >= ceiling.LONE}
    if not counted or any(_mean_ms(lone, log) is None for log in waited):
        return {"why": "No source timed the fsyncs of every log that a commit waits for."}
    found = ceiling.ceiling(
        {log: ceiling.Demand(each, each * (_mean_ms(lone, log) or 0)) for log, each in waited.items()}
    )
    if isinstance(found, Refused):
        return asdict(found)
    return asdict(found) | {"source": ", ".join(dict.fromkeys(lone["fsync_latency"][log]["source"] for log in waited))}


def _anatomy(point: Point, lone: Point | None) -> dict[str, Any]:
    if lone is None:
        return {"why": "One thread alone was not measured: how many flushes a commit waits for is not known."}
    series = {log: found["value"] for log in LOGS if (found := fsyncs(lone, log)) and found["value"] >= ceiling.LONE}
    if not any(fsyncs(lone, log) for log in LOGS):
        return {"why": "No source counted the fsyncs."}
    if not series:
        return {"why": "A commit does not wait for an fsync."}
    if any(_mean_ms(point, log) is None for log in series):
        return {"why": "No source timed the fsyncs of every log that a commit waits for."}
    flushes = {log: anatomy.Flushes(each, _mean_ms(point, log) or 0) for log, each in series.items()}
    waited = point["group_wait"] or {"value": None, "source": ""}
    led = LED.get(waited["source"].partition(":")[2])
    return asdict(anatomy.anatomy(point["threads"], point["tps"], flushes, waited["value"], led))
