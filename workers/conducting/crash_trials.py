"""An experiment's crash trials: claimed one by one like cells, each on a sandbox of its own, or on an owner's server.

The rows, not the plan, say what is crashed: a trial that is repeated is a row of its own."""

from pathlib import Path

from django.conf import settings

from dashboard.records.experiments import run_results, trial_results
from dashboard.records.experiments.models import Environment, Trial
from workers.bench.plan import Variant
from workers.conducting import expendable
from workers.conducting.job import Job
from workers.crash.setup_and_result import TrialSetup
from workers.host import environment
from workers.sandbox.builds import Build
from workers.sandbox.storage import Storage, parse
from workers.topology.setup_and_result import FailoverSetup
from workers.topology.topology import parse as parse_topology
from workers.upkeep import restores


def crash_all(job: Job) -> None:
    """Run every waiting trial. Raises Cancelled, and PlanError once whoever queued them may not run them any more. One
    that cannot begin is stored as failed, and the next one runs."""
    while row := job.next(job.experiment.trials):
        server = job.servers[row.server_id]
        job.say(f"crashing {row.variant}: {row.kind}")
        try:
            with job.ends(row):
                _run(job, row)
        finally:
            if not server.is_sandbox:
                restores.restore(server, job.require_claim)


def _run(job: Job, row: Trial) -> None:
    variant = job.plan.variant(row.variant)
    if variant.topology:
        asked = _failover(job, row, variant)
        found = job.ports.fail_over(asked, job.say, job.cancelled)
        trial_results.save(row, found.as_trial(), _place(asked.root, asked.build, asked.storage), found.story)
    else:
        setup = _setup(job, row)
        result = job.ports.crash(setup, job.say, job.cancelled)
        trial_results.save(row, result, _place(setup.root, setup.build, setup.storage))


def _failover(job: Job, row: Trial, variant: Variant) -> FailoverSetup:
    server, crash = job.servers[row.server_id], job.plan.crash
    return FailoverSetup(
        root=Path(settings.SANDBOX_ROOT),
        build=job.ports.find(variant.build or server.build),
        name=server.name,
        topology=parse_topology(variant.topology),
        settings=variant.settings,
        fault=row.kind,
        seed=row.seed,
        engine=variant.engine,
        clients=crash.clients,
        load_s=crash.load_s,
        storage=parse(variant.storage) if variant.storage else None,
        user=settings.SANDBOX_USER,
    )


def _setup(job: Job, row: Trial) -> TrialSetup:
    plan, server, variant = job.plan, job.servers[row.server_id], job.plan.variant(row.variant)
    return TrialSetup(
        root=Path(settings.SANDBOX_ROOT),
        build=job.ports.find(variant.build or server.build) if server.is_sandbox else None,
        name=server.name,
        settings=variant.settings,
        engine=variant.engine,
        kind=row.kind,
        seed=row.seed,
        clients=plan.crash.clients,
        load_s=plan.crash.load_s,
        replica=plan.crash.replica,
        user=settings.SANDBOX_USER,
        attached=None if server.is_sandbox else expendable.borrow(row),
        storage=parse(variant.storage) if variant.storage else None,
    )


def _place(root: Path, build: Build | None, device: Storage | None) -> Environment:
    """Where trials ran: this host, and the server's build. Its variables are the variant's settings."""
    server = {"flavour": build.flavour, "version": build.version_text, "variables": {}} if build else {}
    storage = environment.storage(root) | {"profile": device.text if device else None}
    return run_results.environment_row({"host": environment.host(), "storage": storage, "server": server})
