"""Whole experiments on a real sandbox, conducted in this process."""

import threading
import time
from dataclasses import replace

import pytest
from django.db import connection

from dashboard.records.experiments import actions, lifecycle, queries
from dashboard.records.experiments.actions import queue_unfinished
from dashboard.records.experiments.models import Cell, Environment, Experiment, Run
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Server
from tests.real.slow import SLOW, slowed
from workers.bench import recipes
from workers.bench.plan import Plan
from workers.conducting.conduct import conduct

LIMIT_S = 120.0
QUICK = {
    "threads": "1,4",
    "repeats": "1",
    "warmup_s": "0",
    "measure_s": "1",
    "table_rows": "500",
    "seed": "1",
    "trials": "0",
}


@pytest.fixture
def sandbox_server(transactional_db, settings, sandbox_root):
    settings.SANDBOX_ROOT = str(sandbox_root)
    return Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")


@pytest.fixture
def attached_server(transactional_db, sandbox):
    """The session's sandbox, registered as if a DBA had."""
    target = sandbox.target
    server = Server(name="Attached", kind="attached", host=target.host, port=target.port, user=target.user)
    server.set_password(target.password)
    server.save()
    with slowed(sandbox):
        yield server


def make(server: Server, **overrides: str) -> Experiment:
    """A commit waits 5 ms, which leaves the processors to other tests."""
    plan = actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], QUICK | overrides)
    slow = SLOW | {"binlog_commit_wait_usec": "5000"}
    variants = tuple(replace(one, settings=slow | one.settings) for one in plan.variants)
    return actions.create(replace(plan, variants=variants), None, recipe="what-does-safety-cost")


def test_every_cell_is_measured_on_a_sandbox_with_the_fsyncs_of_each_commit(sandbox_server, worker, sandbox_root):
    """At one thread, 1/1 flushes redo log and binlog for every commit; 0/0 hardly ever."""
    before = live_folders(sandbox_root)
    experiment = conduct(make(sandbox_server, threads="1", measure_s="2").pk, worker)
    assert (experiment.state, experiment.error) == ("done", "")
    runs = Run.objects.filter(cell__experiment=experiment).select_related("cell", "series", "evidence")
    assert len(runs) == 4
    for run in runs:
        assert run.transactions > 0 and run.tps > 0
        assert len(run.series.columns["tps"]) >= 1
        flush, sync = run.cell.variant.split("/")
        assert run.effective["innodb_flush_log_at_trx_commit"] == flush
        assert run.effective["sync_binlog"] == sync
        assert run.effective["log_bin"] in ("ON", "1")
    assert not HostLease.objects.exists()
    assert Environment.objects.count() <= 2
    assert live_folders(sandbox_root) == before
    per_commit = {run.cell.variant: fsyncs_per_commit(run) for run in runs}
    # A server flushes for reasons of its own, too: the slower the machine, the more of that falls on each commit.
    assert all(0.95 < value < 1.5 for value in per_commit["1/1"])
    assert all(value < 0.3 for value in per_commit["0/0"])


def fsyncs_per_commit(run: Run) -> list[float]:
    """Of the redo log and of the binlog, by the first source that counts them."""
    values = {figure["name"]: figure["value"] for figure in reversed(run.figures)}
    return [values[name] / run.transactions for name in ("redo_fsyncs", "binlog_fsyncs")]


def test_an_attached_server_is_as_before_after_an_experiment(attached_server, worker, sandbox):
    def look():
        with connection_to(sandbox) as link, link.cursor() as cursor:
            cursor.execute("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.sync_binlog")
            values = cursor.fetchone()
            cursor.execute("SHOW DATABASES LIKE 'durascope\\_%%'")
            return values, cursor.fetchall()

    before = look()
    plan = without_log_bin(make_plan(attached_server))
    experiment = conduct(actions.create(plan, None).pk, worker)
    assert (experiment.state, experiment.error) == ("done", "")
    assert look() == before
    made = attached_server.pending_restores.all()
    assert {one.kind for one in made} == {"variable", "schema"}
    assert all(one.restored_at for one in made)


def test_a_cancelled_experiment_stops_in_mid_cell_and_keeps_its_results(sandbox_server, worker):
    experiment = make(sandbox_server, threads="2", measure_s="600")
    measuring = threading.Thread(target=in_thread, args=(experiment.pk, worker))
    measuring.start()
    until(lambda: experiment.cells.filter(state="running").exists() and "measuring" in activity(experiment))
    actions.cancel(experiment, None)
    until(lambda: not experiment.cells.filter(state="running").exists())
    measuring.join(LIMIT_S)
    experiment.refresh_from_db()
    assert experiment.state == "cancelled"
    assert not experiment.cells.filter(state="waiting").exists()


def test_a_resumed_experiment_measures_the_cells_that_are_left(sandbox_server, worker):
    experiment = make(sandbox_server, threads="1")
    first, second, *others = experiment.cells.all()
    Cell.objects.filter(pk__in=[one.pk for one in others]).delete()
    Cell.objects.filter(pk=first.pk).update(state="interrupted")
    Experiment.objects.filter(pk=experiment.pk).update(state="interrupted")
    queue_unfinished(experiment)
    assert conduct(experiment.pk, worker).state == "done"
    assert {run.cell for run in Run.objects.all()} == {first, second}


def test_an_experiment_waits_while_its_host_is_busy(sandbox_server, worker):
    busy, waiting = make(sandbox_server), make(sandbox_server)
    assert lifecycle.begin(busy.pk, worker, ["somewhere"]) is not None
    assert lifecycle.begin(waiting.pk, worker, ["somewhere"]) is None
    waiting.refresh_from_db()
    assert waiting.state == "queued" and "is running on the same host" in waiting.activity
    assert lifecycle.begin(waiting.pk, worker, ["elsewhere"]) is not None


def test_an_experiment_runs_once_however_often_its_task_is_sent(sandbox_server, worker):
    experiment = make(sandbox_server)
    assert lifecycle.begin(experiment.pk, worker, ["a"]) is not None
    assert lifecycle.begin(experiment.pk, worker, ["b"]) is None


def test_an_experiment_whose_server_goes_away_stops_with_the_reason(worker, make_sandbox, transactional_db):
    doomed = make_sandbox(SLOW)
    target = doomed.target
    server = Server(name="Doomed", kind="attached", host=target.host, port=target.port, user=target.user)
    server.set_password(target.password)
    server.save()
    experiment = actions.create(without_log_bin(make_plan(server, measure_s="4")), None)
    measuring = threading.Thread(target=in_thread, args=(experiment.pk, worker))
    measuring.start()
    until(lambda: "measuring" in activity(experiment) or Experiment.objects.get(pk=experiment.pk).is_over)
    experiment.refresh_from_db()
    assert not experiment.error, experiment.error
    doomed.kill()
    measuring.join(LIMIT_S)
    experiment.refresh_from_db()
    assert experiment.state == "failed"
    assert experiment.error and experiment.fix
    pending = server.pending_restores.filter(restored_at=None)
    assert pending.exists(), "what could not be put back stays written down"
    assert experiment.cells.filter(state="waiting").exists(), "what is left can be resumed"


def live_folders(sandbox_root) -> set[str]:
    return {folder.name for folder in (sandbox_root / "live").glob("*")}


def make_plan(server: Server, **overrides: str) -> Plan:
    return actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], QUICK | {"threads": "1"} | overrides)


def without_log_bin(plan: Plan) -> Plan:
    """The recipe for a server that was never tested: its binlog is as it is."""
    data = plan.as_dict()
    for variant in data["variants"]:
        del variant["settings"]["log_bin"]
    return Plan.from_dict(data)


def connection_to(sandbox):
    from workers.servers.connection import connect

    return connect(sandbox.target)


def in_thread(experiment_id, worker):
    try:
        conduct(experiment_id, worker)
    finally:
        connection.close()


def activity(experiment: Experiment) -> str:
    return Experiment.objects.values_list("activity", flat=True).get(pk=experiment.pk)


def until(true, limit_s: float = LIMIT_S) -> None:
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def test_progress_tells_a_terminal_and_a_page_the_same(sandbox_server, worker):
    experiment = make(sandbox_server)
    now = queries.live_state(experiment)
    assert (now["state"], now["done"], now["total"], now["over"]) == ("queued", 0, 8, False)
    assert now["left_s"] == pytest.approx(experiment.estimate_s)
