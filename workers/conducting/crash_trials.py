"""An experiment's crash trials: claimed one by one like cells, each on a sandbox of its own, or on an owner's server.

The rows, not the plan, say what is crashed: a trial that is repeated is a row of its own. Whether an owner's server may
be crashed is checked before the trial, and again just before the crash. Each change that must be undone is stored
first."""

import secrets
from functools import partial
from pathlib import Path

from django.conf import settings

from dashboard.findings.attached.profile import service_of
from dashboard.installation.retry import retried
from dashboard.records.accounts.roles import allowed
from dashboard.records.audit.models import record
from dashboard.records.experiments import claiming, storing_runs, storing_trials
from dashboard.records.experiments.environment import EnvironmentFacts, MeasuredServer
from dashboard.records.experiments.models import Environment, Trial
from dashboard.records.experiments.rights import queued_by
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server
from dashboard.records.servers.programs import may_run_here
from workers.bench.own_review import of_plan
from workers.bench.replica_flushes import settings_of
from workers.conducting.drilled_manager import drilled
from workers.conducting.job import Job
from workers.crash.setup_and_result import Attached, TrialRequest, TrialSetup
from workers.errors import PlanError
from workers.host import environment
from workers.sandbox.builds import Build
from workers.sandbox.storage import Storage, parse
from workers.servers import schema
from workers.servers.connection import connect
from workers.servers.services import SERVICES
from workers.servers.settings import check_all
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
    server, variant, crash = job.servers[row.server_id], job.plan.variant(row.variant), job.plan.crash
    build = job.ports.find(variant.build or server.build) if server.is_sandbox else None
    storage = parse(variant.storage) if variant.storage else None
    root = Path(settings.SANDBOX_ROOT)
    request = TrialRequest(
        root=root,
        name=server.name,
        settings=check_all(variant.settings, build.flavour) if build else variant.settings,
        seed=row.seed,
        engine=variant.engine,
        clients=crash.clients,
        load_s=crash.load_s,
        storage=storage,
        user=settings.SANDBOX_USER,
    )
    story = None
    if variant.topology and build:
        topology = parse_topology(variant.topology)
        setup = FailoverSetup(
            **vars(request),
            build=build,
            topology=topology,
            fault=row.kind,
            manager=drilled(row, topology),
            pause_s=crash.pause_s,
        )
        failover = job.ports.fail_over(setup, job.say, job.cancelled)
        found, story = failover.as_trial(), failover.story
    else:
        trial = TrialSetup(
            **vars(request),
            build=build,
            kind=row.kind,
            replica=crash.replica,
            replica_settings=settings_of(crash, variant.engine),
            attached=None if server.is_sandbox else borrow(row),
            points=crash.points,
            points_s=crash.points_s,
            keep_recording=crash.keep_recording,
            own=of_plan(job.plan) if crash.own_load else None,
            looked_for=looked_for(row),
        )
        found = job.ports.crash(trial, job.say, job.cancelled)
    storing_trials.save(row, found, _place(root, build, storage), story)


@retried
def looked_for(row: Trial) -> frozenset[str]:
    """The checks for which other trials of this variant have looked for the shortest load."""
    alike = row.experiment.trials.filter(server_id=row.server_id, variant=row.variant, kind=row.kind).exclude(pk=row.pk)
    stored = alike.values_list("evidence__data__points__shortest", flat=True)
    return frozenset(key for shortest in stored for load in shortest or () for key in load["checks"])


def _place(root: Path, build: Build | None, device: Storage | None) -> Environment:
    """Where trials ran: this host, and the server's build. Its variables are the variant's settings."""
    server = MeasuredServer(build.flavour, build.version_text) if build else None
    storage = environment.storage(root, device.text if device else None)
    return storing_runs.environment_row(EnvironmentFacts(environment.host(), storage, server=server).as_stored())


def borrow(row: Trial) -> Attached:
    """The server with a schema of this trial's own. Raises PlanError when it may not be crashed."""
    server, require_claim = _expendable(row), partial(claiming.require_claim, row.experiment)
    restores.restore(server, require_claim)
    name = f"{schema.PREFIX}crash_{row.pk}_{secrets.token_hex(4)}"
    with connect(server.target()) as connection:
        schema.create(
            connection,
            name,
            lambda made: restores.note(server, row.experiment, "schema", made, ""),
            lambda made: restores.done(server, require_claim, "schema", made),
        )
    crash, start = tuple(server.crash_command), tuple(server.start_command)
    service, _ = service_of(server)
    return Attached(
        target=server.target(),
        schema=name,
        crash=crash,
        start=start,
        permit=partial(permit, row, crash, start),
        require_claim=require_claim,
        limit_s=restores.COMMAND_LIMIT_S,
        back=partial(restores.done, server, require_claim, PendingRestore.Kind.START, ""),
        binlog_index=server.binlog_index,
        service=SERVICES[service].title if service else "",
    )


def permit(row: Trial, crash: tuple[str, ...], start: tuple[str, ...]) -> None:
    """The last check before an owner's server is crashed, kept in the audit log. Its start is stored first as a pending
    restore, for this worker may die in between; it is started even if the mark *expendable* was withdrawn since. Raises
    PlanError."""
    if not claiming.still_claimed(row):  # whoever took this worker for dead may have put the server back already
        raise PlanError(f"The trial was taken from this worker: {row.server} was not crashed.")
    server = _expendable(row)
    if (tuple(server.crash_command), tuple(server.start_command)) != (crash, start):
        raise PlanError(f"The commands of {server.name} were changed: it was not crashed.", "Repeat the trial.")
    restores.note(server, row.experiment, PendingRestore.Kind.START, "", "")
    record(queued_by(row.experiment), "crashed", server, experiment=row.experiment_id, trial=row.pk, command=crash)


@retried
def _expendable(row: Trial) -> Server:
    """The server as it is marked now, if whoever queued the experiment has the right now. Nobody is named: the message
    is shown to guests."""
    server = Server.objects.get(pk=row.server_id)
    if not server.may_be_crashed:
        raise PlanError(f"{server.name} is no longer expendable: it was not crashed.", "See the server's page.")
    if not allowed(queued_by(row.experiment), "crash", server):
        raise PlanError(
            f"{server.name} was not crashed: the account that queued this experiment may not crash it any more.",
            "Its owner or an administrator can resume the experiment.",
        )
    if not may_run_here(server, server.crash_command, server.start_command):
        raise PlanError(
            f"{server.name} was not crashed: this worker's DURASCOPE_CRASH_PROGRAMS does not list its commands, and "
            "the person who set them is not an administrator.",
            "Have an administrator set them again, or list the programs where workers run.",
        )
    return server
