"""Failovers of real MariaDB servers: each detector with a case that it must flag and one that it must not."""

from dataclasses import replace

import pytest

from tests.real.disks import needs_disk
from tests.real.slow import WAITS
from workers.errors import PlanError, SandboxError
from workers.host.until import until
from workers.sandbox import builds
from workers.servers import ask
from workers.servers.connection import connect
from workers.topology.chain import FailoverLoaded, Promoted, Struck
from workers.topology.run import run_failover, steps
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import Topology

WAITING = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for semi-sync ACK%'"
DURABLE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "gtid_strict_mode": "ON"}


def a_trial(root, fault, policy="careful", *, pause_s=10.0, **topology):
    return FailoverSetup(
        root=root, build=builds.find("system-mariadb"), name="test", topology=Topology(**topology, policy_key=policy),
        settings=DURABLE, fault=fault, seed=7, load_s=0.6, pause_s=pause_s,
    )  # fmt: skip


def fail_over(root, fault, policy="careful", *, cancelled=lambda: False, steps=steps, **known):
    result = run_failover(a_trial(root, fault, policy, **known), print, cancelled, steps=steps)
    print(result)  # whole: an assertion shows the beginning and the end
    return result


def replica_1_lacks_an_answer(kind, begun):
    """Nothing arrives at replica 1 any more, and a client has an answer since. Then the fault comes. However busy the
    machine is, this replica lacks that commit."""
    for state in steps(kind, begun):
        if type(state) is FailoverLoaded:
            part(state)
            known = state.witness.acknowledged
            assert until(lambda: state.witness.acknowledged != known, 10, 0.01)  # noqa: B023 - called at once
        if type(state) is Struck and state.fault.replicas_down:  # with all of them: the wires are needed again
            for wire in state.wires_of(1):
                wire.heal()
        yield state


def read_before_any_replica_has_it(kind, begun):
    """Nothing arrives at the replica any more, and a commit that waits for it was read since. Then the fault comes."""
    for state in steps(kind, begun):
        if type(state) is FailoverLoaded:
            part(state)
            with connect(state.primary.sandbox.target) as link:
                assert until(lambda: ask.rows(link, WAITING) != [], 10, 0.01)
            known = state.reader.rounds
            assert until(lambda: state.reader.rounds > known + 1, 10, 0.01)  # noqa: B023 - called at once
        yield state


def part(state):
    for wire in state.wires_of(1):
        wire.partition()


def bad(result):
    assert result.error == ""
    return {check.key for check in result.checks if check.outcome != "valid"}


def test_asynchronous_replication_loses_what_was_under_way_with_its_host(sandbox_root):
    """The reader may come too late to read any of it."""
    result = fail_over(sandbox_root, "primary-host-loss", kind="async", rtt_ms=400, steps=replica_1_lacks_an_answer)
    assert {"lost-promoted"} <= bad(result) <= {"lost-promoted", "phantoms"} and result.verdict == "invalid"
    assert result.lost.transactions == result.story.ghosts_acknowledged > 0
    assert result.story.network.how == "wire" and result.story.network.rtt_ms[0] > 400
    assert result.story.because.endswith("(asynchronous replication).")
    assert result.story.rejoin.state == "stopped" and result.story.rejoin.says.startswith("1236")
    assert result.story.errant >= result.story.ghosts_acknowledged and result.story.errant_first[0].startswith("0-1-")
    assert (
        result.story.holds["primary"]
        == result.acknowledged
        == result.story.holds["replica 1"] + result.lost.transactions
    )


def test_semi_synchronous_replication_loses_nothing_with_the_host(sandbox_root):
    result = fail_over(sandbox_root, "primary-host-loss", kind="semi-sync", rtt_ms=100)
    assert bad(result) == set() and result.verdict == "valid", (result.lost, result.story, result.log_lines)
    assert (result.lost.transactions, result.story.phantoms, result.story.semi_sync.not_acknowledged) == (0, 0, 0)
    assert result.acknowledged > 0 and result.story.reads > 0 and result.story.outage.total_s > 0


def test_with_after_commit_others_read_what_is_then_lost(sandbox_root):
    """With AFTER_SYNC, above, they do not."""
    late = {"kind": "semi-sync", "rtt_ms": 400, "wait_point": "AFTER_COMMIT"}
    result = fail_over(sandbox_root, "primary-host-loss", steps=read_before_any_replica_has_it, **late)
    assert bad(result) == {"phantoms"}, (result.acknowledged, result.story.reads, result.story.holds)
    assert result.story.phantoms > 0 == result.lost.transactions
    assert "(AFTER_COMMIT)" in result.story.because


@needs_disk
def test_both_hosts_without_power_lose_what_only_the_relay_log_held(sandbox_root):
    """The replica had received every commit, and had not flushed its relay log."""
    result = fail_over(sandbox_root, "total-power-loss", kind="semi-sync", rtt_ms=4, applying=False, updates="locking")
    assert {"lost-promoted", "phantoms", "lost-updates"} <= bad(result), result.checks
    assert result.lost.transactions > 0 < result.story.updates.missing
    assert result.story.holds["primary"] == result.acknowledged, "it flushed at each commit"


def test_an_old_primary_of_mysql_follows_without_an_error_and_its_rows_differ(sandbox_root):
    try:
        build = builds.find("mysql-8.0.33")
    except SandboxError as absent:
        pytest.skip(str(absent))
    setup = a_trial(sandbox_root, "primary-host-loss", kind="async", rtt_ms=200)
    durable = {name: value for name, value in DURABLE.items() if name != "gtid_strict_mode"}
    setup = replace(setup, build=build, settings=durable)
    result = run_failover(setup, print, lambda: False, steps=replica_1_lacks_an_answer)
    assert {"lost-promoted", "rejoin"} <= bad(result), result.checks
    assert result.story.rejoin.state == "caught up" and result.story.rejoin.different_rows > 0


def test_a_replica_of_a_newer_build_takes_over(sandbox_root):
    newer = "mariadb-11.8"
    try:
        builds.find(newer)
    except SandboxError as absent:
        pytest.skip(str(absent))
    result = fail_over(sandbox_root, "primary-host-loss", kind="semi-sync", rtt_ms=20, replica_build=newer)
    assert bad(result) == set() and result.lost.transactions == 0 < result.acknowledged
    versions = {name: "".join(lines) for name, lines in result.log_lines.items()}
    assert "11.8" in versions["replica 1"] and "11.8" not in versions["primary"]


def test_a_replica_that_stops_receiving_before_it_applies_drops_its_relay_log(sandbox_root):
    result = fail_over(sandbox_root, "primary-host-loss", "stop-first", kind="semi-sync", rtt_ms=4, applying=False)
    assert result.lost.transactions == result.acknowledged > 0
    assert result.story.because.startswith("The replica stopped receiving")
    outage = result.story.outage
    assert outage.applying_s > 0 and outage.detection_s is None is outage.recovery_s


def test_a_replica_that_applies_first_keeps_its_relay_log(sandbox_root):
    result = fail_over(sandbox_root, "primary-host-loss", kind="semi-sync", rtt_ms=4, applying=False)
    assert bad(result) == set() and result.acknowledged > 0


def test_a_primary_that_starts_again_in_place_keeps_everything(sandbox_root):
    result = fail_over(sandbox_root, "primary-host-loss", "in-place", kind="semi-sync", rtt_ms=4, both_halves=True)
    assert bad(result) == set() and result.acknowledged > 0, (result.checks, result.log_lines)
    assert result.story.promoted == "primary" and result.story.rejoin is None
    assert "others" in {check.key for check in result.checks}
    assert 0 < result.story.outage.recovery_s < result.story.outage.total_s and result.story.outage.applying_s is None


def test_a_primary_that_waits_for_its_replicas_takes_writes_when_all_start_again(sandbox_root):
    """It would wait for ten minutes for replicas that nobody told to receive."""
    result = fail_over(sandbox_root, "total-kill", "in-place", kind="semi-sync", timeout_ms=600_000)
    assert bad(result) == set() and result.story.outage.total_s < 60, (result.checks, result.log_lines)


def test_of_replicas_that_all_started_again_the_one_with_most_commits_is_promoted(sandbox_root):
    """The near one acknowledged them. Since its start neither has received anything. What it had not applied yet it
    dropped: on a busy machine that is something, and the cause is told."""
    far = {"kind": "semi-sync", "replicas": 2, "rtt_ms": 2, "first_rtt_ms": 600}
    result = fail_over(sandbox_root, "total-kill", steps=replica_1_lacks_an_answer, **far)
    assert result.story.promoted == "replica 2" and result.acknowledged > 0
    assert ("dropped its relay log" in result.story.because) == (result.lost.transactions > 0)


def test_a_replica_that_applies_slowly_drops_what_it_had_acknowledged_when_all_are_killed(sandbox_root):
    """Its process ended, and its relay log is whole."""
    slow = {"slave_parallel_threads": "0", **WAITS}
    result = fail_over(sandbox_root, "total-kill", kind="semi-sync", rtt_ms=2, replica_settings=slow)
    assert "lost-promoted" in bad(result) and result.lost.transactions > 0
    assert "dropped its relay log" in result.story.because


def test_a_switchover_in_order_loses_nothing(sandbox_root):
    result = fail_over(sandbox_root, "switchover", kind="async", replicas=2, rtt_ms=4)
    assert bad(result) == set() and result.story.rejoin.different_rows == 0
    assert {check.key for check in result.checks} >= {"others", "rejoin"}


def test_a_trial_without_a_fault_finds_nothing(sandbox_root):
    result = fail_over(sandbox_root, "no-fault", kind="semi-sync", replicas=2, rtt_ms=4)
    assert bad(result) == set() and result.acknowledged > 0, result.checks
    assert "others" in {check.key for check in result.checks} and result.story.promoted == ""


def test_a_row_that_vanished_from_a_replica_is_found_without_a_fault(sandbox_root):
    def sabotaged(kind, begun):
        for state in steps(kind, begun):
            if isinstance(state, Promoted):
                with connect(state.replicas[0].sandbox.target) as connection:
                    ask.rows(connection, "SET SESSION sql_log_bin = 0")
                    ask.rows(connection, "DELETE FROM durascope_witness.one WHERE client = 0 AND n = 1")
            yield state

    result = run_failover(a_trial(sandbox_root, "no-fault", kind="async"), print, lambda: False, steps=sabotaged)
    assert bad(result) == {"others"} and result.verdict == "invalid", result.checks


def test_an_old_primary_that_is_not_shut_off_acknowledges_what_nobody_will_find(sandbox_root):
    result = fail_over(sandbox_root, "partition", "unfenced", kind="async")
    assert bad(result) >= {"late", "lost-promoted"} and result.story.outage is None
    assert result.story.because.startswith("The old primary was not shut off")


def test_a_paused_primary_that_is_not_shut_off_acknowledges_after_it_wakes(sandbox_root):
    """Semi-synchronous: it waits for the promoted replica, which does not answer any more, until its timeout."""
    result = fail_over(sandbox_root, "primary-pause", "unfenced", pause_s=2.0, kind="semi-sync", timeout_ms=500)
    assert bad(result) >= {"late", "lost-promoted"} and result.story.because.startswith("The old primary was not shut")
    assert result.lost.transactions == result.story.ghosts_acknowledged > 0
    assert result.story.semi_sync.not_acknowledged > 0, "counted when it was awake"


def test_a_paused_primary_that_is_shut_off_loses_nothing(sandbox_root):
    """Long before it would have woken."""
    result = fail_over(sandbox_root, "primary-pause", pause_s=30.0, kind="semi-sync")
    assert bad(result) == set() and result.acknowledged > 0 and result.story.outage.total_s < 30.0


def test_clients_wait_for_a_paused_replica_that_must_answer(sandbox_root):
    result = fail_over(sandbox_root, "replica-pause", pause_s=2.0, kind="semi-sync")
    assert bad(result) == set() and result.story.rejoin.state == "caught up"
    assert result.story.semi_sync.not_acknowledged == 0
    assert "0, 0, 0, 0, 0, 0, 0, 0, 0, 0" in str(result.story.per_100_ms), "a second without an answer"
    assert result.story.outage is None and result.story.stall.ended and result.story.stall.seconds > 1.5


def test_the_replica_that_is_left_takes_over_and_the_lost_one_follows_it(sandbox_root):
    result = fail_over(sandbox_root, "kill:primary+replica1", kind="semi-sync", replicas=2, acknowledgements=1)
    assert result.error == "" and result.story.promoted == "replica 2"
    assert {check.key: check.outcome for check in result.checks}["others"] == "valid", result.checks
    assert result.story.holds.keys() == {"primary", "replica 1", "replica 2"}, (result.checks, result.story)


def test_a_spared_replica_that_is_ahead_of_the_promoted_one_stops_and_is_called(sandbox_root):
    """Of the commits under way the near replica has received more than the far one."""
    far = {"kind": "semi-sync", "replicas": 2, "rtt_ms": 2, "first_rtt_ms": 600}
    result = fail_over(sandbox_root, "primary-host-loss", "replica1", steps=replica_1_lacks_an_answer, **far)
    assert {"others", "lost-promoted"} <= bad(result), result.checks
    careful = fail_over(sandbox_root, "primary-host-loss", **far)
    assert "others" not in bad(careful) and careful.story.promoted == "replica 2"


def test_a_parted_primary_keeps_the_replica_on_its_side(sandbox_root):
    """Fenced at once: what only its side has was acknowledged, and is missing on the other side."""
    result = fail_over(sandbox_root, "partition:primary+replica1", kind="semi-sync", replicas=2)
    assert result.error == "" and result.story.promoted == "replica 2"
    assert result.story.holds.keys() == {"primary", "replica 1", "replica 2"}, (result.checks, result.story)


def test_a_replica_that_was_parted_for_a_while_catches_up_and_clients_waited_in_vain(sandbox_root):
    """The primary waits for its timeout, and goes on without the replica: its counters say so afterwards."""
    result = fail_over(sandbox_root, "partition:replica1", kind="semi-sync", timeout_ms=100)
    assert bad(result) == set() and result.story.rejoin.state == "caught up"
    assert result.story.semi_sync.not_acknowledged > 0 and result.lost_replica.transactions == 0


def test_a_primary_and_a_replica_that_are_lost_with_their_disks_stay_away(sandbox_root):
    result = fail_over(sandbox_root, "permanent-loss:primary+replica1", kind="async", replicas=2, rtt_ms=4)
    assert result.error == "" and result.story.promoted == "replica 2" and result.story.rejoin is None
    assert result.story.holds.keys() == {"replica 2"} and result.story.ghosts is None


def test_a_replica_whose_host_was_lost_starts_again_and_catches_up(sandbox_root):
    result = fail_over(sandbox_root, "host-loss:replica1", kind="async", rtt_ms=4)
    assert bad(result) == set() and result.story.rejoin.state == "caught up"


def test_a_rebuilt_old_primary_follows_with_the_same_rows(sandbox_root, leaves_nothing):
    """As it was, it would be refused: it has commits that the new primary lacks. Two policies are combined."""
    policy = "stop-first+old-rebuilt"
    result = fail_over(sandbox_root, "primary-host-loss", policy, kind="semi-sync", rtt_ms=4, applying=False)
    assert result.error == "" and result.lost.transactions == result.acknowledged > 0
    assert result.story.rejoin.state == "caught up" and result.story.rejoin.different_rows == 0
    assert result.story.ghosts is None, "what it held before is not read"
    outcomes = {check.key: check.outcome for check in result.checks}
    assert outcomes["rejoin"] == "valid" and "old-starts" not in outcomes, "its own data were never started"


def test_a_cancelled_trial_ends_and_leaves_nothing(sandbox_root, leaves_nothing):
    with pytest.raises(Exception, match="Cancelled"):
        fail_over(sandbox_root, "primary-host-loss", cancelled=lambda: True)


@pytest.mark.parametrize(
    ("fault", "topology", "why"),
    [
        ("flood", {}, "There is no fault 'flood'"),
        ("switchover", {"kind": "ring"}, "no topology of the kind 'ring'"),
        ("switchover", {"replicas": 9}, "9 replicas are not possible"),
        ("switchover", {"rtt_ms": -1}, "less than 0 ms"),
        ("switchover", {"kind": "semi-sync", "acknowledgements": 2}, "need as many replicas"),
    ],
)
def test_an_impossible_fault_is_refused_before_the_start(sandbox_root, fault, topology, why):
    with pytest.raises(PlanError, match=why):
        fail_over(sandbox_root, fault, **topology)
