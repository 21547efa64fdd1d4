"""A worker that is killed between an owner's crash command and the start command: the server does not stay down."""

import os
import signal

import pytest
from django.utils import timezone

from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import DEAD_AFTER, Worker
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.real import parts
from tests.real.lab import started
from tests.real.owned import owned
from tests.real.parts import until
from tests.real.slow import SLOW
from tests.real.trials import forgetful
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant, WorkloadChoice
from workers.errors import ServerError
from workers.servers import ask
from workers.servers.connection import connect


@pytest.fixture
def theirs(make_sandbox):
    with make_sandbox(SLOW | forgetful(), name="left", trace=False) as running, owned(running) as known:
        yield known


@pytest.fixture
def server(transactional_db, theirs, admin, tmp_path):
    """Its crash command tells its pid when the server is down, and then does not end."""
    target = theirs.server.target
    made = Server(name="Theirs", kind="attached", host=target.host, port=target.port, user=target.user)
    actions.register(admin, made, target.password)
    hangs = f"{theirs.crash[-1]}; echo $$ > {tmp_path}/down.tmp; mv {tmp_path}/down.tmp {tmp_path}/down; exec sleep 600"
    actions.mark_expendable(admin, made, ("sh", "-c", hangs), theirs.start)
    return made


def crash_of(server) -> Plan:
    return Plan(
        name="Does it survive?", targets=(PlanTarget(server.pk, server.name, False),), variants=(Variant("as is", {}),),
        workloads=(WorkloadChoice("u", "update-by-key", {}),), threads=(1,), repeats=1, warmup_s=0, measure_s=1,
        table_rows=100, seed=1, crash=CrashPlan(kinds=("attached-expendable",), trials=1, clients=2, load_s=0.5),
    )  # fmt: skip


def answers(server) -> bool:
    try:
        with connect(server.target(), timeout_s=2) as connection:
            return ask.value(connection, "SELECT 1") == 1
    except ServerError:
        return False


def pending(server):
    return server.pending_restores.filter(restored_at=None)


def test_a_server_whose_worker_was_killed_is_started_again(server, admin, sandbox_root, tmp_path):
    with parts.redis_server(), parts.worker(sandbox_root) as first:
        experiment = started(crash_of(server), admin)
        until((tmp_path / "down").exists)
        command = int((tmp_path / "down").read_text())
        assert {one.kind for one in pending(server)} == {"schema", "start"}

        os.kill(first.pid, signal.SIGKILL)
        until(lambda: not parts.is_there(command))  # else it might crash what somebody has started again
        assert not answers(server)

        actions.withdraw_expendable(admin, server)  # it is pending all the same
        Worker.objects.update(beat_at=timezone.now() - DEAD_AFTER * 2)  # as if its silence had lasted
        with parts.worker(sandbox_root):
            until(lambda: not pending(server).exists())
        assert answers(server)
    assert Experiment.objects.get(pk=experiment.pk).state == "interrupted"
    [event] = Event.objects.filter(did="started again")
    assert (event.what, event.detail["experiment"]) == ("Theirs", experiment.pk)
    with connect(server.target()) as link:
        assert ask.rows(link, "SHOW SCHEMAS LIKE 'durascope\\_%%'") == []
