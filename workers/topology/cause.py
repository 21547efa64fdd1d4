"""Why acknowledged commits were lost in a failover: one sentence from the topology, the fault and the policy."""

from collections.abc import Callable

from workers.topology.faults import FAULTS
from workers.topology.setup_and_result import FailoverSetup, SemiSyncCounters

Applies = Callable[[FailoverSetup, SemiSyncCounters | None], bool]


def because(setup: FailoverSetup, counters: SemiSyncCounters | None) -> str:
    """The first rule that applies; "" when none does."""
    return next((says for applies, says in RULES if applies(setup, counters)), "")


def _fell_back(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return counters is not None and counters.not_acknowledged > 0


def _unfenced(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return not setup.policy.fence and not FAULTS[setup.fault].primary_down


def _asynchronous(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return setup.topology.kind == "async"


def _relay_log_dropped_by_order(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return not setup.topology.applying and setup.policy.relay_log == "stop receiving, then apply"


def _relay_log_dropped_at_start(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return not setup.topology.applying and FAULTS[setup.fault].replicas_down


def _relay_log_not_flushed(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return FAULTS[setup.fault].replicas_need_disk


RULES: tuple[tuple[Applies, str], ...] = (
    (_unfenced, "The old primary was not shut off: it acknowledged commits that the new primary never received."),
    (
        _relay_log_dropped_by_order,
        "The replica stopped receiving before it applied. When it started to apply, it dropped its relay log.",
    ),
    (
        _relay_log_dropped_at_start,
        "The replica had received the commits and not applied them. When it started again, it dropped its relay log.",
    ),
    (_asynchronous, "The primary acknowledged commits that no replica had received yet (asynchronous replication)."),
    (
        _fell_back,
        "Semi-synchronous replication had fallen back to asynchronous: replicas did not answer in time.",
    ),
    (
        _relay_log_not_flushed,
        "The replica acknowledged commits that were in its relay log, and its relay log was not flushed "
        "(sync_relay_log).",
    ),
)
