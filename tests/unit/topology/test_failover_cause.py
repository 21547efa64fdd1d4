"""The sentence that says why a failover lost commits."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from workers.topology.cause import FELL_BACK, because, rules, seen_because
from workers.topology.chain import Struck
from workers.topology.setup_and_result import FailoverSetup, SemiSyncCounters
from workers.topology.topology import Topology

ELSEWHERE = "Another replica held the commits, and the one that was promoted did not."
NOT_FLUSHED = {"innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"}


def setup_of(fault="primary-host-loss", policy="careful", settings=None, flavour="mysql", **topology):
    made, server = Topology(**topology, policy_key=policy), SimpleNamespace(flavour=flavour)
    return FailoverSetup(
        root=Path("/"), build=server, name="", topology=made, settings=settings or {}, fault=fault, seed=1
    )


def why(*case, fell_back=False, nowhere=True, **more):
    return because(setup_of(*case, **more), fell_back, nowhere)


def test_each_cause_is_named_and_each_rule_is_used():
    said = {
        "binlog": why("replica-kill"),
        "file": why("replica-power-loss", position="file"),
        "order of prepares": why("replica-kill", flavour="mariadb", replica_settings=NOT_FLUSHED),
        "unfenced": why("partition", "unfenced"),
        "order": why(policy="stop-first", kind="semi-sync", applying=False),
        "start": why("total-kill", kind="semi-sync", applying=False),
        "in place": why("primary-kill", "in-place", kind="semi-sync", both_halves=True),
        "in place, not flushed": why("primary-power-loss", "in-place", settings=NOT_FLUSHED),
        "async": why(),
        "fell back": why(kind="semi-sync", fell_back=True),
        "flush": why("total-power-loss", kind="semi-sync"),
        "galera": why("total-kill", kind="galera", settings={"innodb_flush_log_at_trx_commit": "0"}),
        "first": why("total-power-loss", "first-replica", kind="galera"),
        "memory": why("total-power-loss", "old-away", kind="group-replication"),
        "other": why("primary-host-loss", "first-replica", kind="semi-sync", replicas=2),
        "struck": why("kill:primary+replica1", kind="semi-sync", replicas=2),
        "manager": why(policy="manager", kind="semi-sync"),
        "elsewhere": why(kind="async", replicas=2, nowhere=False),
    }
    assert {name: says.split(":")[0].split(".")[0] for name, says in said.items()} == {
        "binlog": "MySQL finds the position of a replica in the replica's own binary log (gtid_executed)",
        "file": "The replica keeps its position in a file that is not written together with the rows",
        "order of prepares": "Parallel threads had prepared transactions in another order than they commit",
        "unfenced": "The old primary was not shut off",
        "order": "The replica stopped receiving before it applied",
        "start": "The replica had received the commits and not applied them",
        "in place": "The primary started again with the replica's half of semi-synchronous replication on",
        "in place, not flushed": "The primary started again and no longer had all commits that it had acknowledged",
        "async": "The primary acknowledged commits that no replica had received yet (asynchronous replication)",
        "fell back": "Semi-synchronous replication had fallen back to asynchronous",
        "flush": "The replica acknowledged commits that were in its relay log, and its relay log was not flushed "
        "(sync_relay_log)",
        "galera": "All nodes went down before any had flushed the commits that it had acknowledged "
        "(innodb_flush_log_at_trx_commit)",
        "first": "The policy named the node that was bootstrapped, and another node held more commits",
        "memory": "A majority had received the commits in memory only",
        "other": "The policy promotes a replica whatever it has received, and other replicas had acknowledged the "
        "commits",
        "struck": "The fault struck the replicas that had acknowledged the commits, and another replica was promoted",
        "manager": "The replica had received the commits",
        "elsewhere": "Another replica held the commits, and the one that was promoted did not",
    }
    assert set(said.values()) == rules(setup_of(), False, None).keys()


@pytest.mark.parametrize(("nowhere", "says"), [(True, FELL_BACK), (False, ELSEWHERE), (None, "")])
def test_commits_that_another_replica_holds_were_not_lost_by_a_fallback(nowhere, says):
    """None: another replica could not be read."""
    assert why(kind="semi-sync", replicas=2, fell_back=True, nowhere=nowhere) == says
    received = why(kind="async", replicas=2, nowhere=nowhere)
    assert ("received yet" in received, received == ELSEWHERE) == (nowhere is True, nowhere is False)


@pytest.mark.parametrize(
    "other",
    [{"fell_back": True}, {"nowhere": False}, {"nowhere": None}, {"kind": "async"}, {"fault": "total-kill"}],
)
def test_a_manager_is_blamed_only_for_commits_that_its_replica_had_acknowledged(other):
    manager = {"fault": "primary-kill", "policy": "manager", "kind": "semi-sync", "flavour": "mariadb"}
    assert "manager's commands dropped" in why(**manager)
    assert "manager" not in why(**manager | other)


def test_where_no_rule_applies_no_cause_is_invented():
    assert why("total-kill", kind="galera", settings={"innodb_flush_log_at_trx_commit": "1"}) == ""
    assert why(kind="galera", settings={"innodb_flush_log_at_trx_commit": "0"}) == ""
    assert why("total-power-loss", kind="galera") == "", "a cluster has no relay log that acknowledges"
    assert why("total-power-loss", kind="galera", settings={"innodb_flush_log_at_trx_commit": "3"}) == ""
    flushes = {"flavour": "mariadb", "replica_settings": {**NOT_FLUSHED, "innodb_flush_log_at_trx_commit": "3"}}
    assert why("replica-kill", **flushes) == ""
    assert why(kind="semi-sync") == ""
    all_answer = {"kind": "semi-sync", "replicas": 2, "acknowledgements": 2}
    assert why(policy="first-replica", **all_answer) == why("kill:primary+replica1", **all_answer) == ""
    assert why("replica-power-loss", position="table") == ""
    held = {"kind": "semi-sync"}
    assert why("total-kill", replicas=2, **held) == "", "no replica was spared that could have been promoted"
    assert why("primary-kill", "in-place", **held) == why("primary-kill", both_halves=True, **held) == ""


@pytest.mark.parametrize(
    ("policy", "flushes", "says"),
    [
        ("careful", "2", "All nodes went down"),
        ("first-replica", "2", "All nodes went down"),
        ("careful", "1", "All nodes went down"),  # it had not applied them
        ("first-replica", "1", "The policy named the node"),
    ],
)
def test_a_node_that_flushes_more_than_the_others_of_its_cluster_is_taken_into_account(policy, flushes, says):
    own = {1: {"innodb_flush_log_at_trx_commit": flushes}}
    relaxed = {"innodb_flush_log_at_trx_commit": "0"}
    assert why("total-kill", policy, kind="galera", settings=relaxed, one_replica=own).startswith(says)


def test_a_replica_of_mariadb_drops_its_relay_log_at_its_start_also_when_it_applies():
    """It applies all the time, and lacks what it had received last."""
    held = {"kind": "semi-sync", "flavour": "mariadb"}
    for fault in ("total-kill", "total-power-loss"):
        assert "it dropped its relay log" in why(fault, **held), fault
    assert "(sync_relay_log)" in why("total-power-loss", **held | {"flavour": "mysql"})
    written = held | {"settings": {"innodb_flush_log_at_trx_commit": "2"}}
    assert "it dropped its relay log" in why("total-kill", **written)
    assert "(sync_relay_log)" in why("total-power-loss", **written), "it may lack what it had applied, too"
    assert why("total-kill", **held, replica_settings=NOT_FLUSHED) == "", "the same"
    assert "fallen back" in why("total-kill", **held, fell_back=True)
    assert "(asynchronous replication)" in why("total-kill", **held | {"kind": "async"})
    assert why(**held) == why("total-kill", "in-place", **held) == "", "nothing was dropped, or nobody takes over"


def test_the_settings_of_the_replica_that_was_struck_decide():
    one = {"flavour": "mariadb", "replicas": 2, "one_replica": {1: NOT_FLUSHED}}
    assert why("replica-kill", **one).startswith("Parallel threads") and why("kill:replica2", **one) == ""
    logged = {"replica_settings": {**NOT_FLUSHED, "log_slave_updates": "TRUE"}}
    assert why("replica-kill", flavour="mariadb", **logged).startswith("Parallel threads")


def test_commits_that_were_read_and_then_lost_have_a_cause_of_their_own():
    def why_seen(*fault, **topology):
        return seen_because(setup_of(*fault, **topology))

    assert "AFTER_COMMIT" in why_seen(kind="semi-sync", wait_point="AFTER_COMMIT")
    assert "before the commit is flushed" in why_seen("total-power-loss", kind="galera")
    assert why_seen(kind="semi-sync") == why_seen(kind="galera") == ""


@pytest.mark.parametrize(
    "own", [{"slave_parallel_threads": "0"}, {"log_slave_updates": "OFF"}, {"innodb_flush_log_at_trx_commit": "1"}]
)
def test_a_replica_that_prepares_in_order_has_another_cause(own):
    """One thread, no binlog of its own, or flushed prepares: none of them lost a row."""
    assert why("replica-kill", flavour="mariadb", replica_settings=NOT_FLUSHED | own) == ""


def test_a_fault_that_ends_the_primary_needs_no_fence():
    assert "received yet" in why("primary-kill", "unfenced")


def test_no_replica_is_named_where_the_primary_goes_on():
    counted = {"fell_back": True}
    for fault in ("primary-power-loss", "total-power-loss", "total-kill", "kill:primary+replica1"):
        for kind in ("async", "semi-sync"):
            assert why(fault, "in-place", kind=kind, replicas=2, applying=False, **counted) == "", (fault, kind)
            assert why(fault, "in-place", kind=kind, settings=NOT_FLUSHED, **counted).startswith("The primary started")
    late = {"kind": "semi-sync", "wait_point": "AFTER_COMMIT"}
    assert seen_because(setup_of("total-power-loss", "in-place", **late)) == ""


@pytest.mark.parametrize(
    ("counters", "took_s", "heard_s", "may"),
    [
        (SemiSyncCounters(9, 0), 10.0, 99.0, True),
        (SemiSyncCounters(9, 0), 9.995, 99.0, False),
        (SemiSyncCounters(9, 0), 99.0, 14.0, True),
        (SemiSyncCounters(9, 0), 99.0, 13.995, False),
        (None, 11.0, 99.0, False),
    ],
)
def test_a_fault_that_took_longer_than_the_timeout_may_have_let_the_primary_go_on_alone(counters, took_s, heard_s, may):
    """Its last acknowledgements then say nothing of semi-synchronous replication, and its counters are gone. The fault
    came 4 s after the load began. `heard_s`: after the load began, when the primary no longer ran."""
    setup = SimpleNamespace(topology=Topology("semi-sync", timeout_ms=10_000))
    witness = SimpleNamespace(drained_at_s=heard_s)
    struck = SimpleNamespace(
        semi_sync=counters,
        strike_s=took_s,
        setup=setup,
        witness=witness,
        struck_at=54.0,
        since_load_s=lambda at: at - 50,
    )
    assert Struck.may_have_fallen_back.fget(struck) is may
