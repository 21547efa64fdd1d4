"""A schema of our own on somebody's server: made only where none was, dropped afterwards."""

import re
from collections.abc import Callable

from workers.errors import PlanError, ServerError
from workers.servers import ask
from workers.servers.limited import Connection

PREFIX = "durascope_"
ALREADY_THERE = 1007
_OURS = re.compile(r"durascope_[a-z0-9_]{1,50}")


def create(
    connection: Connection,
    name: str,
    before_change: Callable[[str], None],
    restored: Callable[[str], None] = lambda name: None,
) -> None:
    """Make the schema; `before_change(name)` is called before, and only when no schema of that name is there.

    `restored(name)` takes the note back should somebody else have made that schema in between: theirs stays.

    PlanError when one is there (it is not touched, and never dropped by us) or the name is not of our kind.
    """
    _must_be_ours(name)
    if exists(connection, name):
        raise _taken(name)
    before_change(name)
    try:
        ask.rows(connection, f"CREATE DATABASE `{name}` DEFAULT CHARACTER SET utf8mb4")
    except ServerError as refused:
        if _number(refused) == ALREADY_THERE:
            restored(name)
            raise _taken(name) from refused
        raise


def drop(connection: Connection, name: str) -> None:
    """Remove a schema of ours; one that is already gone is fine."""
    _must_be_ours(name)
    ask.rows(connection, f"DROP DATABASE IF EXISTS `{name}`")


def exists(connection: Connection, name: str) -> bool:
    found = ask.rows(connection, "SELECT 1 FROM information_schema.schemata WHERE schema_name = %s", (name,))
    return bool(found)


def _must_be_ours(name: str) -> None:
    if not _OURS.fullmatch(name):
        raise PlanError(f"{name!r} is not a schema that Durascope may touch: its own begin with {PREFIX}.")


def _number(refused: ServerError) -> int:
    """The server's error number behind one of our errors."""
    return getattr(refused.__cause__, "args", (0,))[0]


def _taken(name: str) -> PlanError:
    return PlanError(
        f"The schema {name} is already there; it was not touched.",
        f"Look into it; if nobody needs it: DROP DATABASE `{name}`;",
    )
