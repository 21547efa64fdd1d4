"""The server's host during the load of a point: the mean of each figure over all measured seconds of its runs."""

from collections.abc import Sequence

from dashboard.findings import per_commit
from dashboard.findings.points import MeasuredRun

PER_SECOND = ("cpu_s", "disk_writes", "disk_flushes", "disk_written_bytes", "disk_busy_ms")
QUEUE = "run_queue"  # each run stores its mean


def of_runs(runs: Sequence[MeasuredRun]) -> dict[str, float]:
    """By figure. A figure that a run lacks is left out."""
    seconds = sum(run.elapsed_s for run in runs)
    over = {name: seconds for name in PER_SECOND} | {QUEUE: len(runs)}
    found = ((name, per_commit.total(runs, name), n) for name, n in over.items())
    return {name: summed.value / n for name, summed, n in found if summed and n}
