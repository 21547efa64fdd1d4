from dataclasses import replace

import pytest

from tests.unit.bench.plans import plan
from workers.bench.needs import Candidate
from workers.bench.plan import PlanTarget, Variant, WorkloadChoice
from workers.bench.review import estimate_s, problems, set_while_running, without_binlog

SANDBOX = Candidate("sandbox", is_sandbox=True, flavour="mariadb")
ATTACHED = Candidate(
    "db1",
    is_sandbox=False,
    flavour="mariadb",
    engines=frozenset({"innodb"}),
    max_connections=151,
    present={"log_bin": "ON"},
)


def said(changed, candidate=SANDBOX, **keywords):
    return " ".join(problems(changed, {1: candidate}, **keywords))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"sync_binlog": "1"}, ["sandbox has no binary log with a: sync_binlog changes nothing."]),
        ({"sync_binlog": "1", "log_bin": "OFF"}, ["sandbox has no binary log with a: sync_binlog changes nothing."]),
        ({"sync_binlog": "1", "log_bin": "off "}, ["sandbox has no binary log with a: sync_binlog changes nothing."]),
        *(({"sync_binlog": "1", "log_bin": on}, []) for on in ("on", "on ", "true", "1")),
        ({"innodb_flush_log_at_trx_commit": "1"}, []),
    ],
)
def test_a_sandbox_whose_binary_log_is_off_makes_its_flushes_pointless(settings, says):
    changed = plan(variants=(Variant("a", settings),))
    assert without_binlog(changed, {1: SANDBOX, 2: ATTACHED}) == says


@pytest.mark.parametrize(
    ("present", "flavour", "version", "says"),
    [
        ("1", "mariadb", (10, 11, 6), "db1 gets innodb_flush_log_at_trx_commit=2 while it runs."),
        ("1", "mariadb", None, "db1 gets innodb_flush_log_at_trx_commit=2 while it runs."),
        ("1", "mariadb", (10, 6, 22), ""),
        ("2", "mariadb", (10, 11, 6), ""),
        ("1", "mysql", (8, 0, 33), ""),
    ],
)
def test_an_attached_mariadb_gets_2_with_less_effect_than_at_its_start(present, flavour, version, says):
    variants = tuple(Variant(f"{flush}/1", {"innodb_flush_log_at_trx_commit": flush}) for flush in "012")
    server = replace(ATTACHED, flavour=flavour, version=version, present={"innodb_flush_log_at_trx_commit": present})
    found = set_while_running(plan(variants=variants), {1: server, 2: SANDBOX})
    assert len(found) == bool(says) and "".join(found).startswith(says)
    assert not found or found[0].endswith("several times as fast with 2/1.")


def test_a_sandbox_is_restarted_for_2_and_the_estimate_counts_it():
    flushes = [Variant(flush, {"innodb_flush_log_at_trx_commit": flush}) for flush in "012"]
    without, with_2 = (estimate_s(plan(variants=tuple(some), repeats=100)) for some in (flushes[:2], flushes[1:]))
    assert with_2 > without


def test_a_good_plan_is_not_refused():
    assert problems(plan(), {1: SANDBOX}) == []
    assert problems(plan(), {1: ATTACHED}) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": " "}, "Give the experiment a name."),
        ({"name": "\N{SNOWMAN}" * 121}, "the name of the experiment is too long"),
        ({"variants": (Variant("", {}),)}, "Give the variant a name."),
        ({"variants": (Variant("v" * 81, {}),)}, "the name of the variant is too long"),
        ({"workloads": (WorkloadChoice("", "insert", {}),)}, "Give the workload a name."),
        ({"targets": (PlanTarget(1, "one"), PlanTarget(1, "one"))}, "The server 'one' occurs twice"),
        ({"seed": 2**31}, "Seed: 2147483648"),
        ({"seed": -1}, "Seed: -1"),
        ({"threads": (0,)}, "Threads: 0"),
        ({"threads": (1_000_000,)}, "Threads: 1000000"),
        ({"threads": ()}, "at least one number of threads"),
        ({"threads": (8, 8)}, "'8' occurs twice"),
        ({"targets": ()}, "at least one server"),
        ({"variants": ()}, "at least one variant"),
        ({"workloads": ()}, "at least one workload"),
        ({"measure_s": -5}, "Measuring seconds: -5"),
        ({"warmup_s": -1}, "Warm-up seconds: -1"),
        ({"repeats": 0}, "Repeats: 0"),
        ({"table_rows": 0}, "Rows in the table: 0"),
        ({"repeats": 50, "threads": tuple(range(1, 101))}, "at most 5,000"),
        ({"baseline": "2/2"}, "Baseline: '2/2'"),
        ({"sources": ("tea leaves",)}, "no metric source 'tea leaves'"),
        ({"workloads": (WorkloadChoice("x", "no-such", {}),)}, "no workload 'no-such'"),
        ({"workloads": (WorkloadChoice("x", "rows-per-transaction", {"rows": "many"}),)}, "rows"),
        ({"variants": (Variant("x", {"sync_bilnog": "1"}),)}, "sync_bilnog is not a setting"),
        ({"variants": (Variant("x", {"sync_binlog": "1; DROP"}),)}, "sync_binlog"),
        ({"variants": (Variant("x", {}), Variant("x", {}))}, "'x' occurs twice"),
    ],
)
def test_a_bad_plan_is_refused_with_the_reason(changes, reason):
    assert reason in said(plan(**changes))


def test_a_setting_that_needs_a_restart_is_refused_on_an_attached_server():
    off = plan(variants=(Variant("off", {"log_bin": "OFF"}),))
    assert "needs a restart" in said(off, ATTACHED)
    assert said(off, SANDBOX) == ""


def test_a_restart_setting_that_has_its_value_already_is_accepted():
    for value in ("ON", "yes", " 1"):
        assert said(plan(variants=(Variant("on", {"log_bin": value}),)), ATTACHED) == ""


def test_a_missing_engine_is_refused():
    rocks = plan(variants=(Variant("rocks", {}, engine="rocksdb"),))
    assert "no engine rocksdb" in said(rocks, ATTACHED)


def test_more_threads_than_connections_are_refused():
    assert "too few for 151 threads" in said(plan(threads=(151,)), ATTACHED)
    assert "too few for 144 threads and 8 connections" in said(plan(threads=(144,)), ATTACHED)
    assert said(plan(threads=(143,)), ATTACHED) == ""


def test_a_load_on_a_read_only_server_is_refused():
    reason = said(plan(), replace(ATTACHED, read_only=("read_only", "super_read_only")))
    assert "read-only" in reason and "measure its source" in reason and "super_read_only" in reason


def test_a_load_on_production_is_refused_unless_confirmed():
    production = Candidate("db1", is_sandbox=False, is_production=True, flavour="mariadb")
    assert "labelled production" in said(plan(), production)
    assert said(plan(), production, production_confirmed=True) == ""


def test_the_estimate_lies_between_the_load_and_twice_the_load():
    load_s = plan().size * 6
    assert load_s < estimate_s(plan()) < 2 * load_s


def test_two_targets_are_reviewed_each_by_its_own_facts():
    both = plan(targets=(PlanTarget(1, "one"), PlanTarget(2, "two")))
    assert problems(both, {1: SANDBOX, 2: ATTACHED}) == []
