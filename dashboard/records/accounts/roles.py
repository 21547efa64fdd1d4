"""The one table of rights. Pages, templates, actions and programs ask it; docs/security.md shows it to people.

`allowed(user, operation, thing)` answers, `require(...)` refuses. The rule about owners needs a `thing`. Without one
the answer is whether the role may do the operation at all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from django.core.exceptions import PermissionDenied

from dashboard.records.accounts import refused
from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.role import NOBODY, RANKS, Role

ANY_OWNER = 0  # ownership is not checked


class OwnedServer(Protocol):
    owner_id: int | None
    is_sandbox: bool


class Authored(Protocol):
    author_id: int | None


def owner(server: OwnedServer) -> int | None:
    """The account that owns the server; None: only administrators may."""
    return server.owner_id


def owner_of_attached(server: OwnedServer) -> int | None:
    """A sandbox may be crashed by every person who may crash servers."""
    return ANY_OWNER if server.is_sandbox else server.owner_id


def author(comment: Authored) -> int | None:
    """None: the account was deleted."""
    return comment.author_id


@dataclass(frozen=True)
class Operation:
    least: str  # the lowest role that may
    says: str  # "... may <says>"
    whose: Callable[[Any], int | None] | None = None  # only this owner's things; administrators: all
    rule: str = ""  # `whose` in words: those of the person


OPERATIONS: dict[str, Operation] = {
    "enter": Operation(NOBODY, "log in, and open a share link"),
    "see": Operation(Role.VIEWER, "see servers, experiments, results and workers, and export results"),
    "own_account": Operation(Role.VIEWER, "change your own password and second factors"),
    "tokens": Operation(Role.VIEWER, "make and revoke your own API tokens"),
    "monitor": Operation(Role.VIEWER, "read the figures for Prometheus"),
    "register_server": Operation(Role.OPERATOR, "register servers and add sandboxes, which then belong to you"),
    "test_server": Operation(Role.OPERATOR, "test a connection"),
    "change_server": Operation(Role.OPERATOR, "change, label, hand over and delete a server", owner, "own servers"),
    "allow_crashes": Operation(
        Role.OPERATOR,
        "allow or forbid crashes of a server, and set its crash, start and failover commands (only "
        "programs that DURASCOPE_CRASH_PROGRAMS lists)",
        owner,
        "own servers",
    ),
    "any_program": Operation(Role.ADMINISTRATOR, "set crash, start and failover commands with any program"),
    "run": Operation(Role.OPERATOR, "start, cancel and resume experiments"),
    "import": Operation(Role.OPERATOR, "import experiments from files"),
    "tidy": Operation(Role.OPERATOR, "name, tag, comment on, delete and restore experiments, and mark one as baseline"),
    "remove_comment": Operation(Role.OPERATOR, "delete a comment", author, "own comments"),
    "crash": Operation(
        Role.OPERATOR,
        "crash a server: in experiments with crash trials, and in failover drills",
        owner_of_attached,
        "own servers and all sandboxes",
    ),
    "schedule": Operation(Role.OPERATOR, "make, change, pause, run and delete schedules"),
    "confirm_schedules": Operation(
        Role.OPERATOR, "allow schedules to put load on a production server", owner, "own servers"
    ),
    "notify": Operation(Role.OPERATOR, "set up and try notifications"),
    "share": Operation(Role.OPERATOR, "make and revoke share links"),
    "administer": Operation(Role.ADMINISTRATOR, "add people, give roles, read the audit log (who did what)"),
}


class NotAllowed(PermissionDenied):
    """This person may not do this. Nothing was changed. The message says who may."""


def role_of(user: Actor) -> str:
    """NOBODY for guests and for deactivated accounts."""
    known = account(user)
    if known is None or not known.is_active:
        return NOBODY
    person = getattr(known, "person", None)  # Django's own commands create accounts without one
    return person.role if person else Role.VIEWER


def allowed(user: Actor, operation: str, thing: object = None) -> bool:
    """Whether `user` may do `operation`, to `thing` if the rule depends on its owner. None is the command line."""
    if user is None:
        return True
    rule, role = OPERATIONS[operation], role_of(user)
    if RANKS.index(role) < RANKS.index(rule.least) or not _in_scope(user, operation):
        return False
    if rule.whose is None or thing is None or role == Role.ADMINISTRATOR:
        return True
    return rule.whose(thing) in (ANY_OWNER, user.pk)


def _in_scope(user: Actor, operation: str) -> bool:
    """A token limits its person to the scopes of the token (dashboard.pages.api.door sets them)."""
    scopes = getattr(user, "scopes", None)
    return scopes is None or operation in scopes


def require(user: Actor, operation: str, thing: object = None) -> None:
    """Raises NotAllowed, which pages answer with status 403."""
    if not allowed(user, operation, thing):
        raise NotAllowed(refusal(user, operation, thing))


def refusal(user: Actor, operation: str, thing: object = None) -> str:
    """The reason in a sentence: the operation, and the people who may do it."""
    why = f"{_why_not(user, operation, thing)} Nothing was changed."
    refused.note(why)
    return why


def _why_not(user: Actor, operation: str, thing: object) -> str:
    rule = OPERATIONS[operation]
    if not _in_scope(user, operation):
        return f"To {rule.says}, a token needs the scope {operation}; this one lacks it."
    if thing is not None and allowed(user, operation):
        return f"Only the owner of {thing} and administrators may {rule.says}."
    return f"To {rule.says}, you must be {_a(rule.least)}. Your account is {_a(role_of(user))}."


def _a(role: str) -> str:
    return {NOBODY: "not logged in", Role.VIEWER: "a viewer"}.get(role, f"an {role}")
