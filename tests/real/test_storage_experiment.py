"""Whole experiments on simulated devices: measured, crashed, cancelled, and refused where the host cannot."""

import time

import pytest

from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment, Probe, Run
from dashboard.records.servers.models import Server
from tests.at_once import at_once
from tests.real.disks import leavings, needs_disk
from tests.unit.bench.plans import plan
from workers.bench.plan import CrashPlan, PlanTarget, Variant, WorkloadChoice
from workers.bench.stage import SandboxStage
from workers.conducting.conduct import conduct
from workers.sandbox import builds
from workers.sandbox.disk import ability
from workers.sandbox.storage import parse

pytestmark = needs_disk
ONE_ONE = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "log_bin": "ON"}
NOTHING = (0, 0, [])


@pytest.fixture
def server(transactional_db, settings, sandbox_root):
    settings.SANDBOX_ROOT = str(sandbox_root)
    yield Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")
    assert leavings(sandbox_root) == NOTHING


def make(server: Server, *variants: Variant, **changes) -> Experiment:
    small = {"threads": (1,), "repeats": 1, "warmup_s": 0, "measure_s": 2, "table_rows": 500}
    target = PlanTarget(server.pk, server.name)
    return actions.create(plan(targets=(target,), variants=variants, **{**small, **changes}), None)


def test_variants_on_devices_of_their_own_are_measured_side_by_side(server, worker):
    """One thread commits no faster than its two fsyncs allow; the host's disk and the slow one differ."""
    slow = Variant("slow", ONE_ONE, storage="k=20ms")
    apart = Variant("apart", ONE_ONE, build="system-mariadb", storage="k=20ms+binlog")
    experiment = conduct(make(server, Variant("host", ONE_ONE), slow, apart).pk, worker)
    assert (experiment.state, experiment.error) == ("done", "")
    runs = {run.cell.variant: run for run in Run.objects.select_related("cell", "probe", "environment")}
    assert runs["host"].probe.data["storage"] == "" and "promise" not in runs["host"].probe.data
    assert runs["host"].environment.data["storage"]["profile"] is None
    for name, storage in (("slow", "k=20ms"), ("apart", "k=20ms+binlog")):
        promise = runs[name].probe.data["promise"]
        assert promise["promised_per_s"] == pytest.approx(50)
        assert 0 < promise["read_per_s"] < 60
        assert runs[name].environment.data["storage"]["profile"] == storage
        assert 0 < runs[name].tps < 27  # two fsyncs of 20 ms in series
    assert Probe.objects.count() == 3
    both = runs["apart"].probe.data
    assert both["promise"]["storage"] == "k=20ms+binlog, data"
    assert (both["logs"]["holds"], both["logs"]["promise"]["storage"]) == ("binlog", "k=20ms+binlog, binlog")
    assert 0 < both["logs"]["promise"]["read_per_s"] < 60
    assert {one["size_bytes"] for one in both["logs"]["sweep"]["times"]} >= {512, 4096}
    assert [name for name in ("host", "slow") if "logs" in runs[name].probe.data] == []


def test_as_many_threads_as_a_plan_may_have_work_on_a_slow_device(server, worker):
    experiment = make(
        server,
        Variant("1/1", ONE_ONE, storage="k=5ms"),
        threads=(1024,),
        workloads=(WorkloadChoice("update", "update-by-key", {}),),
        table_rows=10_000,
    )
    assert conduct(experiment.pk, worker).error == ""
    run = Run.objects.get()
    assert run.transactions > 100 and run.errors == 0


def test_a_cancelled_experiment_leaves_no_device(server, worker):
    experiment = make(server, Variant("1/1", ONE_ONE, storage="k=5ms+log"), measure_s=60)

    def cancel():
        deadline = time.monotonic() + 120
        while Experiment.objects.get(pk=experiment.pk).activity != "measuring" and time.monotonic() < deadline:
            time.sleep(0.1)
        actions.cancel(experiment, None)

    conducted, _ = at_once(lambda: conduct(experiment.pk, worker), cancel)
    experiment.refresh_from_db()
    assert (conducted, experiment.state) == (experiment, "cancelled")


def test_a_crash_lies_on_the_variants_storage(server, worker):
    """A commit takes a flush for the redo log and two for the growing binlog: with 16 clients and group commit, a
    device that flushes in 100 ms lets few transactions through."""
    crash = CrashPlan(kinds=("process-kill", "power-loss"), trials=1, control_trials=0, clients=2, load_s=2)
    variant = Variant("1/1", ONE_ONE, build="system-mariadb", storage="k=100ms")
    experiment = conduct(make(server, variant, crash=crash).pk, worker)
    assert (experiment.state, experiment.error) == ("done", "")
    for trial in experiment.trials.all():
        assert trial.verdict in ("valid", "invalid"), trial.evidence.data["failed_at"]
        assert trial.lost_engine == 0
        assert 0 < trial.acknowledged < 40
        assert trial.environment.data["storage"]["profile"] == "k=100ms"


def test_a_host_without_devices_fails_before_anything_is_made(server, worker, monkeypatch):
    experiment = make(server, Variant("host", ONE_ONE), Variant("1/1", ONE_ONE, storage="k=5ms"))
    monkeypatch.setattr(ability, "missing", lambda: "The kernel has no FUSE.")
    ended = conduct(experiment.pk, worker)
    assert ended.state == "failed" and "The kernel has no FUSE." in ended.error
    assert not Run.objects.exists() and not Probe.objects.exists()


def test_a_build_that_is_not_there_fails_before_anything_is_made(server, worker, monkeypatch):
    experiment = make(server, Variant("host", ONE_ONE), Variant("old", ONE_ONE))
    experiment.plan["variants"][1]["build"] = "never-heard-of"
    experiment.save()
    ended = conduct(experiment.pk, worker)
    assert ended.state == "failed" and "never-heard-of" in ended.error
    assert not Run.objects.exists() and not Probe.objects.exists()


def test_the_first_device_of_a_worker_makes_its_folder(sandbox_root):
    root = sandbox_root / "first"
    stage = SandboxStage(root, builds.find("system-mariadb"), "first", "", storage=parse("k=1ms"))
    try:
        assert stage.data_folder().is_relative_to(root)
    finally:
        stage.close()
