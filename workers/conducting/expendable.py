"""An owner's server is borrowed to be crashed. Whether it may be is asked here, and once more right before the crash;
what must be put back is written down before each change."""

import secrets
from functools import partial

from dashboard.installation.retry import retried
from dashboard.records.accounts.roles import allowed
from dashboard.records.audit.models import record
from dashboard.records.experiments import claiming
from dashboard.records.experiments.models import Trial
from dashboard.records.experiments.rights import queued_by
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers.models import Server
from dashboard.records.servers.programs import may_run_here
from workers.crash.setup_and_result import Attached
from workers.errors import PlanError
from workers.servers import schema
from workers.servers.connection import connect
from workers.upkeep import restores


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
    )


def permit(row: Trial, crash: tuple[str, ...], start: tuple[str, ...]) -> None:
    """The last check before an owner's server is crashed, kept in the audit log. Its start is stored first as a pending
    restore, for this worker may die in between. Raises PlanError."""
    if not claiming.still_claimed(row):  # whoever took this worker for dead may have put the server back already
        raise PlanError(f"The trial was taken from this worker: {row.server} was not crashed.")
    server = _expendable(row)
    if (tuple(server.crash_command), tuple(server.start_command)) != (crash, start):
        raise PlanError(f"The commands of {server.name} were changed: it was not crashed.", "Repeat the trial.")
    restores.note_start(server, row.experiment)
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
