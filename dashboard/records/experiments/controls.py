"""How many control trials test the crash checks: one rule for form, API, recipes and demo.

The verdict of a control is known before: a lying disk must lose commits, a graceful restart must not.
"""

from collections.abc import Iterable

from dashboard.records.experiments import queries
from dashboard.records.servers.models import Server
from workers.bench.plan import CRASH_CONTROLS

USUAL = 3  # at most


def usual(trials: int, servers: Iterable[Server], named: int | None = None) -> int:
    """Trials of each control if the plan does not say: the number in the recipe, else one for each trial, at most 3. 0
    if no living worker of the servers' site can do a control; the result then says that the checks were not
    self-tested."""
    missing = queries.crash_missing(servers)
    if any(control in missing for control in CRASH_CONTROLS):
        return 0
    return min(trials, USUAL) if named is None else named
