import pytest

from dashboard.pages.experiments.forms import PlanForm
from dashboard.records.servers.models import Server


@pytest.fixture
def server(db):
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


def filled(server, **changes):
    return {
        "name": "Mine",
        "servers": [server.pk],
        "variants": ["1/1", "0/0"],
        "binlog": "on",
        "workloads": ["update-by-key"],
        "threads": "1, 8",
        "repeats": "2",
        "warmup_s": "1",
        "measure_s": "5",
        "table_rows": "1000",
        "trials": "0",
        "clients": "16",
        "load_s": "2",
        **changes,
    }


def test_the_form_makes_a_plan(server):
    form = PlanForm(filled(server))
    assert form.is_valid(), form.errors
    plan = form.plan()
    assert plan.threads == (1, 8)
    assert [variant.name for variant in plan.variants] == ["1/1", "0/0"]
    assert plan.variants[1].settings == {
        "log_bin": "ON",
        "innodb_flush_log_at_trx_commit": "0",
        "sync_binlog": "0",
    }


def test_the_form_reads_own_variants_and_workloads(server):
    form = PlanForm(
        filled(
            server,
            own_variants="wait 4: sync_binlog=1 binlog_commit_wait_count=4\nrocks: engine=rocksdb",
            own_workloads="ten rows: rows-per-transaction rows=10",
        )
    )
    assert form.is_valid(), form.errors
    plan = form.plan()
    assert plan.variant("wait 4").settings == {"sync_binlog": "1", "binlog_commit_wait_count": "4"}
    assert plan.variant("rocks").engine == "rocksdb"
    assert plan.workload("ten rows").params == {"rows": "10"}


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("threads", "many", "whole numbers"),
        ("servers", [], "Choose a server"),
        ("own_variants", "no colon here", "a colon"),
        ("own_variants", "x: justaword", "name=value"),
        ("own_workloads", "x: a b", "one workload"),
        ("repeats", "1.5", "whole number"),
    ],
)
def test_the_form_says_which_field_is_wrong_and_why(server, field, value, reason):
    form = PlanForm(filled(server, **{field: value}))
    assert not form.is_valid()
    assert reason in " ".join(form.errors[field])


def test_the_form_plans_crashes(server):
    form = PlanForm(filled(server, trials="4", kinds=["power-loss"], replica="on"))
    assert form.is_valid(), form.errors
    crash = form.plan().crash
    assert (crash.kinds, crash.trials, crash.control_trials, crash.replica) == (("power-loss",), 4, 3, True)


def test_a_form_without_crashes_plans_no_trial(server):
    form = PlanForm(filled(server))
    assert form.is_valid()
    assert list(form.plan().trials()) == []


def test_build_and_device_hold_for_the_ticked_pairs_only(server):
    form = PlanForm(filled(server, build="mysql-5.6.14", storage="hdd-10k", own_variants="mine: sync_binlog=1"))
    assert form.is_valid(), form.errors
    plan = form.plan()
    assert {(one.build, one.storage) for one in plan.variants[:2]} == {("mysql-5.6.14", "hdd-10k")}
    assert (plan.variant("mine").build, plan.variant("mine").storage) == ("", "")


@pytest.mark.parametrize(("field", "value"), [("build", "mysql-4.0"), ("storage", "floppy")])
def test_unknown_builds_and_devices_cannot_be_chosen(server, field, value):
    form = PlanForm(filled(server, **{field: value}))
    assert not form.is_valid() and field in form.errors


ON_ONE_DEVICE = """
title = "Mine"
says = "On a device."
[plan]
workloads = [{ key = "update-by-key" }]
threads = [1]
repeats = 1
warmup_s = 1
measure_s = 1
table_rows = 1000
[plan.common]
storage = "STORAGE"
[[plan.variants]]
name = "1/1"
settings = { innodb_flush_log_at_trx_commit = "1", sync_binlog = "1" }
[[plan.variants]]
name = "0/0"
settings = { innodb_flush_log_at_trx_commit = "0", sync_binlog = "0" }
"""


@pytest.mark.parametrize(("storage", "ticked"), [("hdd-10k", ["1/1", "0/0"]), ("k=5ms,r=100MB/s", [])])
def test_pairs_of_a_recipe_on_a_profile_are_ticked(tmp_path, settings, server, storage, ticked):
    """What the form cannot offer to choose is written as lines; either way it is sent back as it was."""
    (tmp_path / "mine.toml").write_text(ON_ONE_DEVICE.replace("STORAGE", storage))
    settings.RECIPES = tmp_path
    initial = PlanForm(recipe="mine").initial
    assert initial["variants"] == ticked
    form = PlanForm({"binlog": "keep", **initial, "servers": [server.pk]}, recipe="mine")
    assert form.is_valid(), form.errors
    assert [(one.name, one.storage) for one in form.plan().variants] == [("1/1", storage), ("0/0", storage)]
