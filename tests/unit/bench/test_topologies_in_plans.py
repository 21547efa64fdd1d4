"""Variants with a topology: their trials, their controls, what is refused before the start."""

from dataclasses import replace

import pytest

from tests.unit.bench.plans import plan
from workers.bench.abilities import Abilities, HostBuild
from workers.bench.crash_review import estimate_s
from workers.bench.needs import Candidate, Needs
from workers.bench.plan import CONTROLS, CRASH_CONTROLS, FAILOVER_CONTROLS, CrashPlan, Plan, PlanTarget, Variant
from workers.bench.review import problems
from workers.bench.stage_key import StageKey, stage_keys
from workers.bench.trial_kinds import POWER_LOSSES, TRIAL_KINDS, all_kinds

BUILDS = {"system-mariadb": "mariadb"}
SANDBOX = Candidate("box", is_sandbox=True, flavour="mariadb", builds=BUILDS, installed=frozenset(BUILDS))
ALONE = Variant("alone", {"sync_binlog": "1"})
ASYNC = Variant("async", {"sync_binlog": "1"}, topology="async+rtt=20ms")
GALERA = Variant("galera", {}, topology="galera+replicas=2")
BOTH = CrashPlan(("power-loss", "primary-host-loss"), trials=2, control_trials=1)


def trials_of(*variants: Variant, crash: CrashPlan = BOTH) -> list[tuple[str, str]]:
    return sorted((one.variant.name, one.kind) for one in plan(variants=variants, crash=crash).trials())


def test_a_server_alone_is_crashed_and_a_topology_fails_over():
    assert trials_of(ALONE, ASYNC) == [
        ("alone", "graceful-restart"), ("alone", "lying-disk"), *[("alone", "power-loss")] * 2,
        ("async", "asynchronous-link"), ("async", "no-fault"), *[("async", "primary-host-loss")] * 2,
        ("async", "switchover"),
    ]  # fmt: skip


def controls_of(*variants: Variant, **known) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for variant, kind in plan(variants=variants, crash=BOTH, **known).controls():
        found.setdefault(variant.name, []).append(kind)
    return found


def test_each_family_of_topologies_has_its_controls_whatever_the_baseline():
    semi = Variant("semi", {}, topology="semi-sync")
    one_server, failover = [*CRASH_CONTROLS], [*FAILOVER_CONTROLS]
    assert set(one_server).isdisjoint(failover)
    assert controls_of(ALONE, ASYNC, semi, GALERA) == {"alone": one_server, "async": failover, "galera": failover}
    assert controls_of(ALONE, ASYNC, semi, baseline="semi") == {"semi": failover, "alone": one_server}
    assert controls_of(ALONE) == {"alone": one_server}


def test_a_family_that_nothing_strikes_has_no_controls():
    crash = CrashPlan(("primary-host-loss",), trials=1, control_trials=1)
    assert {variant.name for variant, _ in plan(variants=(ALONE, ASYNC), crash=crash).controls()} == {"async"}


def test_a_plan_needs_the_kinds_of_its_trials():
    mixed, alone = plan(variants=(ALONE, ASYNC), crash=BOTH), plan(variants=(ALONE,), crash=BOTH)
    assert set(all_kinds(mixed)) == {*BOTH.kinds, *CONTROLS}
    assert set(all_kinds(alone)) == {*BOTH.kinds, *CRASH_CONTROLS}
    assert Needs.of(mixed, {1: "system-mariadb"}).crashes == {*BOTH.kinds, *CONTROLS}


def test_every_kind_has_a_title_and_an_explanation():
    assert all(key == kind.key and kind.title and kind.says for key, kind in TRIAL_KINDS.items())
    assert {"power-loss", "torn-power-loss", "total-power-loss"} <= POWER_LOSSES
    assert POWER_LOSSES.isdisjoint({"process-kill", "primary-kill", "primary-power-loss", "switchover"})


def test_a_failover_takes_longer_than_a_crash():
    crash = CrashPlan(("power-loss", "primary-host-loss"), trials=1, control_trials=0)
    assert estimate_s(plan(variants=(ASYNC,), crash=crash)) > estimate_s(plan(variants=(ALONE,), crash=crash))


def test_each_topology_has_a_stage_of_its_own():
    assert list(stage_keys(plan(variants=(ALONE, ASYNC)))) == [StageKey(1), StageKey(1, topology="async+rtt=20ms")]
    assert StageKey(1, "new", topology="async").titled("box", "old") == "box, new, async"


def test_a_cluster_has_trials_and_cells():
    mixed = plan(variants=(ALONE, GALERA), crash=BOTH)
    assert {cell.variant.name for cell in mixed.cells()} == {"alone", "galera"}
    assert mixed.size == len(list(mixed.cells()))
    assert ("galera", "primary-host-loss") in trials_of(ALONE, GALERA)


def refused(*variants: Variant, server: Candidate = SANDBOX) -> str:
    return "\n".join(problems(plan(variants=variants, crash=BOTH), {1: server}))


@pytest.mark.parametrize(
    ("topology", "settings", "why"),
    [
        ("async+speed=9", {}, "'speed=9' is not known"),
        ("ring", {}, "there is no topology 'ring'. Known: async, semi-sync"),
        ("async", {"log_bin": "OFF"}, "log_bin is off"),
        ("async+replica.init_connect=x", {}, "init_connect is no setting that Durascope changes on a replica"),
        ("galera+replica2.init_connect=x", {}, "init_connect is no setting that Durascope changes on a replica"),
        ("semi-sync", {"gtid_mode": "off"}, "replication needs gtid_mode=ON on each node. Leave gtid_mode out"),
        ("galera+replica2.binlog_format=MIXED", {}, "Galera replication needs binlog_format=ROW on each node"),
        ("group-replication", {"binlog_format": "STATEMENT"}, "needs binlog_format=ROW on each node"),
        ("galera+replica2.sync_binlog=x", {}, "sync_binlog cannot be 'x' on mariadb. Allowed: 0 to"),
        ("async+replica.innodb_flush_log_at_trx_commit=9", {}, "innodb_flush_log_at_trx_commit cannot be '9'"),
        ("galera+replica1.log_bin=YES", {}, "write log_bin=ON."),
        ("async+replica1.log_bin=NO", {}, "write log_bin=OFF."),
        ("async+replica.innodb_flush_log_at_trx_commit=01", {}, "write innodb_flush_log_at_trx_commit=1."),
        ("galera+replica1.binlog_format=row", {}, "write binlog_format=ROW."),
        ("async+replica.log_slave_updates=TRUE", {}, "write log_slave_updates=ON."),
        ("async+replica1.sync_relay_log=abc", {}, "sync_relay_log cannot be 'abc' on a replica. Allowed: 0 to 4294"),
        ("async+replica.sync_relay_log=1K", {}, "sync_relay_log cannot be '1K'"),
        ("async+replica.slave_parallel_threads=016", {}, "write slave_parallel_threads=16."),
        ("async+replica.slave_parallel_threads=16384", {}, "Allowed: 0 to 16383."),
        ("async+replica.relay_log_recovery=2", {}, "relay_log_recovery cannot be '2' on a replica. Allowed: ON, OFF."),
        ("async+replica.slave_parallel_mode=fast", {}, "Allowed: none, minimal, conservative, optimistic, aggressive."),
        ("async+replica.relay_log_info_repository=table", {}, "write relay_log_info_repository=TABLE."),
    ],
)
def test_an_invalid_topology_is_refused_with_the_reason(topology, settings, why):
    assert why in refused(Variant("odd", settings, topology=topology))


@pytest.mark.parametrize(
    ("topology", "settings"),
    [
        ("async", {"gtid_mode": "on", "enforce_gtid_consistency": "ON", "binlog_format": "STATEMENT"}),
        ("async+position=file", {"gtid_mode": "OFF"}),
        ("galera+replica1.binlog_format=ROW", {}),
    ],
)
def test_settings_that_fit_the_replication_are_not_refused(topology, settings):
    assert "replication needs" not in refused(Variant("odd", settings, topology=topology))


@pytest.mark.parametrize("value", ["true", "on ", "1"])
def test_a_binlog_that_is_on_is_so_in_every_spelling(value):
    assert "log_bin" not in refused(Variant("odd", {"log_bin": value}, topology="async"))


def test_a_galera_cluster_needs_no_binlog():
    off = {"log_bin": "OFF"}
    assert "log_bin is off" not in refused(Variant("odd", off, topology="galera"))
    assert "log_bin is off" in refused(Variant("odd", off, topology="semi-sync"))


def test_the_buffer_pools_of_all_nodes_count_against_the_memory_of_a_host():
    large = Variant("odd", {"innodb_buffer_pool_size": "1G"}, topology="async+replicas=3")
    assert "4 nodes of 1021 MiB each need 4084 MiB of memory, and 4000 MiB are there" in refused(
        large, server=box(memory_mib=4000)
    )
    assert "need" not in refused(large, server=box(memory_mib=4100))


def box(**about):
    host = Abilities(**{"builds": {"system-mariadb": HostBuild(flavour="mariadb", version="10.11.19")}, **about})
    return replace(SANDBOX, build="system-mariadb", hosts={"db7": host}, versions={"system-mariadb": (10, 11, 19)})


@pytest.mark.parametrize(
    ("topology", "why"),
    [
        ("semi-sync+timeout=0ms", "Variant odd: The timeout is 0"),
        ("semi-sync+acks=3", "3 acknowledgements need as many replicas"),
        ("group-replication", "system-mariadb has no Group Replication"),
        ("galera+replicas=1", "1 replicas are not possible: 2 to 4"),
        ("async+position=file", "leave position=file out"),
        ("async+replica.log_bin=OFF", "cannot take over"),
        ("galera+replica3.sync_binlog=0", "Variant odd: replica3.sync_binlog: the topology has no replica 3, only 2."),
        ("galera+replica.relay_log_recovery=ON", "Galera has no relay log"),
    ],
)
def test_a_topology_that_contradicts_itself_its_build_or_its_faults_is_refused(topology, why):
    assert why in refused(Variant("odd", {}, topology=topology), server=box())


@pytest.mark.parametrize(
    ("topology", "host", "why"),
    [
        ("async+replicas=4", {"memory_mib": 600}, "need 625 MiB of memory, and 600 MiB are there"),
        ("galera+rtt=5ms", {"network_missing": "no TUN"}, "between the nodes of a cluster: not possible (no TUN)"),
        (
            "semi-sync",
            {"builds": {"system-mariadb": HostBuild(flavour="mariadb", lacks={"semi-sync": "no plugin"})}},
            "no Semi-synchronous replication (no plugin)",
        ),
    ],
)  # fmt: skip
def test_a_topology_that_the_hosts_cannot_run_is_refused_with_the_reason(topology, host, why):
    assert why in refused(Variant("odd", {}, topology=topology), server=box(**host))
    enough = {"memory_mib": 625, "network_missing": ""}
    assert why not in refused(Variant("odd", {}, topology=topology), server=box(**enough))


def test_a_partition_of_a_cluster_needs_a_network_and_one_of_replicas_needs_none():
    poor, crash = box(network_missing="no TUN"), CrashPlan(("partition",), trials=1, control_trials=0)
    said = [problems(plan(variants=(one,), crash=crash), {1: poor}) for one in (GALERA, ASYNC)]
    assert "Network partition of a cluster: not possible (no TUN)" in said[0][0] and said[1] == []


def test_possible_topologies_are_not_refused():
    own = Variant("own", {}, topology="async+replica.sync_binlog=0+replica.sync_relay_log=1")
    one = Variant("one", {}, topology="galera+replica1.innodb_flush_log_at_trx_commit=1")
    assert refused(ALONE, ASYNC, own, one) == ""


@pytest.mark.parametrize(
    "own",
    ["innodb_buffer_pool_size=128M", "log_slave_updates=OFF", "slave_parallel_mode=none", "slave_parallel_threads=0",
     "sync_master_info=4294967295", "relay_log_info_repository=FILE", "binlog_row_image=MINIMAL"],
)  # fmt: skip
def test_a_value_in_the_spelling_of_the_server_and_a_size_are_not_refused(own):
    assert refused(Variant("own", {}, topology=f"async+replica1.{own}")) == ""


def test_an_attached_server_has_no_topology_of_ours():
    said = refused(ASYNC, server=Candidate("db1", is_sandbox=False))
    assert "Durascope makes topologies of sandboxes" in said and "no failover manager is tried on attached" in said


def test_a_build_without_replicas_has_no_topology():
    old = Candidate("box", is_sandbox=True, flavour="mariadb", builds=BUILDS, replica_missing={"": "it has no GTIDs"})
    assert "Variant async cannot have a replica: it has no GTIDs" in refused(ASYNC, server=old)


MIXED = Candidate(
    "box", is_sandbox=True, flavour="mysql", build="mysql-8.0.33",
    installed=frozenset({"mysql-8.0.33", "mysql-9.7", "m"}),
    builds={"mysql-8.0.33": "mysql", "mysql-9.7": "mysql", "m": "mariadb", "absent": "mysql"},
    versions={"mysql-8.0.33": (8, 0, 33), "mysql-9.7": (9, 7, 0)},
)  # fmt: skip


@pytest.mark.parametrize(
    ("variant", "why"),
    [
        (Variant("up", {}, topology="async+build=mysql-9.7"), ""),
        (Variant("down", {}, build="mysql-9.7", topology="async+build=mysql-8.0.33"), "mysql-8.0.33 is older than"),
        (Variant("other", {}, topology="async+build=m"), "build=m: replicas of mysql-8.0.33 need a build of mysql"),
        (Variant("none", {}, topology="async+build=nobody"), "there is no build called 'nobody'"),
        (Variant("absent", {}, topology="async+build=absent"), "absent is not installed"),
        (Variant("group", {}, topology="group-replication+build=mysql-9.7"), ""),
        (Variant("group", {}, build="mysql-9.7", topology="group-replication+build=mysql-8.0.33"), "is older than"),
    ],
)
def test_replicas_may_have_a_newer_build_of_the_same_flavour(variant, why):
    said = refused(variant, server=MIXED)
    assert why in said if why else said == ""


def test_the_worker_needs_the_build_of_the_replicas():
    needs = Needs.of(plan(variants=(Variant("up", {}, topology="async+build=mysql-9.7"),)), {1: "mysql-8.0.33"})
    assert needs.builds == {"mysql-8.0.33", "mysql-9.7"}
    assert needs.lacking(Abilities(builds={"mysql-8.0.33": HostBuild()})) == [
        "it has no mysql-9.7 (manage.py build install mysql-9.7)"
    ]


def test_a_plan_keeps_its_topologies():
    first = plan(variants=(ALONE, ASYNC), targets=(PlanTarget(1, "box"),))
    assert Plan.from_dict(first.as_dict()) == first
    old = first.as_dict()
    for variant in old["variants"]:
        del variant["topology"]  # as stored before topologies
    assert Plan.from_dict(old).variants[1].topology == ""


def test_without_a_manager_its_policy_is_refused():
    drill = Variant("drill", {}, topology="async+policy=manager")
    assert "policy=manager: nobody named one." in refused(
        drill, server=replace(box(), manager_missing="nobody named one.")
    )
    assert refused(drill, server=box()) == "" == refused(ASYNC, server=replace(box(), manager_missing="nobody"))
