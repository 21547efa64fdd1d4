"""The database may go away at any statement of a crash trial: the experiment goes on when it is back."""

import itertools

import pytest
from django.db import OperationalError, connection

from dashboard.installation import retry
from dashboard.records.experiments import lifecycle
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.servers.models import Server
from tests.unit.conducting import experiments as make
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant, WorkloadChoice
from workers.conducting.crash_trials import crash_all
from workers.conducting.job import Job

pytestmark = pytest.mark.django_db(transaction=True)


class Losing:
    """Loses the connection once, at the statement of that number."""

    def __init__(self, number: int) -> None:
        self._left = number

    def __call__(self, execute, sql, params, many, context):
        self._left -= 1
        if self._left == -1:
            raise OperationalError("the database was shut down")
        return execute(sql, params, many, context)

    @property
    def happened(self) -> bool:
        return self._left < 0


def _experiment(server: Server) -> Experiment:
    """One trial, which cannot begin: its build is not there, or its server may not be crashed."""
    plan = Plan(
        name="p", targets=(PlanTarget(server.pk, server.name),), variants=(Variant("v", {}),),
        workloads=(WorkloadChoice("update", "update-by-key", {}),), threads=(1,), repeats=1, warmup_s=0, measure_s=1,
        table_rows=10, seed=1, crash=CrashPlan(kinds=("process-kill",), trials=1, control_trials=0),
    )  # fmt: skip
    made = Experiment.objects.create(name="p", plan=plan.as_dict(), seed=1, by_command_line=True)
    Trial.objects.create(experiment=made, server=server, position=0, variant="v", kind="process-kill", repeat=1, seed=1)
    return lifecycle.begin(made.pk, make.worker(), ["here"])


SERVERS = {"sandbox": {"build": "no-such-build"}, "attached": {"host": "192.0.2.7"}}


@pytest.mark.parametrize("kind", SERVERS)
def test_a_trial_survives_the_loss_of_the_connection_at_each_statement(kind, monkeypatch):
    monkeypatch.setattr(retry, "WAITS_S", (0.0, 0.0))
    server = Server.objects.create(name="s", kind=kind, **SERVERS[kind])
    experiment = _experiment(server)
    job = Job(experiment, experiment.worker, Plan.from_dict(experiment.plan), {server.pk: server}, make.ports())
    for number in itertools.count():
        experiment.trials.update(state="waiting", error="")
        with connection.execute_wrapper(losing := Losing(number)):
            crash_all(job)
        [trial] = experiment.trials.all()
        assert (trial.state, bool(trial.error)) == ("failed", True), number
        if not losing.happened:
            break
    assert number > 5
