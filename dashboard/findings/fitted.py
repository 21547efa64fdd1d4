"""The models that are kept with the analysis: those of a line (one server, variant and workload), fitted to its points,
and the fsync model of a device that was swept by size.

A model without a result is `NotComputable`, with the reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.grouped import grouped
from dashboard.findings.point import Point
from dashboard.findings.probed import ProbedDevice
from workers.analysis import anatomy, ceiling, fsync_model, group_commit, scaling_law
from workers.analysis.not_computable import NotComputable
from workers.metrics.commit_waits import LED
from workers.metrics.fsync_sweep import SweepPoint

LOGS = ("redo", "binlog")
UNTIMED = "No source timed the fsyncs of every log that a commit waits for."


@dataclass(frozen=True)
class FsyncCeiling(ceiling.Ceiling):
    """`source`: of the fsync times."""

    source: str


@dataclass(frozen=True)
class CommitTime:
    threads: int
    anatomy: anatomy.Anatomy | NotComputable


@dataclass(frozen=True)
class LineModels:
    """`group_commit`: by log; `commit_times` ascend by threads."""

    server_id: int
    variant: str
    workload: str
    group_commit: Mapping[str, group_commit.GroupCommit]
    ceiling: FsyncCeiling | NotComputable
    scaling_law: scaling_law.ScalingLaw | NotComputable
    commit_times: tuple[CommitTime, ...]


def lines(points: Sequence[Point]) -> list[LineModels]:
    """One entry per line, in the order of the points. Those of a line ascend by threads."""
    found = grouped(((one.server_id, one.variant, one.workload), one) for one in points)
    return [_models(mine) for mine in found.values()]


def _models(points: Sequence[Point]) -> LineModels:
    first = points[0]
    lone = first if first.threads == 1 else None
    why = f"Its throughput counts {first.counts}, not commits."
    uncounted = None if first.counts == "commits" else NotComputable(why)
    return LineModels(
        server_id=first.server_id,
        variant=first.variant,
        workload=first.workload,
        group_commit={log: _judged(points, log) for log in LOGS},
        ceiling=uncounted or _ceiling(lone),
        scaling_law=scaling_law.fit([scaling_law.Throughput(p.threads, p.tps, p.lo, p.hi) for p in points]),
        commit_times=tuple(CommitTime(point.threads, uncounted or _anatomy(point, lone)) for point in points),
    )


def _judged(points: Sequence[Point], log: str) -> group_commit.GroupCommit:
    counted = [
        group_commit.Shared(point.threads, point.commits, found.value * point.commits, _busy(point))
        for point in points
        if (found := point.fsyncs_of(log)) and point.commits is not None
    ]
    return group_commit.judge(counted)


def _busy(point: Point) -> float | None:
    """Share of the time in fsyncs of the logs; None if a flushed log was not timed."""
    flushed = [log for log in LOGS if (found := point.fsyncs_of(log)) and found.value]
    if not flushed or any(log not in point.fsync_latency for log in flushed) or not point.transactions:
        return None
    measured_ms = 1000 * point.transactions / point.tps
    return sum(point.fsync_latency[log].total_ms for log in flushed) / measured_ms


def _ceiling(lone: Point | None) -> FsyncCeiling | NotComputable:
    if lone is None:
        return NotComputable("One thread alone was not measured.")
    counted = {log: found.value for log in LOGS if (found := lone.fsyncs_of(log))}
    waited = {log: each for log, each in counted.items() if each >= ceiling.LONE}
    if not counted or any(lone.fsync_ms(log) is None for log in waited):
        return NotComputable(UNTIMED)
    demands = {log: ceiling.Demand(each, each * (lone.fsync_ms(log) or 0)) for log, each in waited.items()}
    bound = ceiling.ceiling(demands)
    if isinstance(bound, NotComputable):
        return bound
    source = ", ".join(dict.fromkeys(lone.fsync_latency[log].source for log in waited))
    return FsyncCeiling(bound.demand_ms, bound.longest_ms, bound.fsyncs, source)


def _anatomy(point: Point, lone: Point | None) -> anatomy.Anatomy | NotComputable:
    if lone is None:
        return NotComputable("One thread alone was not measured: how many flushes a commit waits for is not known.")
    counted = {log: found.value for log in LOGS if (found := lone.fsyncs_of(log))}
    if not counted:
        return NotComputable("No source counted the fsyncs.")
    series = {log: each for log, each in counted.items() if each >= ceiling.LONE}
    if not series:
        return NotComputable("A commit does not wait for an fsync.")
    if any(point.fsync_ms(log) is None for log in series):
        return NotComputable(UNTIMED)
    flushes = {log: anatomy.FlushCost(each, point.fsync_ms(log) or 0) for log, each in series.items()}
    waited = point.group_wait_ms
    led = LED.get(waited.source.partition(":")[2]) if waited else None
    answered = point.replica_wait_ms if (lone.replica_waits or 0.0) >= ceiling.LONE else None
    return anatomy.anatomy(
        point.threads,
        point.tps,
        flushes,
        waited.value if waited else None,
        led,
        answered.value if answered else None,
    )


@dataclass(frozen=True)
class DeviceModel:
    """`storage` "" is the disk of the worker's host. `ways`: append and overwrite."""

    server_id: int
    storage: str
    ways: Mapping[str, fsync_model.FsyncModel | NotComputable]


def devices(probed: Iterable[ProbedDevice]) -> tuple[DeviceModel, ...]:
    """In the order of the probes: the last sweep of each device."""
    swept = {(one.server_id, one.storage): one.sweep for one in probed if one.sweep}
    return tuple(DeviceModel(server, storage, _ways(sweep)) for (server, storage), sweep in swept.items())


def _ways(sweep: Sequence[SweepPoint]) -> dict[str, fsync_model.FsyncModel | NotComputable]:
    times = grouped((one.way, fsync_model.SizeSample(one.size_bytes, one.times_ms)) for one in sweep)
    return {way: fsync_model.fit(points) for way, points in times.items()}
