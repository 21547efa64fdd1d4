"""A figure per commit with its 95 % interval.

The value is that of the result page (dashboard.findings.per_commit): a ratio of two sums. The interval comes from the
seconds. Both counts rise and fall together, so the distance of each second from the ratio varies. This distance is
linearised (Cochran 1977, Sampling Techniques, 2.11) and goes through `statistics.mean_tps`. A figure that was never
counted is 0 of n commits; its bound is the exact binomial interval.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from dashboard.findings import per_commit
from dashboard.findings.points import MeasuredRun
from workers.analysis import binomial, statistics
from workers.analysis.blocks import Sample
from workers.analysis.statistics import Estimate
from workers.analysis.student import Floats

Runs = Sequence[MeasuredRun]
CLASSES = {"redo fsyncs per commit": ("redo", "redo and data"), "binlog fsyncs per commit": ("binlog",)}


def estimate(runs: Runs, figure: str) -> Estimate | None:
    """None if no source counted it."""
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
    commits = per_commit.commits(runs)
    if commits is None:
        return None
    if not known[found].value:
        return Estimate(0.0, 0.0, binomial.interval(0, int(commits.value))[1])
    per = "tps" if commits.source == "sysbench" else "commits"
    return _spread(known[found].value, runs, per_commit.FSYNCS[found], per)


def _no_binlog(runs: Runs) -> Estimate | None:
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


def _group(runs: Runs) -> Estimate | None:
    known = per_commit.commits_per_group(runs)
    if known is None:
        return None
    return _spread(known.value, runs, "binlog_commits", "binlog_groups")


def _spread(value: float, runs: Runs, of: str, to: str) -> Estimate:
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
