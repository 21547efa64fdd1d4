"""Contradictions between the sources of a point about its fsyncs: see workers.analysis.contradiction."""

from collections.abc import Sequence

from dashboard.findings import per_commit
from dashboard.findings.flushing import is_durable
from dashboard.findings.point import Contradiction, RunFigure
from dashboard.findings.points import MeasuredRun
from workers.analysis.contradiction import FlushReports, contradictions, of_commit

# Class of files -> its name, and the figures whose sum counts it: the first sum that a source has.
LOGS = {
    "redo": ("redo log", (("redo_fsyncs",),)),
    "binlog": ("binlog", (("binlog_fsyncs",),)),
    # Some servers do not separate them.
    "redo and data": ("redo log and data files", (("redo_and_data_fsyncs",), ("redo_fsyncs", "data_fsyncs"))),
}


def of_runs(runs: Sequence[MeasuredRun], threads: int) -> tuple[Contradiction, ...]:
    """For each class of files and for the commits, over all runs of the point."""
    committed = per_commit.commits(runs)
    if not committed or not committed.value:
        return ()
    timed = per_commit.fsync_latency(runs)
    device_ms = min((run.probe_p50_ms for run in runs if run.probe_p50_ms), default=None)
    said = []
    for files, (name, _) in LOGS.items():
        mean_ms = timed[files].mean_ms if files in timed else None
        reports = FlushReports(counts([run.figures for run in runs], files), committed.value, mean_ms, device_ms)
        said += [(files, says) for says in contradictions(name, reports)]
    own = per_commit.own_commits(runs)
    if own and all(is_durable(run.effective) for run in runs):
        commit_ms = 1000 * threads * sum(run.elapsed_s for run in runs) / own
        said.append(("commits", of_commit(commit_ms, device_ms)))
    return tuple(Contradiction(files, says) for files, says in said if says)


def counts(read: Sequence[Sequence[RunFigure]], files: str) -> dict[str, float]:
    """Source -> its sum over the runs, for sources that every run has. `read`: the figures of each run."""
    each = [_by_origin(figures, LOGS[files][1]) for figures in read]
    return {origin: sum(one[origin] for one in each) for origin in each[0] if all(origin in one for one in each)}


def _by_origin(figures: Sequence[RunFigure], sums: Sequence[Sequence[str]]) -> dict[str, float]:
    """`trace:fsync` names all figures of a source, `status:Syncs` one of them, so they are added by kind."""
    found: dict[str, float] = {}
    for kind in dict.fromkeys(one.source.partition(":")[0] for one in figures):
        own = {
            one.name: (one.source, one.value)
            for one in figures
            if one.source.startswith(f"{kind}:") and one.value is not None
        }
        names = next((names for names in sums if all(name in own for name in names)), ())
        if names:
            origin = " + ".join(dict.fromkeys(own[name][0] for name in names))
            found[origin] = sum(own[name][1] for name in names)
    return found
