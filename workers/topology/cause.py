"""Why acknowledged commits were lost in a failover: one sentence from the topology, the fault and the policy."""

from collections.abc import Callable

from workers.servers.settings import switch
from workers.topology.faults import FAULTS
from workers.topology.setup_and_result import FailoverSetup, SemiSyncCounters
from workers.topology.topology import CLUSTERS

Applies = Callable[[FailoverSetup, SemiSyncCounters | None], bool]


def because(setup: FailoverSetup, counters: SemiSyncCounters | None) -> str:
    """The first rule that applies; "" when none does."""
    return next((says for applies, says in RULES if applies(setup, counters)), "")


def seen_because(setup: FailoverSetup) -> str:
    """Why others read commits that nobody had acknowledged and that were then gone; "" when no rule applies."""
    if setup.topology.kind == "semi-sync" and setup.topology.wait_point == "AFTER_COMMIT":
        return (
            "The primary commits before it waits for a replica (AFTER_COMMIT), so others read commits that no replica "
            "had received."
        )
    if setup.topology.kind in CLUSTERS and _all_down(setup):
        return "InnoDB shows a commit to others before the commit is flushed."
    return ""


def _fell_back(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return counters is not None and counters.not_acknowledged > 0


def _unfenced(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return not setup.policy.fence and not FAULTS[setup.fault].primary_down


def _asynchronous(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return setup.topology.kind == "async" and not FAULTS[setup.fault].of_replica


def _relay_log_dropped_by_order(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return not setup.topology.applying and setup.policy.relay_log == "stop receiving, then apply"


def _relay_log_dropped_at_start(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return not setup.topology.applying and FAULTS[setup.fault].replicas_down


def _truncated_at_start(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return setup.policy.promote == "nobody" and setup.topology.both_halves


def _relay_log_not_flushed(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return FAULTS[setup.fault].replicas_need_disk and FAULTS[setup.fault].primary_down


def _all_down(setup: FailoverSetup) -> bool:
    return FAULTS[setup.fault].primary_down and FAULTS[setup.fault].replicas_down


def _other_replica_answered(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    """Commits wait for some of the replicas only, and the policy promotes one whatever it has received."""
    topology = setup.topology
    some = topology.kind == "semi-sync" and topology.acknowledgements < topology.replicas
    return some and setup.policy.promote in ("first", "named", "most executed") and FAULTS[setup.fault].primary_down


def _answering_replica_struck(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    topology, fault = setup.topology, FAULTS[setup.fault]
    struck = sum(fault.ends(replica) for replica in range(1, topology.replicas + 1))
    enough = topology.acknowledgements <= struck < topology.replicas
    return topology.kind == "semi-sync" and fault.primary_down and enough


def _galera_not_flushed(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    """Where one node flushes, it has what it applied. The bootstrapped node then decides, unless it was the best."""
    nodes = [setup.settings, *({**setup.settings, **own} for own in setup.topology.settings_of_each)]
    flushed = [own.get("innodb_flush_log_at_trx_commit", "1") == "1" for own in nodes]
    best = setup.policy.promote == "most received" or not any(flushed)
    return setup.topology.kind == "galera" and not all(flushed) and best and _all_down(setup)


def _bootstrapped_behind(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return setup.topology.kind in CLUSTERS and setup.policy.promote in ("first", "named") and _all_down(setup)


def _majority_in_memory(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return setup.topology.kind == "group-replication" and FAULTS[setup.fault].replicas_need_disk


def _position_in_binlog(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    mysql = FAULTS[setup.fault].of_replica and setup.build.flavour == "mysql"
    return mysql and setup.topology.position == "gtid"


def _prepared_in_any_order(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    """Reproduced with the evidence of recovery: docs/research/topology.md, replica-crash. Followers apply in 16
    threads (workers/crash/dialects)."""
    fault = FAULTS[setup.fault]
    own = {**setup.settings, **setup.topology.settings_of(fault.judged)}
    by_gtid = fault.of_replica and setup.topology.position == "gtid"
    parallel = own.get("slave_parallel_threads", "16") not in ("0", "1")
    unflushed = own.get("innodb_flush_log_at_trx_commit", "1") != "1"
    return by_gtid and parallel and unflushed and switch(own.get("log_slave_updates", "ON")) == "ON"


def _position_in_file(setup: FailoverSetup, counters: SemiSyncCounters | None) -> bool:
    return FAULTS[setup.fault].of_replica and setup.topology.position == "file"


FELL_BACK = "Semi-synchronous replication had fallen back to asynchronous: replicas did not answer in time."
RULES: tuple[tuple[Applies, str], ...] = (
    (
        _position_in_binlog,
        "MySQL finds the position of a replica in the replica's own binlog (gtid_executed). After the crash binlog and "
        "InnoDB did not hold the same transactions.",
    ),
    (
        _position_in_file,
        "The replica keeps its position in a file that is not written together with the rows. After the crash it was "
        "ahead of the rows or behind them.",
    ),
    (
        _prepared_in_any_order,
        "Parallel threads had prepared transactions in another order than they commit. Recovery committed those that "
        "were prepared and in the replica's binlog, and the position is that of the last one: earlier ones are "
        "missing.",
    ),
    (
        _galera_not_flushed,
        "All nodes went down before any had flushed the commits that it had acknowledged "
        "(innodb_flush_log_at_trx_commit).",
    ),
    (_bootstrapped_behind, "The policy named the node that was bootstrapped, and another node held more commits."),
    (
        _majority_in_memory,
        "A majority had received the commits in memory only. Only the primary had written them to its disk.",
    ),
    (_unfenced, "The old primary was not shut off: it acknowledged commits that the new primary never received."),
    (
        _relay_log_dropped_by_order,
        "The replica stopped receiving before it applied. When it started to apply, it dropped its relay log.",
    ),
    (
        _relay_log_dropped_at_start,
        "The replica had received the commits and not applied them. When it started again, it dropped its relay log.",
    ),
    (
        _truncated_at_start,
        "The primary started again with the replica's half of semi-synchronous replication on: some versions of "
        "MariaDB then roll back commits that the engine had not flushed, although a replica has them.",
    ),
    (_asynchronous, "The primary acknowledged commits that no replica had received yet (asynchronous replication)."),
    (_fell_back, FELL_BACK),
    (
        _relay_log_not_flushed,
        "The replica acknowledged commits that were in its relay log, and its relay log was not flushed "
        "(sync_relay_log).",
    ),
    (
        _other_replica_answered,
        "The policy promotes a replica whatever it has received, and other replicas had acknowledged the commits.",
    ),
    (
        _answering_replica_struck,
        "The fault struck the replicas that had acknowledged the commits, and another replica was promoted.",
    ),
)
