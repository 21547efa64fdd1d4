"""SQL statements to a server: plain values come back, every refusal is a ServerError."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal

import pymysql

from workers.errors import ServerError
from workers.servers.driver_errors import explain
from workers.servers.limited import ANSWER_BYTES, Connection

Field = str | bytes | int | float | Decimal | datetime | None  # as the driver decodes it
Row = tuple[Field, ...]
MOST_DIGITS = 20  # of 64 bits
MOST_DIGITS_OF_A_SUM = 65  # of a DECIMAL
TABLE_BYTES = 512 << 20  # of the rows of a table that a load has filled
MOST_SHOWN = 80


def rows(connection: Connection, sql: str, args: Sequence[object] = (), most_bytes: int = ANSWER_BYTES) -> list[Row]:
    """All rows of a statement; [] without any. Raises ServerError (see `driver_errors`), also when they are more than
    `most_bytes`."""
    return _answered(connection, sql, args, most_bytes)[1]


def first_row(connection: Connection, sql: str) -> Mapping[str, Field]:
    """The first row by column name; {} without any row."""
    return next(iter(named_rows(connection, sql)), {})


def named_rows(connection: Connection, sql: str) -> list[Mapping[str, Field]]:
    names, found = _answered(connection, sql)
    return [dict(zip(names, row, strict=True)) for row in found]


def _answered(
    connection: Connection, sql: str, args: Sequence[object] = (), most_bytes: int = ANSWER_BYTES
) -> tuple[list[str], list[Row]]:
    """Names of the columns, and the rows."""
    connection.most_bytes = most_bytes
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql, args or None)
            return [column[0] for column in cursor.description or ()], list(cursor.fetchall())
    except (pymysql.Error, OSError) as error:
        raise explain(error, where(connection), lambda: account(connection)) from error


def value(connection: Connection, sql: str, args: Sequence[object] = ()) -> Field:
    """The first column of the first row; None without any row."""
    found = rows(connection, sql, args)
    return found[0][0] if found else None


def text(connection: Connection, sql: str, args: Sequence[object] = ()) -> str:
    """The first column of the first row as text; "" for NULL and without any row."""
    return as_text(value(connection, sql, args))


def as_text(field: Field) -> str:
    if isinstance(field, bytes):
        return field.decode(errors="replace")
    return "" if field is None else str(field)


def integer(field: Field) -> int:
    """A number of a row: SUM() gives a Decimal, a status variable text. ServerError: it is no number."""
    with suppress(ValueError, OverflowError):
        if isinstance(field, int) or (isinstance(field, str | Decimal) and _is_short(field)):
            return int(field)
    raise ServerError(f"The server answered {shown(field)} instead of a number.")


def _is_short(number: str | Decimal) -> bool:
    """`int` of "1E99999999" as a Decimal takes hours, and nothing can interrupt it."""
    digits = number.adjusted() if isinstance(number, Decimal) else len(number)
    return digits <= MOST_DIGITS_OF_A_SUM


def shown(field: Field) -> str:
    """As a sentence quotes it."""
    return repr(field[:MOST_SHOWN] if isinstance(field, str | bytes) else field)


def whole(text: str | None) -> int | None:
    """The number in the text of a server, which can be anything; None: it is no number, or none of 64 bits."""
    return int(text) if text and text.isdecimal() and len(text) <= MOST_DIGITS else None


def names_to_values(connection: Connection, sql: str, args: Sequence[object] = ()) -> Mapping[str, str]:
    """The first two columns of an answer (SHOW VARIABLES, SHOW STATUS) as a dict, names in lower case."""
    return {as_text(row[0]).lower(): as_text(row[1]) for row in rows(connection, sql, args) if len(row) > 1}


def where(connection: Connection) -> str:
    """The address as people write it."""
    return str(connection.unix_socket or f"{connection.host}:{connection.port}")


def account(connection: Connection) -> str:
    """The account of this connection, quoted for a GRANT; a placeholder when the server does not answer."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT CURRENT_USER()")
            found = str((cursor.fetchone() or ["ACCOUNT@HOST"])[0])
    except (pymysql.Error, OSError):
        found = "ACCOUNT@HOST"
    user, _, host = found.rpartition("@")
    return quoted_account(user, host)


def quoted_account(user: str, host: str) -> str:
    """`'user'@'host'` with quotes inside doubled."""
    return "@".join("'" + part.replace("\\", "\\\\").replace("'", "''") + "'" for part in (user, host))
