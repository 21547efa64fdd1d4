"""An experiment's crash trials: claimed one by one like cells, each on a sandbox of its own."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.conf import settings

from dashboard.accounts.roles import allowed
from dashboard.audit.models import record
from dashboard.experiments import claiming, lifecycle
from dashboard.experiments.models import Environment, Experiment, Trial
from dashboard.experiments.rights import queued_by
from dashboard.holds.models import PendingRestore
from dashboard.retry import patient
from dashboard.servers.models import Server
from dashboard.servers.programs import may_run_here
from workers.bench.plan import Plan
from workers.conducting import trial_results
from workers.crash.run import run_trial
from workers.crash.trial import Attached, TrialSetup
from workers.errors import Cancelled, DurascopeError, PlanError
from workers.host import environment
from workers.sandbox.builds import find
from workers.sandbox.storage import parse
from workers.servers import schema
from workers.servers.connection import connect
from workers.upkeep import restores
from workers.upkeep.restores import COMMAND_LIMIT_S


@dataclass(frozen=True)
class Watch:
    """Whom the trials tell and ask: `say` in words, `cancelled` is asked, `ended_as` is the state of a stopped one.
    `must_be_allowed` is asked before each trial; it raises PlanError."""

    say: Callable[[str], None]
    cancelled: Callable[[], bool]
    ended_as: Callable[[], str]
    must_be_allowed: Callable[[], None]


def crash_all(experiment: Experiment, plan: Plan, servers: dict[int, Server], watch: Watch) -> None:
    """Run every waiting trial. Raises Cancelled, and PlanError once whoever queued them may not run them any more. One
    that cannot begin is stored as failed, and the next one runs.

    The rows, not the plan, say what is crashed: a trial that is repeated is a row of its own.
    """
    while row := _next(experiment, watch):
        watch.say(f"crashing {row.variant}: {row.kind}")
        try:
            _crash(row, plan, servers[row.server_id], watch)
        finally:
            if not servers[row.server_id].is_sandbox:
                restores.pay(servers[row.server_id], partial(claiming.must_hold, experiment))


def _next(experiment: Experiment, watch: Watch) -> Trial | None:
    if claiming.waits(experiment.trials):
        watch.must_be_allowed()
    return trial_results.claim(experiment)


def _crash(row: Trial, plan: Plan, server: Server, watch: Watch) -> None:
    try:
        setup = _setup(row, plan, server)
        result = run_trial(setup, watch.say, watch.cancelled)
    except Cancelled:
        claiming.end(row, watch.ended_as())
        raise
    except DurascopeError as failure:
        claiming.end(row, Trial.State.FAILED, failure)
    else:
        trial_results.save(row, result, _place(setup))


def _setup(row: Trial, plan: Plan, server: Server) -> TrialSetup:
    variant = plan.variant(row.variant)
    return TrialSetup(
        root=Path(settings.SANDBOX_ROOT),
        build=find(variant.build or server.build) if server.is_sandbox else None,
        name=server.name,
        settings=variant.settings,
        engine=variant.engine,
        kind=row.kind,
        seed=row.seed,
        clients=plan.crash.clients,
        load_s=plan.crash.load_s,
        replica=plan.crash.replica,
        user=settings.SANDBOX_USER,
        attached=None if server.is_sandbox else _attached(row),
        storage=parse(variant.storage) if variant.storage else None,
    )


def _attached(row: Trial) -> Attached:
    """The owner's server with a schema of this trial's own, written down as a debt before it is made. Raises PlanError
    when it may not be crashed; that is asked here, and once more right before the crash."""
    server, must_hold = _expendable(row), partial(claiming.must_hold, row.experiment)
    restores.pay(server, must_hold)
    name = f"{schema.PREFIX}crash_{row.pk}_{secrets.token_hex(4)}"
    with connect(server.target()) as connection:
        schema.create(
            connection,
            name,
            lambda made: restores.owe(server, row.experiment, "schema", made, ""),
            lambda made: restores.paid(server, must_hold, "schema", made),
        )
    crash, start = tuple(server.crash_command), tuple(server.start_command)
    back, permit = (
        partial(restores.paid, server, must_hold, PendingRestore.Kind.START, ""),
        partial(_permit, row, crash, start),
    )
    where = server.binlog_index
    return Attached(server.target(), name, crash, start, permit, must_hold, COMMAND_LIMIT_S, back, where)


@patient
def _expendable(row: Trial) -> Server:
    """The server as it is marked now, if whoever queued the experiment has the right now. Nobody is named: the message
    is shown to guests."""
    server = Server.objects.get(pk=row.server_id)
    if not server.may_be_crashed:
        raise PlanError(f"{server.name} is no longer expendable: it was not crashed.", "See the server's page.")
    if not allowed(queued_by(row.experiment), "crash", server):
        raise PlanError(
            f"{server.name} was not crashed: whoever queued this experiment may not crash it any more.",
            "Its owner or an administrator can resume the experiment.",
        )
    if not may_run_here(server, server.crash_command, server.start_command):
        raise PlanError(
            f"{server.name} was not crashed: this worker's DURASCOPE_CRASH_PROGRAMS does not list its commands, and "
            "whoever set them is no administrator now.",
            "Have an administrator set them again, or list the programs where workers run.",
        )
    return server


def _permit(row: Trial, crash: tuple[str, ...], start: tuple[str, ...]) -> None:
    """The last word before an owner's server goes down, kept in the audit log; that it must be started again is written
    down as a debt, for this worker may die in between. Raises PlanError."""
    if not claiming.still_claimed(row):  # whoever took this worker for dead may have put the server back already
        raise PlanError(f"The trial was taken from this worker: {row.server} was not crashed.")
    server = _expendable(row)
    if (tuple(server.crash_command), tuple(server.start_command)) != (crash, start):
        raise PlanError(f"The commands of {server.name} were changed: it was not crashed.", "Repeat the trial.")
    restores.owe_start(server, row.experiment)
    record(queued_by(row.experiment), "crashed", server, experiment=row.experiment_id, trial=row.pk, command=crash)


def _place(setup: TrialSetup) -> Environment:
    """Where trials ran: this host, and the server's build. Its variables are the variant's settings."""
    build, profile = setup.build, setup.storage.text if setup.storage else None
    server = {"flavour": build.flavour, "version": build.version_text, "variables": {}} if build else {}
    storage = environment.storage(setup.root) | {"profile": profile}
    return lifecycle.environment_row({"host": environment.host(), "storage": storage, "server": server})
