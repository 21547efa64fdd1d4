from dataclasses import replace

import pytest

from tests.unit.bench.plans import plan
from workers.bench.crash_review import estimate_s, problems
from workers.bench.needs import Candidate
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant
from workers.bench.replica_flushes import settings_of
from workers.crash import dialects
from workers.sandbox.builds import BUILDS

SANDBOX = Candidate("sandbox", is_sandbox=True)
HOUR_OF = CrashPlan(kinds=("process-kill", "power-loss"), trials=2, control_trials=1)


def crashing(**changes) -> Plan:
    return plan(crash=replace(HOUR_OF, **changes))


def said(crashed: Plan, server: Candidate = SANDBOX) -> str:
    return " ".join(problems(crashed, {1: server}))


def test_a_good_plan_is_not_refused():
    assert said(crashing()) == ""
    assert said(plan()) == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kinds": ("meteor",)}, "no crash kind 'meteor'"),
        ({"kinds": ()}, "at least one crash"),
        ({"trials": 10_000}, "Trials of each crash"),
        ({"clients": 0}, "Threads in a crash trial"),
        ({"clients": 257}, "Threads in a crash trial"),
        ({"load_s": 0.0}, "Seconds of load"),
        ({"trials": 1000, "kinds": ("process-kill", "power-loss", "torn-power-loss")}, "at most 5,000"),
    ],
)
def test_a_bad_plan_of_crashes_is_refused_with_the_reason(changes, reason):
    assert reason in said(crashing(**changes))


@pytest.mark.parametrize("wrong", ["2", "3/1", "2/0/1", "2/-1", "2/0\nsync_binlog=1", "ON/OFF"])
def test_flush_settings_of_a_replica_are_two_numbers(wrong):
    kinds = ("replica-crash-points",)
    assert "is not known. Write flush_log" in said(crashing(kinds=kinds, replica_flushes=wrong))
    assert said(crashing(kinds=kinds, replica_flushes="2/0")) == said(crashing(kinds=kinds)) == ""
    assert "are for the crash Crash points of a replica" in said(crashing(replica_flushes="2/0"))


def test_flush_settings_of_a_replica_are_those_of_its_engine():
    crash = CrashPlan(replica_flushes="2/0")
    assert settings_of(crash, "InnoDB") == {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0"}
    assert settings_of(crash, "RocksDB") == {"rocksdb_flush_log_at_trx_commit": "2", "sync_binlog": "0"}
    assert settings_of(CrashPlan(), "InnoDB") == {}


def test_a_plan_that_would_crash_nothing_is_refused():
    assert "None of the chosen crashes is for these servers" in said(
        crashing(kinds=("attached-expendable",), control_trials=0)
    )
    attached = plan(targets=(PlanTarget(1, "db1", is_sandbox=False),), crash=HOUR_OF)
    assert "None of the chosen crashes" in said(attached, Candidate("db1", is_sandbox=False))


def test_a_host_that_cannot_lose_power_is_refused_with_the_reason():
    rootless = replace(SANDBOX, crash_missing={"power-loss": "no /dev/fuse", "lying-disk": "no /dev/fuse"})
    assert "Power loss is not available: no /dev/fuse" in said(crashing(), rootless)
    assert "Lying disk is not available" in said(crashing(), rootless), "the control is part of every crash plan"


def test_a_variant_that_cannot_have_a_replica_is_refused_before_the_start():
    old, new = (Variant(name, {"log_bin": "on "}, build=name) for name in ("mysql-5.5.34", "mysql-8.0.33"))
    asked = replace(crashing(replica=True), variants=(old, new))
    server = replace(SANDBOX, replica_missing=dialects.missing_of(BUILDS))
    assert "Variant mysql-5.5.34 cannot have a replica" in said(asked, server)
    assert "Variant mysql-8.0.33" not in said(asked, server)
    assert said(replace(asked, crash=HOUR_OF), server) == ""
    without_binlog = replace(asked, variants=(replace(old, settings={}), new))
    assert said(without_binlog, server) == "", "then no replica is tried"


def test_the_crash_of_one_disk_needs_a_variant_with_two():
    one, two = Variant("one", {}, storage="hdd-10k"), Variant("two", {}, storage="hdd-10k+binlog")
    asked = replace(crashing(kinds=("log-disk-power-loss",), control_trials=0), variants=(one,))
    assert "needs logs on a device of their own. Give a variant two devices" in said(asked)
    both = replace(asked, variants=(one, two))
    assert said(both) == ""
    assert {trial.variant.name for trial in both.trials()} == {"two"}


def owners(settings: dict[str, str]) -> Plan:
    here = (PlanTarget(1, "db1", is_sandbox=False),)
    crash = replace(HOUR_OF, kinds=("attached-expendable",))
    return plan(targets=here, crash=crash, variants=(Variant("as it is", settings),))


def test_a_server_that_is_not_marked_expendable_is_refused():
    guarded = Candidate("db1", is_sandbox=False, may_be_crashed=False)
    assert "not marked it expendable" in said(owners({}), guarded)
    assert said(owners({}), replace(guarded, may_be_crashed=True)) == ""


def test_an_attached_server_is_crashed_with_its_own_settings_only():
    has = {"sync_binlog": "1", "innodb_buffer_pool_size": "134217728", "innodb_doublewrite": "ON"}
    server = Candidate("db1", is_sandbox=False, flavour="mariadb", present=has)
    for same in ({"sync_binlog": "1"}, {"innodb_buffer_pool_size": "128M", "innodb_doublewrite": "1"}):
        assert said(owners(same), server) == ""
    assert "innodb_doublewrite is ON there" in said(owners({"innodb_doublewrite": "0"}), server)
    assert "innodb_log_file_size is not known there" in said(owners({"innodb_log_file_size": "96M"}), server)
    assert said(owners({"init_file": "x"}), server) == "", "the other review refuses it"
    assert "sync_binlog is 1 there" in said(owners({"sync_binlog": "0"}), server)


def test_attached_servers_are_crashed_by_their_owners_command_only():
    mixed = plan(
        targets=(PlanTarget(1, "db1", is_sandbox=False), PlanTarget(2, "sandbox")),
        crash=replace(HOUR_OF, kinds=("process-kill", "attached-expendable")),
    )
    kinds = {(trial.target.name, trial.kind) for trial in mixed.trials()}
    assert {kind for name, kind in kinds if name == "db1"} == {"attached-expendable"}
    assert {kind for name, kind in kinds if name == "sandbox"} == {"process-kill", "lying-disk", "graceful-restart"}


def test_a_replica_that_no_chosen_crash_has_is_refused():
    with_replica = crashing(kinds=("every-crash-point", "small-histories"), replica=True)
    assert "None of the chosen crashes is tried with a replica" in said(with_replica)
    assert "with a replica" not in said(crashing(kinds=("every-crash-point", "power-loss"), replica=True))
    assert "with a replica" not in said(crashing(kinds=("every-crash-point", "replica-crash-points"), replica=True))


def test_crash_points_of_mysql_are_estimated_to_take_longer():
    def of(build):
        crashed = crashing(kinds=("every-crash-point",), points=10, points_s=3600)
        return estimate_s(replace(crashed, variants=(Variant("1/1", {}, build=build),)))

    assert of("mysql-8.0.33") > of("mariadb-11.8") == of("")


def test_more_crash_points_take_longer_and_small_histories_are_always_tried_in_full():
    def of(kind, points):
        crashed = crashing(kinds=(kind,), control_trials=0, points=points, points_s=3600)
        return estimate_s(crashed) / len([*crashed.trials()])

    without = of("power-loss", 10)
    of_loads = [of(kind, 10) - without for kind in ("every-crash-point", "kill-points", "replica-crash-points")]
    assert of_loads == pytest.approx([6, 6, 25]) and of("kill-points", 20) - without == pytest.approx(12)
    assert of("small-histories", 10) == of("small-histories", 1000) > without + 60


def test_trials_with_a_replica_are_estimated_to_take_longer():
    assert estimate_s(plan()) == 0
    assert 0 < estimate_s(crashing()) < estimate_s(crashing(replica=True))


def test_a_host_without_a_disk_that_loses_power_may_kill_without_controls():
    rootless = replace(SANDBOX, crash_missing={"power-loss": "no /dev/fuse", "lying-disk": "no /dev/fuse"})
    assert said(crashing(kinds=("process-kill",), control_trials=0), rootless) == ""
    assert "Lying disk" in said(crashing(kinds=("process-kill",), control_trials=1), rootless)
