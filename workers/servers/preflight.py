"""*Test connection*: is this server ready to be measured, and how can it be fixed?"""

from contextlib import suppress
from dataclasses import dataclass

from workers.errors import AccessDenied, DurascopeError
from workers.servers import free_disk, keys, look, replication
from workers.servers.checks import CHECKS, CheckedServer, Outcome, PreflightAnswer
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.keys import SeenKeys
from workers.servers.limited import Connection
from workers.servers.pins import needs_pin
from workers.servers.replication import Replication
from workers.servers.target import Target

NOT_REACHED = "Not reached."
WHOLE = (60.0, 64 << 20)  # seconds and bytes of all answers: below PREFLIGHT_LIMIT of housekeeping


@dataclass(frozen=True)
class PreflightCheck:
    """One line of the answer. `fix`: SQL or a setting to copy, perhaps several lines."""

    key: str
    title: str
    outcome: Outcome
    says: str
    fix: str


@dataclass(frozen=True)
class PreflightResult:
    """All checks in the order of CHECKS. `facts`, `replication`: None when the server could not be read."""

    checks: tuple[PreflightCheck, ...]
    facts: Facts | None
    replication: Replication | None = None
    free_bytes: int | None = None  # on the fullest disk of the server's files
    keys: SeenKeys | None = None  # None: the server has a better proof, or was not reached


def run(target: Target) -> PreflightResult:
    """Never raises, whatever the server does: a check that cannot end is *unknown*."""
    try:
        with connect(target, whole=WHOLE) as connection:
            facts = look.read(connection)
            scene = CheckedServer(target, connection, facts)
            checks = tuple(_answer(key, scene) for key in CHECKS)
            free = free_disk.least_free(target, connection, facts)
            return PreflightResult(checks, facts, replication.read(connection, facts), free, _keys(target, connection))
    except AccessDenied as error:
        return PreflightResult(_unreached(error), None, keys=_keys(target))
    except DurascopeError as error:
        return failed(error)
    except Exception as error:  # whatever the server sends, the test must get an answer
        return failed(DurascopeError(f"The test failed: {type(error).__name__}: {error}."))


def _keys(target: Target, connection: Connection | None = None) -> SeenKeys | None:
    """What a person may confirm. A connection has compared the confirmed certificate where it is encrypted. Nothing
    tells whether it needed the key."""
    if not needs_pin(target):
        return None
    compared = target.certificate_pin if connection and connection.certificate() else ""
    with suppress(DurascopeError):
        return keys.seen(target, certificate=compared)
    return None


def _answer(key: str, scene: CheckedServer) -> PreflightCheck:
    title, look_at = CHECKS[key]
    try:
        found = look_at(scene)
    except DurascopeError as error:
        found = PreflightAnswer("unknown", error.message, error.fix)
    except Exception as error:  # a check that raises proves nothing
        found = PreflightAnswer("unknown", f"The check failed: {type(error).__name__}: {error}.")
    return PreflightCheck(key, title, found.outcome, found.says, found.fix)


def failed(error: DurascopeError) -> PreflightResult:
    return PreflightResult(_unreached(error), None)


def _unreached(error: DurascopeError) -> tuple[PreflightCheck, ...]:
    first, *rest = ((key, title) for key, (title, _) in CHECKS.items())
    return (
        PreflightCheck(*first, "failed", error.message, error.fix),
        *(PreflightCheck(key, title, "unknown", NOT_REACHED, "") for key, title in rest),
    )
