"""An experiment's cells: claimed one by one from their rows, each measured on the server that was made ready for it."""

import re
from dataclasses import replace

from dashboard.records.experiments import live, storing_runs
from dashboard.records.experiments.environment import MeasuredServer
from dashboard.records.experiments.models import Cell, Environment
from workers.bench.load import LoadSecond
from workers.bench.measure import Listener, Measurement, second_of
from workers.bench.stage_key import StageKey
from workers.conducting.guarding import guarded
from workers.conducting.job import Job
from workers.conducting.stages import Keep, Ready, make_ready, put_back
from workers.errors import Cancelled, SandboxError, SandboxLost, ServerError, TogetherError
from workers.together.shared_load import SharedLoad

# Variables that count on by themselves are no part of an environment, and those that hold a secret nobody's business.
LEFT_OUT = re.compile(
    r"^(gtid_binlog_|gtid_current_pos|gtid_executed|gtid_purged|gtid_slave_pos|timestamp)"
    r"|(_password|_passphrase|_auth|_token|_filekey|_secret|_secret_key|_provider_options)$"
)


def measure_all(job: Job) -> None:
    """Make every server ready, measure every waiting cell, put every server back. Raises Cancelled, or what makes it
    impossible to go on; the cells that are left stay waiting."""
    ready: dict[StageKey, Ready] = {}
    with put_back(job) as keep:
        for key in job.stage_keys(job.experiment.cells):
            if job.cancelled():
                raise Cancelled("Stopped while servers were made ready.")
            ready[key] = make_ready(job, key, keep, ready.values())
        with guarded(job, ready.values()):
            while row := job.next(job.experiment.cells):
                _measure(job, row, ready, keep)


def _measure(job: Job, row: Cell, ready: dict[StageKey, Ready], keep: Keep) -> None:
    """Once the server or a worker is gone or refuses, what is left stays waiting and can be resumed.

    A sandbox whose server is gone is made anew, once for each cell: it is of this experiment alone, and nothing of the
    cell is stored yet. Other workers cannot be asked for their parts of a load twice."""
    key, shared = job.stage_key(row), job.plan.load_workers > 1
    with job.ends(row, ServerError, SandboxError, TogetherError):
        try:
            done = _attempt(job, row, ready[key])
        except SandboxLost as first:
            if shared:
                raise
            ready[key].stage.close()
            ready[key] = make_ready(job, key, keep, ready.values())
            done = second_of(_attempt(job, row, ready[key]), first)
        storing_runs.save_run(row, done, _environment(ready[key]), ready[key].probe)


def _attempt(job: Job, row: Cell, ready: Ready) -> Measurement:
    planned, count = job.cells[row.position], job.plan.load_workers
    gather = SharedLoad(row, job.worker, count, job.say) if count > 1 else None
    return job.ports.measure(ready.stage, ready.prepared, job.plan, planned, _listener(job, row), gather)


def _listener(job: Job, row: Cell) -> Listener:
    told = job.ports.tell(job.experiment.pk, live.mark(row.started_at))

    def second(sample: LoadSecond, warming: bool) -> None:
        told.tell((round(sample.t_s, 1), round(sample.tps, 1), sample.p95_ms), warming)

    return Listener(job.say, second, job.cancelled)


def _environment(ready: Ready) -> Environment:
    facts = ready.stage.facts
    variables = {name: value for name, value in facts.variables.items() if not LEFT_OUT.search(name)}
    server = MeasuredServer(facts.flavour, facts.version_text, dict(facts.engines), variables)
    return storing_runs.environment_row(replace(ready.place, server=server).as_stored())
