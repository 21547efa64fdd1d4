"""Which programs a crash or start command may be. A worker runs them as itself, on its own host: administrators may
choose any, owners only what whoever runs the workers has listed in DURASCOPE_CRASH_PROGRAMS. It is asked when commands
are stored, and by the worker each time before it runs one: lists and roles change."""

from collections.abc import Sequence

from django.conf import settings

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import allowed, refusal
from dashboard.records.servers.models import Server


def why_not(user: Actor, *commands: Sequence[str]) -> str:
    """Why this person may not have these commands run, and what to do; "" when they may."""
    strange = _unlisted(commands)
    if not strange or allowed(user, "any_program"):
        return ""
    return (
        f"DURASCOPE_CRASH_PROGRAMS does not list {' and '.join(strange)}. {refusal(user, 'any_program')} Have an "
        "administrator set the commands, or a wrapper script of this one purpose listed there. (With ssh or sh in that "
        "list, every operator could run any program on the workers' hosts.)"
    )


def may_run_here(server: Server, *commands: Sequence[str]) -> bool:
    """Whether this worker may run these commands of a server now. Who set them is known to be an administrator, or all
    are listed here; somebody who is not known any more is nobody."""
    by = server.commands_by
    return not _unlisted(commands) or (by is not None and allowed(by, "any_program"))


def _unlisted(commands: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(argv[0] for argv in commands if argv and argv[0] not in settings.CRASH_PROGRAMS))
