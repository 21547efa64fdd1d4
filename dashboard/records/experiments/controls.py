"""How many trials test the crash checks themselves: one rule for the form, the API, recipes and the demo.

A control is a crash whose verdict is known before: a lying disk must lose commits, a graceful restart must not.
"""

from dashboard.records.experiments import queries
from workers.bench.plan import CRASH_CONTROLS

USUAL = 3  # at most


def usual(trials: int, named: int | None = None) -> int:
    """Of each control, where the plan leaves it open: the number that its recipe names, else as many as there are
    trials, at most 3. None where no living worker can do a control; the result then says that the checks were not
    tested."""
    missing = queries.crash_missing()
    if any(control in missing for control in CRASH_CONTROLS):
        return 0
    return min(trials, USUAL) if named is None else named
