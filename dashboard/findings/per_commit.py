"""Fsyncs per commit and commits per group of a point, from the figures of sources. A figure is not available if a run
of the point lacks it, or if the runs have it from different sources.

A value is a ratio of two sums. Its 95 % interval comes from the seconds. Both counts rise and fall together, so the
distance of each second from the ratio varies. This distance is linearised (Cochran 1977, Sampling Techniques, 2.11) and
goes through `statistics.mean_tps`. A figure that was never counted is 0 of n commits; its bound is the exact binomial
interval.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dashboard.findings.point import FsyncHistogram, RunFigures, SourcedFigure
from dashboard.findings.points import MeasuredRun
from workers.analysis import binomial, statistics
from workers.analysis.blocks import Sample
from workers.analysis.statistics import Estimate
from workers.analysis.student import Floats

FSYNCS = {
    "redo": "redo_fsyncs",
    "binlog": "binlog_fsyncs",
    "data": "data_fsyncs",
    "redo and data": "redo_and_data_fsyncs",
    "all files": "all_fsyncs",
}
FILES = {"redo": "redo log", "binlog": "binary log"}  # as pages name them, where another name is needed
CLASSES = {"redo fsyncs per commit": ("redo", "redo and data"), "binlog fsyncs per commit": ("binlog",)}
Runs = Sequence[RunFigures]
Measured = Sequence[MeasuredRun]


def total(runs: Runs, name: str) -> SourcedFigure | None:
    """Sum of a figure over runs, from the best source that every run has."""
    each = [_told(run, name) for run in runs]
    source = _in_every(each)
    if source is None:
        return None
    return SourcedFigure(sum(one[source][0] for one in each), source, each[0][source][1])


def _told(run: RunFigures, name: str) -> dict[str, tuple[float, str]]:
    """Source -> value and note, the best source first."""
    found: dict[str, tuple[float, str]] = {}
    for one in run.figures:
        if one.name == name and one.value is not None:
            found.setdefault(one.source, (one.value, one.note))
    return found


def _in_every(each: Sequence[Mapping[str, object]]) -> str | None:
    return next((source for source in each[0] if all(source in one for one in each)), None) if each else None


def commits(runs: Runs) -> SourcedFigure | None:
    """Commits of the measured time: the server's own count if a source has it, else sysbench's, if its transactions are
    commits. None if no source counted them."""
    counted = total(runs, "commits")
    if counted and counted.value:
        return counted
    own = own_commits(runs)
    return None if own is None else SourcedFigure(own, "sysbench")


def own_commits(runs: Runs) -> int | None:
    """Commits of sysbench alone: an attached server also counts those of other clients. None: its transactions are not
    commits."""
    return None if any(run.counts != "commits" for run in runs) else sum(run.transactions for run in runs)


def fsyncs_per_commit(runs: Runs) -> dict[str, SourcedFigure]:
    """By class of files, known ones only. Combined classes and the count of all files are left out if finer figures are
    known."""
    committed = commits(runs)
    if not committed or not committed.value:
        return {}
    found = {name: sums for name, figure in FSYNCS.items() if (sums := total(runs, figure))}
    if "redo" in found:
        found.pop("redo and data", None)
    if set(found) - {"all files"}:
        found.pop("all files", None)
    return {name: replace(sums, value=sums.value / committed.value) for name, sums in found.items()}


def commits_per_group(runs: Runs) -> SourcedFigure | None:
    """Transactions per binlog group; None if no source counts groups, or none was written."""
    written, groups = total(runs, "binlog_commits"), total(runs, "binlog_groups")
    if not written or not groups or not groups.value:
        return None
    sources = ", ".join(dict.fromkeys((written.source, groups.source)))
    return SourcedFigure(written.value / groups.value, sources, groups.note or written.note)


def group_wait_ms(runs: Runs) -> SourcedFigure | None:
    """How long a commit waits for the leader of its group; None if no source timed it."""
    committed, waited = commits(runs), total(runs, "group_wait_ms")
    return replace(waited, value=waited.value / committed.value) if committed and committed.value and waited else None


def replica_waits(runs: Runs) -> float | None:
    """Waits of a commit for the answer of a replica; a group of commits may wait once."""
    committed, waits = commits(runs), total(runs, "replica_waits")
    return waits.value / committed.value if committed and committed.value and waits else None


def replica_wait_ms(runs: Runs) -> SourcedFigure | None:
    """The mean of these waits. All commits of a group wait as long as the one that waits for them."""
    waits, waited = total(runs, "replica_waits"), total(runs, "replica_wait_ms")
    return replace(waited, value=waited.value / waits.value) if waits and waits.value and waited else None


def missing(runs: Runs) -> list[str]:
    """Why sources have no value, without duplicates."""
    reasons = [f"{one.source}: {one.note}" for run in runs for one in run.figures if one.value is None]
    if commits(runs) is None:
        reasons.append(f"per commit: sysbench counts {runs[0].counts} here, and the server counts no commits")
    return list(dict.fromkeys(reasons))


def fsync_latency(runs: Runs) -> dict[str, FsyncHistogram]:
    """By class of files, summed over runs, from the best source that every run has."""
    found: dict[str, FsyncHistogram] = {}
    for files in dict.fromkeys(one.files for run in runs for one in run.latencies):
        each = [{one.source: one for one in run.latencies if one.files == files} for run in runs]
        best = _in_every(each)
        if best is not None:
            found[files] = _added(best, [one[best] for one in each])
    return found


def _added(source: str, parts: Sequence[FsyncHistogram]) -> FsyncHistogram:
    buckets = Counter[str]()
    for part in parts:
        buckets.update(part.buckets)
    return FsyncHistogram(
        source=source,
        calls=sum(part.calls for part in parts),
        total_ms=sum(part.total_ms for part in parts),
        max_ms=max(part.max_ms for part in parts),
        buckets=dict(sorted(buckets.items(), key=lambda item: int(item[0]))),
    )


def estimate(runs: Measured, figure: str) -> Estimate | None:
    """With its interval. None: no source counted it."""
    if figure == "commits per group":
        found = commits_per_group(runs)
        return _spread(found.value, runs, "binlog_commits", "binlog_groups") if found else None
    if figure in CLASSES:
        return _of_class(runs, CLASSES[figure])
    redo, binlog = (_of_class(runs, classes) for classes in CLASSES.values())
    return _sum(redo, binlog or _no_binlog(runs))


def _of_class(runs: Measured, classes: Sequence[str]) -> Estimate | None:
    known, committed = fsyncs_per_commit(runs), commits(runs)
    found = next((one for one in classes if one in known), None)
    if found is None or committed is None:
        return None
    if not known[found].value:
        return Estimate(0.0, 0.0, binomial.interval(0, int(committed.value))[1])
    per = "tps" if committed.source == "sysbench" else "commits"
    return _spread(known[found].value, runs, FSYNCS[found], per)


def _no_binlog(runs: Measured) -> Estimate | None:
    """0 fsyncs, if the server reported in every run that its binlog is off."""
    off = all(str(run.effective.get("log_bin", "")).upper() in ("OFF", "0") for run in runs)
    return Estimate(0.0, 0.0, 0.0) if runs and off else None


def _sum(one: Estimate | None, other: Estimate | None) -> Estimate | None:
    """The ends are added: the interval is at least as wide as needed."""
    if one is None or other is None:
        return None
    if None in (one.lo, one.hi, other.lo, other.hi):
        return Estimate(one.value + other.value)
    return Estimate(one.value + other.value, one.lo + other.lo, one.hi + other.hi)  # type: ignore[operator]


def _spread(value: float, runs: Measured, of: str, to: str) -> Estimate:
    """The value with the interval from the seconds of the two columns; without one if a run has no such seconds."""
    pairs = {(run.experiment_id, run.block): _pair(run.columns, of, to) for run in runs}
    if not pairs or not all(rates.size for _, rates in pairs.values()):
        return Estimate(value)
    mean = float(np.concatenate([rates for _, rates in pairs.values()]).mean())
    if not mean > 0:
        return Estimate(value)
    linear: Sample = {key: value + (counts - value * rates) / mean for key, (counts, rates) in pairs.items()}
    around = statistics.mean_tps(linear)
    if around is None or around.lo is None or around.hi is None:
        return Estimate(value)
    return Estimate(value, max(0.0, value + around.lo - around.value), value + around.hi - around.value)


def _pair(columns: Mapping[str, Sequence[float | None]], of: str, to: str) -> tuple[Floats, Floats]:
    """Both columns, for the seconds that both have."""
    one, other = (np.asarray(columns.get(name) or (), dtype=float) for name in (of, to))
    seconds = min(one.size, other.size)
    known = np.isfinite(one[:seconds]) & np.isfinite(other[:seconds])
    return one[:seconds][known], other[:seconds][known]
