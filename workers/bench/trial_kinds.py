"""What a plan's trials can do: crash kinds for a server alone, faults for a topology."""

from collections.abc import Mapping

from workers.bench.plan import CONTROLS, Plan
from workers.crash.checks import CHECKS as CRASH_CHECKS
from workers.crash.kinds import CRASH_KINDS
from workers.crash.kinds.kind import CrashKind
from workers.crash.points.story import HISTORY
from workers.topology.checks import CHECKS as FAILOVER_CHECKS
from workers.topology.faults import FAULTS, Fault

TRIAL_KINDS: Mapping[str, CrashKind | Fault] = {**CRASH_KINDS, **FAULTS}
# A power loss of the server, or of a whole topology.
POWER_LOSSES = {
    *(key for key, kind in CRASH_KINDS.items() if kind.cuts_power),
    *(key for key, fault in FAULTS.items() if fault.primary_needs_disk and fault.replicas_need_disk),
}
# The crash of a server, and that of the primary of a topology: the same thing happens to the server of the clients.
TWIN_IN_A_TOPOLOGY = {"power-loss": "primary-power-loss", "process-kill": "primary-kill"}
CHECK_TITLES: Mapping[str, str] = {
    **{key: check.title for key, check in CRASH_CHECKS.items()},
    **{key: check.title for key, check in FAILOVER_CHECKS.items()},
    HISTORY: "Tables, rows and binary log as answered",
}


def all_kinds(plan: Plan) -> tuple[str, ...]:
    """Every kind that the plan's trials on sandboxes need, controls included, each once."""
    controls = CONTROLS if plan.crash.control_trials else ()
    wanted = (
        *plan.crash.kinds,
        *(control for control in controls if any((control in FAULTS) == bool(one.topology) for one in plan.variants)),
    )
    return tuple(dict.fromkeys(wanted))
