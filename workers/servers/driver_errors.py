"""Errors of the driver and the network as errors of Durascope, with a fix. The sentences are in driver_errors.toml."""

import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pymysql
from pymysql.constants import CR

from workers.errors import (
    AccessDenied,
    DurascopeError,
    LoadBrokeOff,
    LoadError,
    MissingPrivilege,
    PlanError,
    ServerError,
    Unreachable,
)
from workers.servers.limited import Nonsense
from workers.servers.printable import printable
from workers.toml.table import TomlTable

FILE = Path(__file__).with_suffix(".toml")
KINDS: dict[str, type[DurascopeError]] = {
    kind.__name__: kind
    for kind in (AccessDenied, LoadBrokeOff, LoadError, MissingPrivilege, PlanError, ServerError, Unreachable)
}
# The first that fits is told: a subclass stands before its base.
NETWORK: tuple[type[OSError], ...] = (
    *(ssl.SSLCertVerificationError, ssl.SSLError, socket.gaierror, ConnectionRefusedError, TimeoutError),
    *(FileNotFoundError, PermissionError, ConnectionError, OSError),
)


@dataclass(frozen=True)
class KnownError:
    """What an error becomes. `says` and `fix` may hold names in braces, such as {where}."""

    kind: type[DurascopeError]
    says: str
    fix: str

    def filled(self, **words: object) -> DurascopeError:
        return self.kind(self.says.format(**words), self.fix.format(**words))


def read(path: Path) -> dict[int, KnownError]:
    """By error number. Raises PlanError naming file, table and key."""
    tables = TomlTable.of_file(path).tables("errors")
    return {number: _known(table) for table in tables for number in table.wholes("numbers")}


def named(path: Path) -> dict[str, KnownError]:
    """Errors without a number, by name. Raises PlanError naming file, table and key."""
    tables = TomlTable.of_file(path).table("named")
    return {name: _known(tables.table(name)) for name in tables.data}


def _known(table: TomlTable, kind: str = "") -> KnownError:
    return KnownError(KINDS[kind or table.one_of("kind", KINDS)], table.text("says"), table.text("fix", ""))


BY_NUMBER = read(FILE)
BY_CLASS = {
    kind: _known(TomlTable.of_file(FILE).table("network").table(kind.__name__), "Unreachable") for kind in NETWORK
}
OF_A_SANDBOX = _known(TomlTable.of_file(FILE).table("sandbox"))
PROXY = "Check what stands between the worker and the server: an honest server does not send that."
_WAITS = re.compile(r"performance_schema|file_summary|events_waits|setup_")  # MySQL leaves the schema out
_NEEDS = re.compile(r"at least one of\) the (.+?) privilege\(s\)")
MOST_SAID = 1024  # characters of an error: servers send at most 512 bytes. Patterns look at no more


def explain(
    error: Exception, where: str, account: Callable[[], str] = lambda: "''@''", sandbox: str = ""
) -> DurascopeError:
    """The error for a pymysql or operating-system error at `where`.

    `account` returns `'user'@'host'` for a GRANT; it is called only when a GRANT is printed. `sandbox`: its name, if
    this program started the server.
    """
    if isinstance(error, Nonsense):
        return ServerError(f"{where} {error.why}. The connection was given up.", PROXY)
    cause = getattr(error, "original_exception", None) or error
    if isinstance(cause, OSError) and not isinstance(cause, pymysql.Error):
        known = OF_A_SANDBOX if sandbox else next(BY_CLASS[kind] for kind in NETWORK if isinstance(cause, kind))
        return known.filled(where=where, detail=_reason(cause), sandbox=sandbox)
    number, detail = _parts(error)
    if number not in BY_NUMBER:
        return ServerError(f"{where} answered with error {number}: {detail}.")
    found = BY_NUMBER[number].filled(where=where, detail=detail)
    if isinstance(found, MissingPrivilege):
        found.fix = _grant(number, detail, account)
    return found


def _parts(error: Exception) -> tuple[int, str]:
    number, detail = (*error.args, "", "")[:2]
    if isinstance(error, pymysql.InterfaceError) and not detail:  # PyMySQL's words for a connection that was closed
        number = CR.CR_SERVER_LOST
    if not isinstance(number, int):
        number, detail = 0, number
    return number, printable(str(detail)[:MOST_SAID]).rstrip(".")


def _grant(number: int, detail: str, account: Callable[[], str]) -> str:
    """The narrowest GRANT that the server's message names."""
    if number == 1227 and (match := _NEEDS.search(detail)):
        names = re.split(r",\s*|\s+or\s+", match[1])
        narrow = next((name for name in names if name != "SUPER"), "SUPER")
        return f"GRANT {narrow} ON *.* TO {account()};"
    if number == 1401:
        return f"GRANT XA_RECOVER_ADMIN ON *.* TO {account()};"
    if number == 1142 and _WAITS.search(detail):
        return f"GRANT SELECT ON performance_schema.* TO {account()};"
    return f"GRANT ALL PRIVILEGES ON `durascope\\_%`.* TO {account()};"


def _reason(error: OSError) -> str:
    said = getattr(error, "verify_message", "") or error.strerror or str(error)
    return printable(said[:MOST_SAID]).rstrip(".")
