"""Questions to a server: SQL in, plain values out, every refusal as an error of ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import pymysql

from workers.servers.trouble import explain


def rows(connection: Any, sql: str, args: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a statement, [] when it yields none. Raises ServerError (see `trouble`)."""
    return _answered(connection, sql, args)[1]


def first_row(connection: Any, sql: str) -> Mapping[str, Any]:
    """Its values by column name, {} when there is no row."""
    names, found = _answered(connection, sql, ())
    return dict(zip(names, found[0], strict=True)) if found else {}


def _answered(connection: Any, sql: str, args: Sequence[Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names of the columns, and the rows."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql, args or None)
            return [column[0] for column in cursor.description or ()], list(cursor.fetchall())
    except (pymysql.Error, OSError) as error:
        raise explain(error, where(connection), lambda: account(connection)) from error


def value(connection: Any, sql: str, args: Sequence[Any] = ()) -> Any:
    """The first column of the first row, None when there is no row."""
    found = rows(connection, sql, args)
    return found[0][0] if found else None


def names_to_values(connection: Any, sql: str, args: Sequence[Any] = ()) -> Mapping[str, str]:
    """A two-column answer (SHOW VARIABLES, SHOW STATUS) as a dict, names in lower case."""
    return {str(name).lower(): "" if held is None else str(held) for name, held in rows(connection, sql, args)}


def where(connection: Any) -> str:
    """The address as people write it."""
    return connection.unix_socket or f"{connection.host}:{connection.port}"


def account(connection: Any) -> str:
    """The account that the server took us for, quoted for a GRANT; a placeholder when it no longer answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT CURRENT_USER()")
            return quoted_account(*cursor.fetchone()[0].rsplit("@", 1))
    except (pymysql.Error, OSError):
        return "'ACCOUNT'@'HOST'"


def quoted_account(user: str, host: str) -> str:
    """`'user'@'host'` with quotes inside doubled."""
    return "@".join("'" + part.replace("\\", "\\\\").replace("'", "''") + "'" for part in (user, host))
