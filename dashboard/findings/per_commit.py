"""Fsyncs per commit and commits per group of a point, from the figures of sources. A figure is not available if a run
of the point lacks it, or if the runs have it from different sources."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dashboard.findings.point import FsyncHistogram, RunFigures, SourcedFigure

FSYNCS = {
    "redo": "redo_fsyncs",
    "binlog": "binlog_fsyncs",
    "data": "data_fsyncs",
    "redo and data": "redo_and_data_fsyncs",
    "all files": "all_fsyncs",
}
FILES = {"redo": "redo log", "binlog": "binary log"}  # as pages name them, where another name is needed
Runs = Sequence[RunFigures]


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
