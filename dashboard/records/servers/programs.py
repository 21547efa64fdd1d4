"""Which programs may be crash and start commands. A worker runs them on its own host with its own rights.
Administrators may choose any program, owners only programs in DURASCOPE_CRASH_PROGRAMS. This is checked when commands
are stored and again before each run, because lists and roles change."""

from collections.abc import Sequence

from django.conf import settings

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import allowed, refusal
from dashboard.records.servers.models import Server


def why_not(user: Actor, *commands: Sequence[str]) -> str:
    """Why this person may not use these commands, and the fix; "" if they may."""
    strange = _unlisted(commands)
    if not strange or allowed(user, "any_program"):
        return ""
    return (
        f"DURASCOPE_CRASH_PROGRAMS does not list {' and '.join(strange)}. {refusal(user, 'any_program')} Have an "
        "administrator set the commands, or a wrapper script of this one purpose listed there. (With ssh or sh in that "
        "list, every operator could run any program on the workers' hosts.)"
    )


def may_run_here(server: Server, *commands: Sequence[str]) -> bool:
    """Whether this worker may run these commands now: an administrator set them, or all programs are listed here. A
    deleted account counts as no administrator."""
    by = server.commands_by
    return not _unlisted(commands) or (by is not None and allowed(by, "any_program"))


def _unlisted(commands: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(argv[0] for argv in commands if argv and argv[0] not in settings.CRASH_PROGRAMS))
