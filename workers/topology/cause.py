"""Why acknowledged commits were lost in a failover: one sentence from the topology, the fault and the policy."""

from collections.abc import Mapping

from workers.servers.settings import switch
from workers.topology.faults import FAULTS, Fault
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import CLUSTERS

FELL_BACK = "Semi-synchronous replication had fallen back to asynchronous: replicas did not answer in time."


def because(setup: FailoverSetup, fell_back: bool, nowhere: bool | None) -> str:
    """The first sentence that applies; "" when none does. See `rules`."""
    return next((says for says, applies in rules(setup, fell_back, nowhere).items() if applies), "")


def seen_because(setup: FailoverSetup) -> str:
    """Why others read commits that nobody had acknowledged and that were then gone; "" when no rule applies."""
    if setup.topology.kind == "semi-sync" and setup.topology.wait_point == "AFTER_COMMIT" and not in_place(setup):
        return (
            "The primary commits before it waits for a replica (AFTER_COMMIT), so others read commits that no replica "
            "had received."
        )
    if setup.topology.kind in CLUSTERS and _all_down(FAULTS[setup.fault]):
        return "InnoDB shows a commit to others before the commit is flushed."
    return ""


def in_place(setup: FailoverSetup) -> bool:
    """No replica takes over: the primary goes on with what it holds itself."""
    return setup.policy.promote == "nobody" and FAULTS[setup.fault].primary_down


def rules(setup: FailoverSetup, fell_back: bool, nowhere: bool | None) -> dict[str, bool]:
    """Each sentence, and whether it applies. The first one that applies is told.

    `fell_back`: semi-synchronous replication went on without an answer of a replica, or may have. `nowhere`: whether a
    lost commit is on no other replica; None: not known, because a replica could not be read."""
    topology, policy, fault = setup.topology, setup.policy, FAULTS[setup.fault]
    position = topology.position if fault.of_replica else ""
    semi_sync, all_down, takes_over = topology.kind == "semi-sync", _all_down(fault), not in_place(setup)
    follows = topology.kind not in CLUSTERS
    struck = sum(fault.ends(replica) for replica in range(1, topology.replicas + 1))
    return {
        "MySQL finds the position of a replica in the replica's own binary log (gtid_executed). After the crash binary "
        "log and InnoDB did not hold the same transactions.": position == "gtid" and setup.build.flavour == "mysql",
        "The replica keeps its position in a file that is not written together with the rows. After the crash it was "
        "ahead of the rows or behind them.": position == "file",
        "Parallel threads had prepared transactions in another order than they commit. Recovery committed those that "
        "were prepared and in the replica's binary log, and the position is that of the last one: earlier ones are "
        "missing.": position == "gtid" and _prepares_in_any_order(setup, fault),
        "All nodes went down before any had flushed the commits that it had acknowledged "
        "(innodb_flush_log_at_trx_commit).": topology.kind == "galera" and all_down and _best_did_not_flush(setup),
        "The policy named the node that was bootstrapped, and another node held more commits.": (
            topology.kind in CLUSTERS and policy.promote in ("first", "named") and all_down
        ),
        "A majority had received the commits in memory only. Only the primary had written them to its disk.": (
            topology.kind == "group-replication" and fault.replicas_need_disk
        ),
        "The old primary was not shut off: it acknowledged commits that the new primary never received.": (
            not policy.fence and not fault.primary_down
        ),
        "The replica stopped receiving before it applied. When it started to apply, it dropped its relay log.": (
            not topology.applying and policy.relay_log == "stop receiving, then apply"
        ),
        "The replica had received the commits and not applied them. When it started again, it dropped its relay log.": (
            takes_over and fault.replicas_down and (not topology.applying or (_drops(setup, fault) and not fell_back))
        ),
        "The primary started again with the replica's half of semi-synchronous replication on: some versions of "
        "MariaDB then roll back commits that the engine had not flushed, although a replica has them.": (
            policy.promote == "nobody" and topology.both_halves
        ),
        "The primary started again and no longer had all commits that it had acknowledged: it had not flushed them "
        "(innodb_flush_log_at_trx_commit).": not takes_over and not _flushes(setup.settings),
        "The primary acknowledged commits that no replica had received yet (asynchronous replication).": (
            takes_over and topology.kind == "async" and not fault.of_replica and nowhere is True
        ),
        "The replica had received the commits. The manager's commands dropped its relay log unapplied.": (
            policy.by_manager and semi_sync and not fell_back and nowhere is True and not struck
        ),
        FELL_BACK: takes_over and fell_back and nowhere is True,
        "The replica acknowledged commits that were in its relay log, and its relay log was not flushed "
        "(sync_relay_log).": (takes_over and follows and fault.replicas_need_disk and fault.primary_down),
        "The policy promotes a replica whatever it has received, and other replicas had acknowledged the commits.": (
            semi_sync
            and topology.acknowledgements < topology.replicas
            and policy.promote in ("first", "named", "most executed")
            and fault.primary_down
        ),
        "The fault struck the replicas that had acknowledged the commits, and another replica was promoted.": (
            takes_over and semi_sync and fault.primary_down and topology.acknowledgements <= struck < topology.replicas
        ),
        "Another replica held the commits, and the one that was promoted did not.": (
            takes_over and follows and not fault.of_replica and nowhere is False
        ),
    }


def _drops(setup: FailoverSetup, fault: Fault) -> bool:
    """A replica of MariaDB that finds its position by GTID begins with an empty relay log, also if the old one is whole
    and only its applying thread starts (docs/research/topology.md). It lacks what it had acknowledged and not applied
    yet, be it the last 20 ms. One that can lose what it applied, too, may lack commits for that reason."""
    replicas = ({**setup.settings, **own} for own in setup.topology.settings_of_each)
    keeps_applied = all(_flushes(own) if fault.replicas_need_disk else _writes(own) for own in replicas)
    return (
        setup.build.flavour == "mariadb" and setup.topology.kind == "semi-sync" and fault.primary_down and keeps_applied
    )


def _all_down(fault: Fault) -> bool:
    return fault.primary_down and fault.replicas_down


def _best_did_not_flush(setup: FailoverSetup) -> bool:
    """Where one node flushes, it has what it applied. The bootstrapped node then decides, unless it was the best."""
    nodes = [setup.settings, *({**setup.settings, **own} for own in setup.topology.settings_of_each)]
    flushed = [_flushes(own) for own in nodes]
    return not all(flushed) and (setup.policy.promote == "most received" or not any(flushed))


def _flushes(settings: Mapping[str, str]) -> bool:
    """Each commit; MariaDB's 3 does too."""
    return settings.get("innodb_flush_log_at_trx_commit", "1") in ("1", "3")


def _writes(settings: Mapping[str, str]) -> bool:
    """Each commit, so that it survives the end of the server's process."""
    return settings.get("innodb_flush_log_at_trx_commit", "1") != "0"


def _prepares_in_any_order(setup: FailoverSetup, fault: Fault) -> bool:
    """Reproduced with the evidence of recovery: docs/research/topology.md, replica-crash. Followers apply in 16
    threads (workers/crash/dialects)."""
    own = {**setup.settings, **setup.topology.settings_of(fault.judged)}
    parallel = own.get("slave_parallel_threads", "16") not in ("0", "1")
    return parallel and not _flushes(own) and switch(own.get("log_slave_updates", "ON")) == "ON"
