"""A worker process that is stopped, taken for dead, and comes back while another experiment uses the same server."""

import os
import signal
import socket
import subprocess
import sys

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from dashboard.installation.home import PROJECT
from dashboard.records.experiments import actions, leases, lifecycle
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import DEAD_AFTER, Worker
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server
from tests.real import parts
from tests.real.parts import until
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice
from workers.servers import ask
from workers.servers.connection import connect
from workers.upkeep import housekeeping, restores


@pytest.fixture
def server(transactional_db, sandbox) -> Server:
    """The session's sandbox, registered as if a DBA had."""
    target = sandbox.target
    made = Server(name="Attached", kind="attached", host=target.host, port=target.port, user=target.user)
    made.set_password(target.password)
    made.save()
    return made


@pytest.fixture
def conduct(sandbox_root):
    """Starts a process that conducts an experiment."""
    started = []

    def start(experiment: Experiment) -> subprocess.Popen:
        environment = {**os.environ, **parts.at_home(sandbox_root), "DURASCOPE_HOME": str(django_settings.HOME)}
        argv = [sys.executable, "-m", "tests.real.conductor", str(experiment.pk)]
        process = subprocess.Popen(argv, env=environment, cwd=PROJECT, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        process.stderr.close()


def long_one(server: Server) -> Experiment:
    plan = Plan(
        name="long", targets=(PlanTarget(server.pk, server.name, False),),
        variants=(Variant("2", {"innodb_flush_log_at_trx_commit": "2"}),), repeats=1, warmup_s=0,
        workloads=(WorkloadChoice("u", "update-by-key", {}),), threads=(1,), measure_s=600,
        table_rows=100, seed=1,
    )  # fmt: skip
    return actions.create(plan, None)


def flush(server: Server) -> str:
    with connect(server.target()) as connection:
        return str(ask.value(connection, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit"))


def test_a_worker_taken_for_dead_changes_nothing_on_a_server_of_another_experiment(server, conduct):
    own = flush(server)
    lost, newer = long_one(server), long_one(server)
    process = conduct(lost)
    until(lambda: "measuring" in Experiment.objects.get(pk=lost.pk).activity)
    assert flush(server) == "2" != own

    process.send_signal(signal.SIGSTOP)
    Worker.objects.update(beat_at=timezone.now() - DEAD_AFTER * 2)  # as if its silence had lasted
    housekeeping.interrupt_those_of_dead_workers()
    restores.restore_all()
    assert flush(server) == own and not PendingRestore.objects.filter(restored_at=None).exists()
    held = lifecycle.begin(newer.pk, Worker.objects.create(host=socket.gethostname(), pid=1), leases.hosts_of(server))
    restores.note(server, held, "variable", "innodb_flush_log_at_trx_commit", own)
    with connect(server.target()) as connection:
        ask.rows(connection, "SET GLOBAL innodb_flush_log_at_trx_commit = 0")

    process.send_signal(signal.SIGCONT)
    said = process.communicate(timeout=60)[1]
    assert f"experiment {lost.pk} was taken from this worker" in said
    assert flush(server) == "0", "the newer experiment's setting stays"
    assert PendingRestore.objects.get(restored_at=None).experiment == newer
    assert Experiment.objects.get(pk=lost.pk).state == "interrupted"

    lifecycle.finish(held, "done")
    restores.restore_all()
    assert flush(server) == own


@pytest.fixture
def run(sandbox_root):
    """`manage.py experiment run`: (exit status, what it said)."""

    def ended(*arguments: str) -> tuple[int, str]:
        environment = {**os.environ, **parts.at_home(sandbox_root), "DURASCOPE_HOME": str(django_settings.HOME)}
        argv = [sys.executable, "manage.py", "experiment", "run", *arguments]
        done = subprocess.run(argv, env=environment, cwd=PROJECT, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stderr

    return ended


def test_the_command_line_restores_and_goes_on_where_another_was_killed(server, conduct, run):
    """No worker is alive."""
    Server.objects.create(name="Box", kind="sandbox", build="system-mariadb")
    own, lost = flush(server), long_one(server)
    process = conduct(lost)
    until(lambda: "measuring" in Experiment.objects.get(pk=lost.pk).activity)
    process.kill()
    process.wait()
    assert flush(server) == "2" != own
    Worker.objects.update(beat_at=timezone.now() - DEAD_AFTER * 2)  # as if its silence had lasted

    small = ("threads=1", "repeats=1", "warmup_s=0", "measure_s=1", "table_rows=100", "trials=0")
    sets = [word for one in small for word in ("--set", one)]
    status, said = run("what-does-safety-cost", "--server", "Box", *sets)
    assert status == 0, said
    log = (django_settings.HOME / "logs/experiment.log").read_text()
    assert "experiment long is interrupted: Worker " in log and "is interrupted" not in said, said
    assert "No worker is alive" not in said, said
    assert flush(server) == own and not PendingRestore.objects.filter(restored_at=None).exists()
    assert Experiment.objects.get(pk=lost.pk).state == "interrupted"
