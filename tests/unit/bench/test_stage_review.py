"""What is refused of builds and storage before the start."""

from dataclasses import replace

import pytest

from tests.unit.bench.plans import plan
from workers.bench import recipes
from workers.bench.needs import Candidate
from workers.bench.plan import CrashPlan, PlanTarget, Variant
from workers.bench.review import estimate_s, problems
from workers.bench.stage_key import StageKey, stage_keys

BUILDS = {"system-mariadb": "mariadb", "old-mysql": "mysql"}
SANDBOX = Candidate("one", is_sandbox=True, flavour="mariadb", builds=BUILDS, installed=frozenset({"system-mariadb"}))


def refusals(variant: Variant, server: Candidate = SANDBOX, **changes) -> str:
    return "\n".join(problems(plan(variants=(variant,), **changes), {1: server}))


@pytest.mark.parametrize(
    "variant",
    [
        Variant("plain", {}),
        Variant("disk", {}, storage="sata-7200"),
        Variant("logs", {}, storage="k=5ms,r=100MB/s+log"),
        Variant("build", {}, build="system-mariadb"),
        Variant("rocks", {}, engine="rocksdb", storage="hdd-10k+binlog"),
    ],
)
def test_a_variant_that_can_be_measured_is_accepted(variant):
    assert refusals(variant) == ""


def test_an_attached_server_has_its_own_build_and_storage():
    attached = Candidate("prod", is_sandbox=False)
    both = Variant("v", {}, build="old-mysql", storage="sata-7200")
    assert "sets build and storage, and prod is an attached server" in refusals(both, attached)
    assert "sets storage, and" in refusals(Variant("v", {}, storage="sata-7200"), attached)
    assert "attached" not in refusals(Variant("v", {}), attached)


def test_a_build_that_is_not_installed_is_refused_with_what_to_do():
    assert "manage.py build install old-mysql" in refusals(Variant("v", {}, build="old-mysql"))
    assert refusals(Variant("v", {}, build="old-mysql"), replace(SANDBOX, installed=None)) == ""
    assert "no build called 'older'" in refusals(Variant("v", {}, build="older"))


def test_settings_are_those_of_the_build_that_the_variant_names():
    everything = replace(SANDBOX, installed=frozenset(BUILDS))
    of_mysql = {"binlog_group_commit_sync_delay": "100"}
    assert refusals(Variant("v", of_mysql, build="old-mysql"), everything) == ""
    assert refusals(Variant("v", of_mysql), everything) != ""


def test_a_storage_that_is_none_is_refused():
    assert "There is no storage 'floppy'" in refusals(Variant("v", {}, storage="floppy"))


def test_a_host_without_volatile_disks_says_why():
    without = replace(SANDBOX, disk_missing="The kernel has no FUSE.")
    assert "cannot simulate sata-7200. The kernel has no FUSE." in refusals(
        Variant("v", {}, storage="sata-7200"), without
    )
    assert refusals(Variant("v", {}), without) == ""


def test_only_innodbs_redo_log_lies_apart():
    assert "Write +binlog" in refusals(Variant("v", {}, engine="rocksdb", storage="hdd-10k+log"))


def test_a_crash_trial_with_a_replica_has_one_device_for_each_server():
    crash = CrashPlan(kinds=("power-loss",), trials=1, replica=True)
    two = Variant("v", {}, storage="hdd-10k+log")
    assert "Turn replicas off, or choose hdd-10k." in refusals(two, crash=crash)
    assert refusals(replace(two, storage="hdd-10k"), crash=crash) == ""
    assert refusals(two, crash=replace(crash, replica=False)) == ""
    assert refusals(two) == ""


def test_a_recipe_runs_on_another_device_or_build_when_told_so():
    recipe = recipes.load("what-does-safety-cost")
    moved = recipe.plan([], {"storage": "hdd-10k+log", "build": "old-mysql"})
    assert {(one.storage, one.build) for one in moved.variants} == {("hdd-10k+log", "old-mysql")}
    assert {one.storage for one in recipe.plan([]).variants} == {""}


def test_a_stand_is_made_once_for_all_variants_that_share_it():
    variants = [Variant(str(n), {}, storage=storage) for n, storage in enumerate(("", "hdd-10k", "hdd-10k", ""))]
    planned = plan(targets=(PlanTarget(1, "one"), PlanTarget(2, "two")), variants=tuple(variants))
    assert list(stage_keys(planned)) == [
        StageKey(1),
        StageKey(1, "", "hdd-10k"),
        StageKey(2),
        StageKey(2, "", "hdd-10k"),
    ]
    assert estimate_s(planned) > estimate_s(replace(planned, variants=tuple(Variant(str(n), {}) for n in range(4))))


def test_a_variant_that_names_the_servers_own_build_shares_its_stand():
    assert StageKey.of(1, "system-mariadb", Variant("v", {}, build="system-mariadb")) == StageKey.of(
        1, "system-mariadb", Variant("v", {})
    )
    assert StageKey(1, "b", "hdd-10k").titled("one", "b") == "one, hdd-10k"
