"""The failover manager of a sandbox: a command that its owner names, and that trials of topologies made of this sandbox
drill (`policy=manager`). A worker runs it with its own rights, so the rule of crash commands applies."""

from collections.abc import Sequence

from django.conf import settings
from django.db import transaction

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import NotAllowed, require
from dashboard.records.audit.models import record
from dashboard.records.refused import Refused
from dashboard.records.servers import programs
from dashboard.records.servers.models import Server


@transaction.atomic
def name(user: Actor, server: Server, command: Sequence[str]) -> None:
    """Raises NotAllowed for a program that this person may not use, and Refused for an attached server."""
    require(user, "allow_crashes", server)
    if why := programs.why_not(user, command):
        raise NotAllowed(why)
    if why := why_not_named(server):
        raise Refused(why)
    if not command:
        raise Refused(f"{server} was not changed: a failover manager needs a command.")
    Server.objects.filter(pk=server.pk).update(failover_command=list(command), commands_by=account(user))
    record(user, "named the failover manager", server, command=list(command))


@transaction.atomic
def withdraw(user: Actor, server: Server) -> None:
    """A trial that runs already goes on with it."""
    require(user, "allow_crashes", server)
    if forget(server):
        record(user, "withdrew the failover manager", server)


def forget(server: Server) -> bool:
    """Whether it had one."""
    return bool(Server.objects.filter(pk=server.pk).exclude(failover_command=[]).update(failover_command=[]))


def why_not_named(server: Server) -> str:
    """Why this server cannot have one; "" if it can."""
    if server.is_sandbox:
        return ""
    return f"{server} is an attached server: the nodes of a topology are sandboxes. Set the command on a sandbox."


def of(server: Server) -> tuple[str, ...]:
    """The owner's command, else that of the installation; empty: none."""
    return tuple(server.failover_command) or settings.FAILOVER_COMMAND
