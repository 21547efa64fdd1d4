"""The failover manager that a trial drills: the command that the owner of the sandbox named, else that of the worker's
installation. Whether it may run is asked before the experiment, and again before each trial."""

import shutil

from dashboard.installation.retry import retried
from dashboard.records.accounts.roles import allowed
from dashboard.records.audit.models import record
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.experiments.rights import queued_by
from dashboard.records.servers import managers
from dashboard.records.servers.models import Server
from dashboard.records.servers.programs import may_run_here
from workers.errors import PlanError
from workers.topology.topology import Topology


def require(experiment: Experiment, server: Server) -> tuple[str, ...]:
    """The command. Raises PlanError: nobody named one, it may not run, or its program is not on this host."""
    command = managers.of(server)
    if not command:
        raise PlanError(
            f"policy=manager: {server.name} has no failover manager, and nothing was started.",
            "Name its command on the server's page, or set DURASCOPE_FAILOVER_COMMAND for the worker.",
        )
    if server.failover_command and not allowed(queued_by(experiment), "allow_crashes", server):
        raise PlanError(
            f"The failover manager of {server.name} was not run: the account that queued this experiment "
            "may not run it.",
            "Its owner or an administrator can start the experiment.",
        )
    if server.failover_command and not may_run_here(server, command):
        raise PlanError(
            f"The failover manager of {server.name} was not run: this worker's DURASCOPE_CRASH_PROGRAMS does not list "
            "it, and the person who named it is not an administrator.",
            "Have an administrator name it again, or list the program where workers run.",
        )
    if not shutil.which(command[0]):
        raise PlanError(
            "The failover manager was not run: its program is not on the worker's host.",
            "Install it there, or name another command.",
        )
    return command


@retried
def drilled(row: Trial, topology: Topology) -> tuple[str, ...]:
    """Of a trial that is about to begin, kept in the audit log; empty: its policy needs none."""
    if not topology.policy.by_manager:
        return ()
    server = Server.objects.get(pk=row.server_id)
    command = require(row.experiment, server)
    asked = {"experiment": row.experiment_id, "trial": row.pk, "command": list(command)}
    record(queued_by(row.experiment), "ran the failover manager", server, **asked)
    return command
