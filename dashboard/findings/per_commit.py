"""Fsyncs per commit and commits per group of a point, from the figures that sources read. Nothing is guessed:
a figure that some run of the point lacks, or that its runs have from different sources, is not available."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dashboard.findings.point import FsyncLatency, Reading

FSYNCS = {
    "redo": "redo_fsyncs",
    "binlog": "binlog_fsyncs",
    "data": "data_fsyncs",
    "redo and data": "redo_and_data_fsyncs",
    "all files": "all_fsyncs",
}
Runs = Sequence[Mapping[str, Any]]


def total(runs: Runs, name: str) -> Reading | None:
    """Sum of a figure over runs; the best source that every run has."""
    readings = [[f for f in run["figures"] if f["name"] == name and f["value"] is not None] for run in runs]
    for candidate in readings[0] if readings else []:
        same = [next((f for f in one if f["source"] == candidate["source"]), None) for one in readings]
        if None not in same:
            return Reading(sum(f["value"] for f in same if f), candidate["source"], candidate.get("note", ""))
    return None


def commits(runs: Runs) -> Reading | None:
    """Commits of the measured window: the server's own count where a source has it, else sysbench's, if those are
    commits; None where nobody counted them."""
    counted = total(runs, "commits")
    if counted and counted.value:
        return counted
    if any(run.get("counts", "commits") != "commits" for run in runs):
        return None
    return Reading(sum(run["transactions"] for run in runs), "sysbench")


def fsyncs_per_commit(runs: Runs) -> dict[str, Reading]:
    """By class of files, only what is known. Classes that a server cannot tell apart, and the count of all files, are
    left out where the finer figures are known."""
    committed = commits(runs)
    if not committed or not committed.value:
        return {}
    found = {name: sums for name, figure in FSYNCS.items() if (sums := total(runs, figure))}
    if "redo" in found:
        found.pop("redo and data", None)
    if set(found) - {"all files"}:
        found.pop("all files", None)
    return {name: replace(sums, value=sums.value / committed.value) for name, sums in found.items()}


def commits_per_group(runs: Runs) -> Reading | None:
    """Transactions per binlog group; None where no source counts groups, or none was written."""
    written, groups = total(runs, "binlog_commits"), total(runs, "binlog_groups")
    if not written or not groups or not groups.value:
        return None
    sources = ", ".join(dict.fromkeys((written.source, groups.source)))
    return Reading(written.value / groups.value, sources, groups.note or written.note)


def group_wait_ms(runs: Runs) -> Reading | None:
    """What a commit waits for the leader of its group; None where nobody tells."""
    committed, waited = commits(runs), total(runs, "group_wait_ms")
    return replace(waited, value=waited.value / committed.value) if committed and committed.value and waited else None


def missing(runs: Runs) -> list[str]:
    """Why sources had nothing to say, each reason once."""
    reasons = [f"{f['source']}: {f['note']}" for run in runs for f in run["figures"] if f["value"] is None]
    if commits(runs) is None:
        reasons.append(f"per commit: sysbench counts {runs[0]['counts']} here, and the server counts no commits")
    return list(dict.fromkeys(reasons))


def fsync_latency(runs: Runs) -> dict[str, FsyncLatency]:
    """By class of files, runs added up; the best source that all have."""
    answer: dict[str, FsyncLatency] = {}
    for files in _file_classes(runs):
        readings = [[one for one in run["latencies"] if one["files"] == files] for run in runs]
        for candidate in readings[0]:
            same = [next((o for o in one if o["source"] == candidate["source"]), None) for one in readings]
            if None not in same:
                answer[files] = _added(candidate["source"], [one for one in same if one])
                break
    return answer


def _file_classes(runs: Runs) -> Iterable[str]:
    return dict.fromkeys(one["files"] for run in runs for one in run["latencies"])


def _added(source: str, parts: Sequence[Mapping[str, Any]]) -> FsyncLatency:
    buckets: dict[str, int] = {}
    for part in parts:
        for edge, calls in part["buckets"].items():
            buckets[str(edge)] = buckets.get(str(edge), 0) + calls
    return FsyncLatency(
        source=source,
        calls=sum(part["calls"] for part in parts),
        total_ms=sum(part["total_ms"] for part in parts),
        max_ms=max(part["max_ms"] for part in parts),
        buckets=dict(sorted(buckets.items(), key=lambda item: int(item[0]))),
    )
