"""One experiment from its claim to its end: makes its servers ready, measures cell after cell, puts everything
back, crashes. Runs in a Celery task or straight from the command line.

What holds at each step: `may_begin` has asked everything that would make the work pointless before anything is touched.
`measure_all` has put every server back when it returns or raises, so that no idle server disturbs a trial. `crash_all`
has put an attached server back after each trial. `_finish` returns the leases, whatever happened.
"""

import logging
import socket
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from django.db import DatabaseError, InterfaceError

from dashboard.findings import conclusion
from dashboard.installation import newer_database
from dashboard.installation.log_lines import about
from dashboard.installation.retry import LOST, retried
from dashboard.records.experiments import leases, lifecycle, live
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from workers.bench import newer_plan
from workers.bench.measure import measure
from workers.bench.plan import Plan
from workers.conducting import assignment, drilled_manager
from workers.conducting.cells import measure_all
from workers.conducting.crash_trials import crash_all
from workers.conducting.guarding import watched
from workers.conducting.job import Job, Ports
from workers.conducting.stages import stage_of
from workers.crash.run import run_trial
from workers.errors import Cancelled, DurascopeError, NewerPlan, PlanError, reason
from workers.host import shortages
from workers.sandbox.builds import find
from workers.sandbox.devices import require_disks
from workers.topology.kinds import require_topology
from workers.topology.run import run_failover
from workers.topology.topology import parse
from workers.upkeep import conducting_now
from workers.upkeep.heartbeat import heartbeat

log = logging.getLogger(__name__)
End = tuple[str, DurascopeError | None]  # the experiment's last state and, unless it is done, why
FINISH_AGAIN_S = (1, 5, 15, 60)
PORTS = Ports(
    find=find,
    stage=stage_of,
    watch=watched,
    measure=measure,
    crash=run_trial,
    fail_over=run_failover,
    tell=live.LiveWriter,
    finish=lifecycle.finish,
    stopping=heartbeat.stopping.is_set,
    clock=time.monotonic,
    sleep=time.sleep,
)


def conduct(experiment_id: int, worker: Worker, ports: Ports = PORTS) -> Experiment | None:
    """Run a queued experiment to its end; None when it was not ours to run (not queued, its host is busy, another
    worker must do it, or this one is at it)."""
    with about(experiment=experiment_id), conducting_now.once(experiment_id) as is_first:
        job = _begin(experiment_id, worker, ports) if is_first else None
        if job is None:
            return None
        log.info("begins")
        ended: End = (Experiment.State.FAILED, DurascopeError("The worker ended before the experiment did."))
        try:
            ended = _run(job)
        finally:
            _finish(job, *ended)
            log.info("ended: %s", ended[0])
        remember(job.experiment)
        return job.experiment


def _begin(experiment_id: int, worker: Worker, ports: Ports) -> Job | None:
    try:
        newer_database.check()
        plan = newer_plan.read(Experiment.objects.get(pk=experiment_id).plan)
    except (newer_database.NewerDatabase, NewerPlan) as newer:
        assignment.leave_to_newer(experiment_id, worker, newer)
        return None
    except PlanError as broken:  # its task would be sent again and again
        lifecycle.refuse(experiment_id, broken)
        return None
    servers = Server.objects.in_bulk([target.server_id for target in plan.targets])
    if not assignment.is_ours(experiment_id, plan, servers, worker):
        return None
    experiment = lifecycle.begin(experiment_id, worker, _hosts(plan, servers))
    if experiment is None:
        assignment.pass_on(experiment_id, plan, servers, worker)
        return None
    return Job(experiment, worker, plan, servers, ports)


def _hosts(plan: Plan, servers: Mapping[int, Server]) -> set[str]:
    """All that nobody else may measure with meanwhile; of a load from several workers also this host, and each joiner
    takes its own."""
    own = {leases.of_worker(socket.gethostname())} if plan.load_workers > 1 else set()
    return own.union(*map(leases.hosts_of, servers.values()))


def _run(job: Job) -> End:
    try:
        may_begin(job)
        measure_all(job)
        crash_all(job)
        return Experiment.State.DONE, None
    except Cancelled:
        return job.stopped_as, _stopped(job)
    except DurascopeError as failure:
        return Experiment.State.FAILED, failure
    except Exception as failure:
        log.exception("experiment %s", job.experiment.pk)
        return Experiment.State.FAILED, _told(failure)


def may_begin(job: Job) -> None:
    """Raises PlanError or SandboxError before anything is done to any server."""
    job.must_be_allowed()
    _must_be_confirmed(job)
    for key in (*job.stage_keys(job.experiment.cells), *job.stage_keys(job.experiment.trials)):
        build = job.ports.find(key.build) if key.build else None
        if key.storage:
            require_disks()
        if key.topology and build:
            require_topology(job.title(key), key.topology, build)
    for key in job.stage_keys(job.experiment.trials):
        if key.topology and parse(key.topology).policy.by_manager:
            drilled_manager.require(job.experiment, job.servers[key.server_id])


def _must_be_confirmed(job: Job) -> None:
    """A server may have been labelled production since the experiment was planned, or before it is resumed."""
    labelled = [server.name for server in job.servers.values() if server.label == Server.Label.PRODUCTION]
    if labelled and not job.experiment.production_confirmed:
        raise PlanError(
            f"{labelled[0]} is labelled production, and this experiment was not confirmed for that.",
            "Nothing was done there. Create a new plan and confirm the load.",
        )


def _stopped(job: Job) -> DurascopeError:
    if job.trip:
        server, trip = job.trip
        return DurascopeError(
            f"Stopped by a guardrail of {server} at {datetime.fromtimestamp(trip.at, UTC):%H:%M:%S} UTC: {trip.says}.",
            "Settings were restored and the schema was removed. The measurements before are kept. Resume continues.",
        )
    if why := conducting_now.must_end(job.experiment.pk):
        return DurascopeError(why, f"{shortages.KEPT} Raise the limit, or plan fewer threads or nodes, then resume.")
    if job.ports.stopping():
        return DurascopeError("The worker was stopped during the experiment.", lifecycle.RESUME)
    return DurascopeError("Cancelled.", "The measurements are kept.")


def _told(failure: Exception) -> DurascopeError:
    """An error that is not ours, in our words."""
    if isinstance(failure, LOST):
        told = f"Durascope's own database did not answer: {str(failure).strip()}."
        return DurascopeError(told, shortages.KEPT)
    if isinstance(failure, OSError):
        return shortages.message(failure)
    return DurascopeError(f"Unexpected: {reason(failure)}")


def _finish(job: Job, state: str, failure: DurascopeError | None) -> None:
    """Tries again while the database is locked. After a longer outage housekeeping ends the experiment."""
    experiment, why = job.experiment, (failure.message, failure.fix) if failure else ()
    for wait_s in FINISH_AGAIN_S:
        try:
            if not job.ports.finish(experiment, state, *why):
                log.warning("experiment %s was taken from this worker before it ended", experiment.pk)
            return
        except (DatabaseError, InterfaceError, OSError):
            log.exception("the end of experiment %s was not stored; trying again", experiment.pk)
            job.ports.sleep(wait_s)


@retried
def remember(experiment: Experiment) -> None:
    """Keep the finding; worked out anew where the database was away, so that no list goes without it."""
    experiment.refresh_from_db()
    if experiment.is_over:
        conclusion.remember(experiment)
