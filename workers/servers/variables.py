"""Global variables of a server: changed after the old value is stored, and restored."""

import time
from collections.abc import Callable, Iterable, Mapping

from workers.errors import DurascopeError, PlanError, ServerError, Taken
from workers.servers import ask
from workers.servers.facts import Facts
from workers.servers.limited import Connection
from workers.servers.printable import bounded
from workers.servers.settings import check, find, same

NUMBERS = ("integer", "bytes")  # kinds of settings
SETTLES_S = 2.0  # a buffer pool is resized in the background


def apply(
    connection: Connection, facts: Facts, settings: Mapping[str, str], before_change: Callable[[str, str], None]
) -> dict[str, str]:
    """Apply these settings; returns the values that the server then reports.

    A variable that has its value already is not changed. For every other `before_change(name, old value)` is called
    before the change; if it raises, the change is not made. PlanError, before any change: the server lacks the variable
    or the value, or the variable needs a restart. ServerError: refused, or the server reports another value.
    """
    wanted = {name: _possible(name, value, facts) for name, value in settings.items()}
    present = {name: read(connection, name) for name in wanted}
    changes = {name: value for name, value in wanted.items() if not same(name, present[name], value)}
    for name in changes:
        _must_be_dynamic(name, present[name], wanted[name], facts)
        _must_be_restorable(name, present[name])
    for name, value in changes.items():
        before_change(name, present[name])
        present[name] = _set(connection, name, value)
    return present


def restore(
    connection: Connection,
    changed: Iterable[tuple[str, str]],
    restored: Callable[[str], None],
    require_claim: Callable[[], None],
) -> None:
    """Restore old values, the last change first. `restored(name)` is called when the server reports the old value.

    `require_claim` is called before each change; if it raises, nothing more is restored. A variable that the server
    lost by an upgrade counts as restored. A failure does not stop the others; ServerError names all failures.
    """
    failed: list[str] = []
    fixes: list[str] = []
    for name, old in reversed(list(changed)):
        try:
            found = _global_value(connection, name)
            if found is not None and not same(name, found, old):
                require_claim()
                _set(connection, name, old)
            restored(name)
        except Taken:
            raise
        except DurascopeError as error:
            failed.append(f"{name} was not restored to {old!r}: {error.message}")
            fixes.append(error.fix or f"SET GLOBAL {name} = '{old}';")
    if failed:
        raise ServerError(" ".join(failed), " ".join(dict.fromkeys(fixes)))


def read(connection: Connection, name: str) -> str:
    """The global value. The name comes from the catalogue, never from outside (PlanError)."""
    found = _global_value(connection, name)
    if found is None:
        raise PlanError(f"{name} does not exist on {ask.where(connection)}.", "Leave it out of the variant.")
    return found


def _global_value(connection: Connection, name: str) -> str | None:
    """The global value; None: there is no such variable."""
    sql = "SHOW GLOBAL VARIABLES WHERE Variable_name = %s"
    return ask.names_to_values(connection, sql, (find(name).name,)).get(name)


def _possible(name: str, value: str, facts: Facts) -> str:
    normal = check(name, value, facts.flavour)
    if facts.variable(name) is None:
        raise PlanError(f"{name} does not exist on this server ({facts.version_text}).", "Leave it out of the variant.")
    return normal


def _must_be_dynamic(name: str, present: str, wanted: str, facts: Facts) -> None:
    if not find(name).dynamic_on(facts.flavour, facts.version):
        raise PlanError(
            f"{name} is {ask.shown(present)}, and the variant's {wanted} needs a restart. Nothing was changed.",
            "Durascope never restarts an attached server: use a sandbox, or leave the setting out.",
        )


def _must_be_restorable(name: str, present: str) -> None:
    if bounded(present) != present or (find(name).kind in NUMBERS and ask.whole(present) is None):
        raise ServerError(f"{name} is {ask.shown(present)}: that could not be restored. Nothing was changed.")


def _set(connection: Connection, name: str, value: str) -> str:
    """Set and read back. Numbers are sent without quotes; the driver quotes other values."""
    setting = find(name)
    before = read(connection, name)
    typed = ask.integer(value) if setting.kind in NUMBERS else value
    ask.rows(connection, f"SET GLOBAL {setting.name} = %s", (typed,))
    after = _settled(connection, name, before, value)
    if not same(name, after, value) and not setting.rounded:
        raise ServerError(
            f"{name} was set to {value}, but the server reports {ask.shown(after)}.",
            "See the manual page of the variable.",
        )
    return after


def _settled(connection: Connection, name: str, before: str, wanted: str) -> str:
    """The value that the server reports; after SETTLES_S at the latest when it resizes in the background."""
    deadline = time.monotonic() + SETTLES_S
    after = read(connection, name)
    while find(name).rounded and after == before and not same(name, after, wanted) and time.monotonic() < deadline:
        time.sleep(0.05)
        after = read(connection, name)
    return after
