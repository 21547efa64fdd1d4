"""What a plan's trials can do: crash kinds for a server alone, faults for a topology."""

from collections.abc import Iterator, Mapping

from workers.bench.plan import Plan
from workers.crash.checks import CHECKS as CRASH_CHECKS
from workers.crash.kinds import CRASH_KINDS
from workers.crash.kinds.kind import CrashKind
from workers.crash.points.story import HISTORY
from workers.topology.checks import CHECKS as FAILOVER_CHECKS
from workers.topology.faults import FAULTS, Fault


class _TrialKinds(Mapping[str, CrashKind | Fault]):
    """Lists the crash kinds and the named faults, and also finds faults of sets of nodes."""

    def __getitem__(self, key: str) -> CrashKind | Fault:
        return CRASH_KINDS[key] if key in CRASH_KINDS else FAULTS[key]

    def __iter__(self) -> Iterator[str]:
        return iter((*CRASH_KINDS, *FAULTS))

    def __len__(self) -> int:
        return len(CRASH_KINDS) + len(FAULTS)


TRIAL_KINDS: Mapping[str, CrashKind | Fault] = _TrialKinds()
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
    HISTORY: "Tables, rows and binary log as the server had answered",
}


def needs_as(kind: str) -> str:
    """The listed kind that needs the same of a host."""
    fault = FAULTS.get(kind)
    by_nodes = fault and (fault.primary_needs_disk or fault.replicas_need_disk) and kind not in set(FAULTS)
    return "total-power-loss" if by_nodes else kind


def all_kinds(plan: Plan) -> tuple[str, ...]:
    """Every kind that the plan's trials on sandboxes need, controls included, each once."""
    controls = [kind for _, kind in plan.controls()] if plan.crash.control_trials else []
    return tuple(dict.fromkeys((*plan.crash.kinds, *controls)))
