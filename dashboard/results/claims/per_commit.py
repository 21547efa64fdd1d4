"""A figure per commit with its 95 % interval.

The value is the one that the result page shows (dashboard.results.per_commit). The interval comes from the seconds: the
figure's rate over the rate of commits, by the bootstrap that ratios of throughput go through. It treats the two as
independent although they rise and fall together, so it is rather too wide than too narrow. A figure that no second
saw is 0 of so many commits: at most what the rule of three gives.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.results import per_commit
from workers.analysis import binomial, statistics
from workers.analysis.blocks import Sample, sample
from workers.analysis.statistics import Estimate

Runs = Sequence[Mapping[str, Any]]
CLASSES = {"redo fsyncs per commit": ("redo", "redo and data"), "binlog fsyncs per commit": ("binlog",)}


def estimate(runs: Runs, figure: str) -> Estimate | None:
    """None where no source can tell."""
    if figure == "commits per group":
        return _group(runs)
    if figure in CLASSES:
        return _of_class(runs, CLASSES[figure])
    parts = [_of_class(runs, classes) for classes in CLASSES.values()]
    return _sum(parts[0], parts[1] or _no_binlog(runs))


def _of_class(runs: Runs, classes: Sequence[str]) -> Estimate | None:
    known = per_commit.fsyncs_per_commit(runs)
    found = next((one for one in classes if one in known), None)
    if found is None:
        return None
    rates = _rates(runs, per_commit.FSYNCS[found])
    return _spread(known[found]["value"], rates, _rates(runs, "tps"), per_commit.commits(runs)["value"])


def _no_binlog(runs: Runs) -> Estimate | None:
    """A server whose binlog is off makes no fsync of it: as the server itself reported, in every run."""
    off = all(str((run.get("effective") or {}).get("log_bin", "")).upper() in ("OFF", "0") for run in runs)
    return Estimate(0.0, 0.0, 0.0) if runs and off else None


def _sum(one: Estimate | None, other: Estimate | None) -> Estimate | None:
    """Ends added to ends: at least as wide as it must be."""
    if one is None or other is None:
        return None
    if None in (one.lo, one.hi, other.lo, other.hi):
        return Estimate(one.value + other.value)
    return Estimate(one.value + other.value, one.lo + other.lo, one.hi + other.hi)  # type: ignore[operator]


def _group(runs: Runs) -> Estimate | None:
    known = per_commit.commits_per_group(runs)
    if known is None:
        return None
    written, groups = _rates(runs, "binlog_commits"), _rates(runs, "binlog_groups")
    return _spread(known["value"], written, groups, 0)


def _rates(runs: Runs, name: str) -> Sample:
    """Block -> the figure's rate of each second; empty where a run has no such seconds."""
    series = {(run["experiment_id"], run["block"]): (run["columns"] or {}).get(name) for run in runs}
    return sample({key: one for key, one in series.items()}) if all(series.values()) else {}


def _spread(value: float, of: Sample, to: Sample, commits: float) -> Estimate:
    """The value with the relative interval of the seconds."""
    if value == 0 and commits:
        return Estimate(0.0, 0.0, binomial.interval(0, int(commits))[1])
    found = statistics.ratio(of, to) if of and to else None
    if found is None or found.lo is None or found.hi is None or not found.value:
        return Estimate(value)
    return Estimate(value, value * found.lo / found.value, value * found.hi / found.value)
