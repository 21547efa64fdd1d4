"""The notation of a topology."""

from dataclasses import replace

import pytest

from workers.errors import SandboxError
from workers.topology.policy import POLICIES
from workers.topology.topology import CLUSTERS, FLAGS, PARTS, Topology, parse

WRONG = ("stop-first", "unfenced")


def test_a_kind_alone_has_one_replica_and_no_delay():
    assert parse("async") == Topology("async", replicas=1, rtt_ms=None, policy_key="careful")
    assert parse("async").policy is POLICIES["careful"]


def test_every_part_is_read():
    text = "semi-sync+rtt=20ms+replicas=3+wait=AFTER_COMMIT+acks=2+timeout=0.5s+writers=each+consistency=AFTER"
    text += (
        "+expel=2s+policy=stop-first+position=file+behind+keyless+first-rtt=200ms+both-halves+build=newer+updates=plain"
        "+single-leader"
    )
    assert {part.split("=")[0] for part in text.split("+")[1:]} == PARTS.keys() | FLAGS.keys()
    assert parse(f"{text}+replica.sync_binlog=0+replica.innodb_flush_log_at_trx_commit=2") == Topology(
        "semi-sync", 3, 20.0, 200.0, "AFTER_COMMIT", 2, 500.0, "stop-first",
        {"sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}, False, "file", False, True, "each", "AFTER", 2,
        True, "newer", "plain",
    )  # fmt: skip
    assert parse("async+rtt=500us").one_way_ms == 0.25


def test_one_replica_has_settings_of_its_own_before_those_of_all():
    given = parse("galera+replica.sync_binlog=0+replica2.sync_binlog=7+replica2.log_bin=ON")
    assert given.settings_of(0) == {} and given.settings_of(1) == {"sync_binlog": "0"}
    assert given.settings_of_each == ({"sync_binlog": "0"}, {"sync_binlog": "7", "log_bin": "ON"})
    assert parse("galera+replica2.sync_binlog=7").settings_of_each == ({}, {"sync_binlog": "7"})


def test_policies_that_change_different_things_are_combined():
    both = parse("async+policy=stop-first+policy=unfenced+policy=old-rebuilt+policy=replica2").policy
    assert (both.relay_log, both.fence, both.old_primary) == ("stop receiving, then apply", False, "rebuilt")
    assert (both.promote, both.named) == ("named", 2)
    assert "Replica 2 is promoted, or node 3 of a cluster bootstrapped" in POLICIES["replica2"].says
    assert not parse("async+policy=manager").policy.fence, "the manager shuts the old primary off, or nobody does"
    assert both.title == "Stop receiving first, Without fencing, Old primary rebuilt, Replica 2"
    alone = parse("async+policy=careful+policy=unfenced").policy
    assert (alone.fence, alone.relay_log) == (False, POLICIES["careful"].relay_log)


def test_the_order_of_policies_changes_nothing_but_words():
    one, other = (parse(f"async+policy={a}+policy={b}").policy for a, b in (WRONG, WRONG[::-1]))
    assert replace(one, title="", says="") == replace(other, title="", says="")


def test_the_first_replica_may_be_further_away():
    far = parse("async+rtt=20ms+first-rtt=200ms+replicas=2")
    assert [far.one_way_ms_to(number) for number in (1, 2)] == [100.0, 10.0]
    assert [parse("async+rtt=20ms").one_way_ms_to(number) for number in (1, 2)] == [10.0, 10.0]
    assert (
        all(parse(one).has_wires for one in ("async+rtt=0ms", "async+first-rtt=1ms")) and not parse("async").has_wires
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("async+speed=3", "'speed=3' is not known. Known: rtt"),
        ("async+", "'' is not known"),
        ("async+build=", "name a build"),
        ("async+replica.sync_binlog=", "is not known"),
        ("async+replica1.=0", "is not known"),
        ("async+replica12.sync_binlog=0", "is not known"),
        ("async+rtt=5ms+rtt=20ms", "rtt is given twice"),
        ("async+replica1.sync_binlog=0+replica1.sync_binlog=1", "replica1.sync_binlog is given twice"),
        ("async+rtt=20", "write a number and us, ms or s"),
        ("async+rtt=2s", "at most 1000 ms"),
        ("group-replication+expel=400ms", "write whole seconds"),
        ("group-replication+expel=2.6s", "write whole seconds"),
        ("async+replicas=0", "1 to 4"),
        ("async+replicas=5", "1 to 4"),
        ("async+replicas=x", "1 to 4"),
        ("semi-sync+wait=SOON", "known: AFTER_SYNC, AFTER_COMMIT"),
        ("async+policy=prayer", "known: careful"),
        ("async+policy=replica5", "known: careful"),
        ("async+policy=first-replica+policy=most-executed", "Always the first one and Most executed contradict each"),
        ("async+policy=replica1+policy=replica2", "Replica 1 and Replica 2 contradict each other"),
        ("async+policy=manager+policy=stop-first", "a manager chooses the replica"),
        ("async+policy=in-place+policy=stop-first", "no replica is promoted"),
        ("async+position=memory", "known: gtid, file, table"),
    ],
)
def test_an_invalid_notation_is_refused_with_the_reason(text, why):
    with pytest.raises(SandboxError, match=why) as refused:
        parse(text)
    assert "semi-sync+rtt=20ms+replicas=2" in refused.value.fix or "twice" in why


@pytest.mark.parametrize("kind", CLUSTERS)
def test_a_cluster_has_three_nodes_unless_told_otherwise(kind):
    assert (parse(kind).replicas, parse(f"{kind}+replicas=4").replicas) == (2, 4)
