"""Errors of the driver and the network as errors of Durascope, with a fix."""

import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass

import pymysql

from workers.errors import AccessDenied, MissingPrivilege, ServerError, Unreachable


@dataclass(frozen=True)
class KnownError:
    """An error number of the server or client library: what it becomes, what is said, and the fix."""

    kind: type[ServerError]
    says: str  # may hold {where} and {detail}, the server's message
    fix: str = ""


LOST = KnownError(
    Unreachable,
    "The connection to {where} was lost.",
    "See whether the server is still running and read its error log; then try again.",
)
REFUSED_ACCOUNT = KnownError(
    AccessDenied,
    "{where} does not accept this account or password.",
    "Check user, password and the host part of the account (SELECT user, host FROM mysql.user); "
    "an account may also be locked or expired, or be allowed over TLS only.",
)
LOCKED = KnownError(AccessDenied, "The account is locked at {where}.", "ALTER USER ... ACCOUNT UNLOCK;")
EXPIRED = KnownError(
    AccessDenied, "The password of this account has expired at {where}.", "ALTER USER ... IDENTIFIED BY '...';"
)
FULL = KnownError(
    Unreachable,
    "{where} has no free connection.",
    "Raise max_connections (SET GLOBAL max_connections = 1100) or close connections, then try again.",
)

# https://mariadb.com/kb/en/mariadb-error-codes/, https://dev.mysql.com/doc/mysql-errors/8.4/en/
BY_NUMBER: dict[int, KnownError] = {
    1040: FULL,
    1203: FULL,
    1226: KnownError(
        Unreachable, "The account's own limit at {where} is used up: {detail}.", "Raise the account's limit."
    ),
    1045: REFUSED_ACCOUNT,
    1698: REFUSED_ACCOUNT,
    3118: LOCKED,
    4151: LOCKED,
    1820: EXPIRED,
    1862: EXPIRED,
    1129: KnownError(Unreachable, "{where} blocks this host after too many failed connections.", "FLUSH HOSTS;"),
    1130: KnownError(
        AccessDenied,
        "{where} accepts no account from this host.",
        "Create the account with a host part that matches the worker's address.",
    ),
    1153: KnownError(ServerError, "A packet was larger than {where} allows.", "Raise max_allowed_packet."),
    1159: LOST,
    1161: LOST,
    1053: LOST,
    1927: LOST,
    2006: LOST,
    2013: LOST,
    2055: LOST,
    2026: KnownError(
        Unreachable,
        "{where} offers no TLS, and this server is registered to require it.",
        "Turn TLS on at the server (ssl_cert, ssl_key), or choose the TLS mode 'preferred' or 'off'.",
    ),
    1044: KnownError(MissingPrivilege, "The account may not use that schema at {where}: {detail}."),
    1142: KnownError(MissingPrivilege, "The account may not do this at {where}: {detail}."),
    1227: KnownError(MissingPrivilege, "The account may not do this at {where}: {detail}."),
    1290: KnownError(ServerError, "{where} was started with an option that forbids this: {detail}.", "See read_only."),
}

_WAITS = re.compile(r"performance_schema|file_summary|events_waits|setup_")  # MySQL leaves the schema out
_NEEDS = re.compile(r"at least one of\) the (.+?) privilege\(s\)")


def explain(error: Exception, where: str, account: Callable[[], str] = lambda: "''@''") -> ServerError:
    """The error for a pymysql or operating-system error at `where`.

    `account` returns `'user'@'host'` for a GRANT; it is called only when a GRANT is printed.
    """
    cause = getattr(error, "original_exception", None) or error
    if isinstance(cause, OSError) and not isinstance(cause, pymysql.Error):
        return _network(cause, where)
    number, detail = _parts(error)
    known = BY_NUMBER.get(number)
    if known is None:
        return ServerError(f"{where} answered with error {number}: {detail}.")
    fix = _grant(number, detail, account) if known.kind is MissingPrivilege else known.fix
    return known.kind(known.says.format(where=where, detail=detail), fix)


def _parts(error: Exception) -> tuple[int, str]:
    number, detail = (*error.args, 0, "")[:2] if error.args else (0, "")
    if not isinstance(number, int):
        return 0, str(number).rstrip(".")
    return number, str(detail).rstrip(".")


def _grant(number: int, detail: str, account: Callable[[], str]) -> str:
    """The narrowest GRANT that the server's message names."""
    if number == 1227 and (match := _NEEDS.search(detail)):
        names = re.split(r",\s*|\s+or\s+", match[1])
        narrow = next((name for name in names if name != "SUPER"), "SUPER")
        return f"GRANT {narrow} ON *.* TO {account()};"
    if number == 1142 and _WAITS.search(detail):
        return f"GRANT SELECT ON performance_schema.* TO {account()};"
    return f"GRANT ALL PRIVILEGES ON `durascope\\_%`.* TO {account()};"


def _network(error: OSError, where: str) -> ServerError:
    for kind, says, fix in _NETWORK:
        if isinstance(error, kind):
            return Unreachable(says.format(where=where, detail=_reason(error)), fix)
    return Unreachable(f"{where} cannot be reached: {_reason(error)}.", "Check address, port and the network.")


def _reason(error: OSError) -> str:
    return (getattr(error, "verify_message", "") or error.strerror or str(error)).rstrip(".")


_NETWORK: tuple[tuple[type[OSError], str, str], ...] = (
    (
        ssl.SSLCertVerificationError,
        "The certificate of {where} cannot be verified: {detail}.",
        "Give the PEM file of the authority that signed it, and register the server by the name in the certificate. "
        "Or choose the TLS mode 'required', which encrypts without verifying the server.",
    ),
    (
        ssl.SSLError,
        "No encrypted connection to {where} could be made: {detail}.",
        "Compare tls_version of the server with the TLS versions of this host, or choose another TLS mode.",
    ),
    (
        socket.gaierror,
        "The name in {where} is not known: {detail}.",
        "Check the spelling, or register the server by its IP address.",
    ),
    (
        ConnectionRefusedError,
        "Nothing listens at {where}.",
        "Start the server, check the port, and see that bind_address lets the worker's host in.",
    ),
    (
        TimeoutError,
        "{where} did not answer in time.",
        "Check the address, the firewall between worker and server, and whether the server hangs.",
    ),
    (
        FileNotFoundError,
        "There is no socket file {where}.",
        "Start the server, or copy the path from SHOW VARIABLES LIKE 'socket'.",
    ),
    (
        PermissionError,
        "The worker may not open {where}.",
        "Give the worker's user access to the socket file and its folder.",
    ),
    (ConnectionError, LOST.says, LOST.fix),
)
