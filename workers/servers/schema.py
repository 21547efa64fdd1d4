"""Durascope's own schemas on an attached server. An existing schema is never used or dropped."""

import re
from collections.abc import Callable
from contextlib import suppress

from workers.errors import PlanError, ServerError
from workers.servers import ask
from workers.servers.limited import Connection

PREFIX = "durascope_"
USERS = "SELECT id FROM information_schema.processlist WHERE db = %s AND id <> CONNECTION_ID()"
ALREADY_THERE = 1007  # the server's error number
_OURS = re.compile(r"durascope_[a-z0-9_]{1,50}")


def create(
    connection: Connection,
    name: str,
    before_change: Callable[[str], None],
    restored: Callable[[str], None] = lambda name: None,
) -> None:
    """Make the schema. `before_change(name)` is called before, unless a schema of that name exists. `restored(name)` is
    called when another client made that schema meanwhile; it stays.

    PlanError: the schema exists, or its name is not one of Durascope's.
    """
    _must_be_ours(name)
    if exists(connection, name):
        raise _taken(name)
    before_change(name)
    try:
        ask.rows(connection, f"CREATE DATABASE `{name}` DEFAULT CHARACTER SET utf8mb4")
    except ServerError as refused:
        if getattr(refused.__cause__, "args", (0,))[0] == ALREADY_THERE:
            restored(name)
            raise _taken(name) from refused
        raise


def drop(connection: Connection, name: str) -> None:
    """Remove a schema of ours, if it is there. Statements of ours that still run in it are ended first: a server does
    not notice that a client is gone, and goes on with CREATE INDEX, which DROP would wait for."""
    _must_be_ours(name)
    for (number,) in ask.rows(connection, USERS, (name,)):
        with suppress(ServerError):  # it has ended by itself
            ask.rows(connection, f"KILL {ask.integer(number)}")
    ask.rows(connection, f"DROP DATABASE IF EXISTS `{name}`")


def exists(connection: Connection, name: str) -> bool:
    found = ask.rows(connection, "SELECT 1 FROM information_schema.schemata WHERE schema_name = %s", (name,))
    return bool(found)


def _must_be_ours(name: str) -> None:
    if not _OURS.fullmatch(name):
        raise PlanError(f"{name!r} is not a schema that Durascope may touch: its own schemas begin with {PREFIX}.")


def _taken(name: str) -> PlanError:
    return PlanError(
        f"The schema {name} already exists; it was not touched.",
        f"If nobody needs it: DROP DATABASE `{name}`;",
    )
