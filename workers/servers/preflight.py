"""*Test connection*: is this server ready to be measured, and if not, what mends it?"""

from dataclasses import dataclass

from workers.errors import DurascopeError
from workers.servers import look
from workers.servers.checks import CHECKS, Found, Outcome, Scene
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.target import Target

NOT_REACHED = "Not reached."
WHOLE = (60.0, 64 << 20)  # seconds and bytes of all answers together: below PREFLIGHT_LIMIT of housekeeping


@dataclass(frozen=True)
class Check:
    """One line of the answer. `mend`: SQL or a setting, ready to copy, may have several lines."""

    key: str
    title: str
    outcome: Outcome
    says: str
    mend: str


@dataclass(frozen=True)
class PreflightResult:
    """All checks in the order of CHECKS; `facts` is None when the server could not be looked at."""

    checks: tuple[Check, ...]
    facts: Facts | None


def run(target: Target) -> PreflightResult:
    """Never raises for what the server does: a check that fails to come to an end is *unknown*."""
    try:
        with connect(target, whole=WHOLE) as connection:
            facts = look.read(connection)
            scene = Scene(target, connection, facts)
            return PreflightResult(tuple(_answer(key, scene) for key in CHECKS), facts)
    except DurascopeError as error:
        return PreflightResult(_unreached(error), None)
    except Exception as error:  # a server that talks nonsense must not leave the test unanswered
        broke = DurascopeError(f"The test broke off: {type(error).__name__}: {error}.")
        return PreflightResult(_unreached(broke), None)


def _answer(key: str, scene: Scene) -> Check:
    title, look_at = CHECKS[key]
    try:
        found = look_at(scene)
    except DurascopeError as error:
        found = Found("unknown", error.message, error.mend)
    except Exception as error:  # a check that breaks proves nothing
        found = Found("unknown", f"The check broke off: {type(error).__name__}: {error}.")
    return Check(key, title, found.outcome, found.says, found.mend)


def _unreached(error: DurascopeError) -> tuple[Check, ...]:
    first, *rest = ((key, title) for key, (title, _) in CHECKS.items())
    return (
        Check(*first, "failed", error.message, error.mend),
        *(Check(key, title, "unknown", NOT_REACHED, "") for key, title in rest),
    )
